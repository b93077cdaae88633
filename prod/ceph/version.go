package ceph

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Version is a version of Ceph. The zero value means that it is not known.
type Version struct{ Major, Minor, Patch int }

// versionText finds the version in a line that `ceph --version` prints. What
// follows the three numbers is the builder's own: "-89.el7cp", "-123-gabc", ".7".
// A builder's prefix such as "v" is tolerated (B22).
var versionText = regexp.MustCompile(`(?m)\bceph version v?(\d+)\.(\d+)\.(\d+)(?:[^\d\n][^\n]*)?$`)

// ParseVersion finds the version in what a program of Ceph printed, such as
// "ceph version 13.2.3 (9bf3c8b…) mimic (stable)" (S44). Other lines around it
// and whatever follows the numbers do not matter. The error shows the text and
// the form that was expected.
func ParseVersion(text string) (Version, error) {
	m := versionText.FindStringSubmatch(text)
	if m == nil {
		return Version{}, fmt.Errorf("%w: no version of Ceph in %s: expected a line such as \"ceph version 14.2.0 (…) nautilus (stable)\"", ErrGarbled, excerpt([]byte(text)))
	}
	var v Version
	for i, field := range []*int{&v.Major, &v.Minor, &v.Patch} {
		n, err := strconv.ParseUint(m[i+1], 10, 31)
		if err != nil {
			return Version{}, fmt.Errorf("%w: the version %s.%s.%s has a number that is too big", ErrGarbled, m[1], m[2], m[3])
		}
		*field = int(n)
	}
	return v, nil
}

// Release is the version's release.
func (v Version) Release() Release { return Release(v.Major) }

// Less says whether v came before other.
func (v Version) Less(other Version) bool {
	if v.Major != other.Major {
		return v.Major < other.Major
	}
	if v.Minor != other.Minor {
		return v.Minor < other.Minor
	}
	return v.Patch < other.Patch
}

// AtLeast says whether v is of that release or a later one. Up to two further
// numbers ask for a minor version and a patch of it: v.AtLeast(Nautilus, 2, 1).
func (v Version) AtLeast(r Release, rest ...int) bool {
	bound := Version{Major: int(r)}
	if len(rest) > 0 {
		bound.Minor = rest[0]
	}
	if len(rest) > 1 {
		bound.Patch = rest[1]
	}
	return !v.Less(bound)
}

// Supported says whether the version may be run without allowUnsupported (S47,
// Settled "Version support").
func (v Version) Supported() bool { return v.Release().Supported() }

// Number is the version without the release's name, such as "14.2.0".
func (v Version) Number() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// String is the version with its release, such as "14.2.0 nautilus".
func (v Version) String() string {
	if !v.Release().Known() {
		return v.Number()
	}
	return strings.Join([]string{v.Number(), v.Release().String()}, " ")
}
