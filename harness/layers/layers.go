package layers

import (
	"fmt"
	"strings"
)

// Module is the path of this module.
const Module = "github.com/tidepool-ceph/tidepool/"

// rule says what packages under a folder may import from this module, besides
// each other.
type rule struct {
	under string
	// only are the folders that may be imported; nil is all of them.
	only []string
	// never are the folders that may not.
	never []string
	why   string
}

// rules are looked through in order; the first whose folder fits decides.
func rules() []rule {
	return []rule{
		{
			under: "prod", never: []string{"sim", "harness"},
			why: "production code must build and run without the simulation",
		},
		{
			under: "sim/ceph", only: []string{"sim/host", "sim/loop", "prod/exec", "prod/host", "prod/secret", "golden"},
			why: "a type shared with production would hide a shared mistake",
		},
		{
			under: "sim", only: []string{"prod/exec", "prod/host", "prod/secret", "prod/api", "golden"},
			why: "the simulation meets production at its doors and its API alone",
		},
		{under: "golden", only: []string{}, why: "goldens are data"},
	}
}

// Check returns what is wrong with a package that imports others, one text an
// import. Paths are relative to the module; other modules are left out.
func Check(pkg string, imports []string) []string {
	var wrong []string
	for _, r := range rules() {
		if !within(pkg, r.under) {
			continue
		}
		for _, i := range imports {
			if !within(i, r.under) && !r.allows(i) {
				wrong = append(wrong, fmt.Sprintf("%s imports %s: %s", pkg, i, r.why))
			}
		}
		break
	}
	return wrong
}

func (r rule) allows(imported string) bool {
	for _, n := range r.never {
		if within(imported, n) {
			return false
		}
	}
	if r.only == nil {
		return true
	}
	for _, o := range r.only {
		if within(imported, o) {
			return true
		}
	}
	return false
}

func within(pkg, folder string) bool { return pkg == folder || strings.HasPrefix(pkg, folder+"/") }
