package layers_test

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/harness/layers"
)

func TestWhoMayKnowWhom(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", layers.Module+"...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for d := json.NewDecoder(strings.NewReader(string(out))); ; packages++ {
		var p struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		var own []string
		for _, i := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			if rel, ok := strings.CutPrefix(i, layers.Module); ok {
				own = append(own, rel)
			}
		}
		for _, w := range layers.Check(strings.TrimPrefix(p.ImportPath, layers.Module), own) {
			t.Error(w)
		}
	}
	if packages < 20 {
		t.Errorf("only %d packages were looked at", packages)
	}
}

func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		pkg, imports string
		ok           bool
	}{
		"production may not import the simulation": {"prod/operator/mon", "sim/loop", false},
		"nor the harness":                          {"prod/cmd/cephfsplugin", "harness/world", false},
		"production imports production":            {"prod/operator/mon", "prod/ceph", true},
		"the simulation may use the doors":         {"sim/host", "prod/exec", true},
		"and the API":                              {"sim/kube", "prod/api/v1", true},
		"but no other production code":             {"sim/kube", "prod/operator/door", false},
		"the simulated Ceph not even the API":      {"sim/ceph", "prod/api/v1", false},
		"nor production's parsers":                 {"sim/ceph/crush", "prod/ceph", false},
		"the simulated Ceph knows no Kubernetes":   {"sim/ceph", "sim/kube", false},
		"the harness may import all":               {"harness/world/sim", "prod/operator/cluster", true},
	} {
		if got := len(layers.Check(c.pkg, []string{c.imports})) == 0; got != c.ok {
			t.Errorf("%s: %s imports %s: allowed %v, want %v", name, c.pkg, c.imports, got, c.ok)
		}
	}
}
