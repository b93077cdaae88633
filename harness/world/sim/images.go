package sim

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// OperatorImage is what the operator runs from.
const OperatorImage = "tidepool/operator:v1"

// operatorCeph is the release of the command line tools in the operator's
// image.
const operatorCeph = "20.2.0"

// cephTag finds the version in the tag of a Ceph image.
var cephTag = regexp.MustCompile(`^(?:[\w.-]+(?::\d+)?/)*ceph/(?:ceph|daemon-base|daemon)(?::v?(\d+)(?:\.(\d+)\.(\d+))?(?:-[\w.-]+)?)?$`)

// newest is the last version of each release, for tags such as v14.
func newest(major string) (string, bool) {
	v, ok := map[string]string{
		"12": "12.2.13", "13": "13.2.10", "14": "14.2.22", "15": "15.2.17", "16": "16.2.15",
		"17": "17.2.8", "18": "18.2.7", "19": "19.2.3", "20": "20.2.0",
	}[major]
	return v, ok
}

// pull is the registry: the images of Ceph's releases, and the operator's.
func (w *World) pull(image string) (host.Image, error) {
	if image == OperatorImage {
		return w.operatorImage(), nil
	}
	m := cephTag.FindStringSubmatch(image)
	if m == nil {
		return host.Image{}, fmt.Errorf("failed to pull image %q: not found", image)
	}
	version := strings.Join(m[1:], ".")
	switch {
	case m[1] == "":
		version, _ = newest("20")
	case m[2] == "":
		v, ok := newest(m[1])
		if !ok {
			return host.Image{}, fmt.Errorf("failed to pull image %q: not found", image)
		}
		version = v
	}
	return w.ceph.Image(version), nil
}
