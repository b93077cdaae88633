package golden_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/golden"
)

func TestEveryCaseIsWhole(t *testing.T) {
	want := []string{"luminous-12.2.11", "mimic-13.2.3", "nautilus-14.2", "pacific-16.2.15"}
	if got := golden.Releases(); !slices.Equal(got, want) {
		t.Fatalf("the releases are %v", got)
	}
	for _, release := range golden.Releases() {
		if _, err := golden.File(release, "PROVENANCE"); err != nil {
			t.Errorf("%s does not say where it comes from: %v", release, err)
		}
		names := golden.Names(release)
		if len(names) == 0 {
			t.Errorf("%s has no cases", release)
		}
		for _, name := range names {
			run, err := golden.Case(release, name)
			if err != nil {
				t.Error(err)
				continue
			}
			if len(run.Argv) == 0 {
				t.Errorf("%s/%s has no argv", release, name)
			}
		}
	}
}

func TestACase(t *testing.T) {
	run, err := golden.Case("pacific-16.2.15", "osd-ok-to-stop-degraded")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(run.Argv, " "); got != "ceph osd ok-to-stop 1 --format json" {
		t.Errorf("argv is %s", got)
	}
	if run.ExitCode != 16 || !strings.HasPrefix(run.Stderr, "Error EBUSY: unsafe") || !bytes.HasPrefix(run.Stdout, []byte("\n{\"ok_to_stop\":false")) {
		t.Errorf("it is %+v", run)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	if _, err := golden.Case("pacific-16.2.15", "no-such"); err == nil || !strings.Contains(err.Error(), "pacific-16.2.15/no-such.meta") {
		t.Errorf("the error is %v", err)
	}
	if names := golden.Names("no-such"); names != nil {
		t.Errorf("there are %v", names)
	}
}

func TestCommandDescriptions(t *testing.T) {
	for file, atLeast := range map[string]int{"command-descriptions.mon.json": 500, "command-descriptions.mgr.json": 200} {
		data, err := golden.File("pacific-16.2.15", file)
		if err != nil {
			t.Fatal(err)
		}
		var commands map[string]struct {
			Sig  []any  `json:"sig"`
			Perm string `json:"perm"`
		}
		if err := json.Unmarshal(data, &commands); err != nil || len(commands) < atLeast {
			t.Errorf("%s has %d commands, %v", file, len(commands), err)
		}
	}
}

func TestTheSampleConfiguration(t *testing.T) {
	conf, err := golden.File("nautilus-14.2", "ceph.conf")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(conf), "\n")
	if lines[0] != "[global]" || lines[4] != "mon host                  = v1:10.200.33.128:6789" || lines[len(lines)-2] != "keyring = /var/lib/rook/rook-ceph/client.admin.keyring" {
		t.Errorf("it is\n%s", conf)
	}
}
