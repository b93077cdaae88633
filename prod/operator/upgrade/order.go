package upgrade

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// The kinds of daemons, as Ceph calls them.
const (
	Mon       = "mon"
	Mgr       = "mgr"
	OSD       = "osd"
	MDS       = "mds"
	RBDMirror = "rbd-mirror"
)

// order is that in which the kinds are replaced.
func order() []string { return []string{Mon, Mgr, OSD, MDS, RBDMirror} }

// running are the versions of a kind's daemons, and how many run each.
func running(all ceph.DaemonVersions, kind string) map[string]int {
	switch kind {
	case Mon:
		return all.Mon
	case Mgr:
		return all.Mgr
	case OSD:
		return all.OSD
	case MDS:
		return all.MDS
	}
	return all.RBDMirror
}

// inOrder says whether all daemons of the earlier kinds run the version.
func inOrder(all ceph.DaemonVersions, target ceph.Version, kind string) error {
	for _, earlier := range order()[:max(slices.Index(order(), kind), 0)] {
		versions := running(all, earlier)
		if others := others(versions, target); others != "" {
			return blocked("all daemons of kind %s to run %s before one of kind %s is stopped: %s", earlier, target.Number(), kind, others)
		}
		if len(versions) == 0 && earlier == Mgr {
			return blocked("a mgr to run %s before a daemon of kind %s is stopped", target.Number(), kind)
		}
	}
	return nil
}

// others tells which versions but that one run: "2 run 14.2.0, 1 runs 14.2.1";
// "" if none does.
func others(versions map[string]int, target ceph.Version) string {
	var found []string
	for _, text := range slices.Sorted(maps.Keys(versions)) {
		name := text
		if v, err := ceph.ParseVersion(text); err == nil {
			if v == target {
				continue
			}
			name = v.Number()
		}
		verb := "run"
		if versions[text] == 1 {
			verb = "runs"
		}
		found = append(found, fmt.Sprintf("%d %s %s", versions[text], verb, name))
	}
	return strings.Join(found, ", ")
}

// count is how many of a kind's daemons run the version.
func count(versions map[string]int, target ceph.Version) int {
	n := 0
	for text, daemons := range versions {
		if v, err := ceph.ParseVersion(text); err == nil && v == target {
			n += daemons
		}
	}
	return n
}

// blocked is what a daemon waits for that may not be stopped yet.
func blocked(format string, args ...any) *pass.Waiting {
	return pass.WaitFor(v1.ReasonUpgradeBlocked, 0, format, args...)
}
