package ceph

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Major versions by code name.
const (
	luminous = 12 + iota
	mimic
	nautilus
	octopus
	pacific
	quincy
	reef
	squid
	tentacle
)

var releaseNames = map[int]string{
	11: "kraken", luminous: "luminous", mimic: "mimic", nautilus: "nautilus", octopus: "octopus",
	pacific: "pacific", quincy: "quincy", reef: "reef", squid: "squid", tentacle: "tentacle",
}

// release is one version of Ceph.
type release struct {
	version             string // "16.2.15"
	major, minor, patch int
	name                string // "pacific"
	commit              string
}

// commits of versions that stand in a golden file; any other version has one
// made from its number.
var commits = map[string]string{
	"13.2.3":  "9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279",
	"14.2.0":  "3a54b2b6d167d4a2a19e003a705696d4fe619afc",
	"14.2.1":  "d555a9489eb35f84f2e1ef49b77e19da9d113972",
	"16.2.15": "618f440892089921c3e944a991122ddc44e60516",
}

// releaseOf reads a version. What is missing of it counts as zero; a version
// that is no number is a fault of the caller.
func releaseOf(version string) *release {
	r := &release{version: version}
	for i, part := range strings.SplitN(version, ".", 3) {
		n, err := strconv.Atoi(part)
		if err != nil {
			panic(fmt.Sprintf("ceph: %q is no version of the form 14.2.0", version))
		}
		*[]*int{&r.major, &r.minor, &r.patch}[i] = n
	}
	r.name = releaseNames[r.major]
	if r.name == "" {
		r.name = "unknown"
	}
	r.commit = commits[version]
	if r.commit == "" {
		sum := sha1.Sum([]byte("ceph " + version))
		r.commit = hex.EncodeToString(sum[:])
	}
	return r
}

// atLeast compares by major, minor and patch; what is not given counts as zero.
func (r *release) atLeast(major int, rest ...int) bool {
	want := append([]int{major}, rest...)
	for i, have := range []int{r.major, r.minor, r.patch}[:len(want)] {
		if have != want[i] {
			return have > want[i]
		}
	}
	return true
}

// long is the text that every Ceph program prints for --version.
func (r *release) long() string {
	return fmt.Sprintf("ceph version %s (%s) %s (stable)", r.version, r.commit, r.name)
}
