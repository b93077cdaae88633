package cluster

import (
	"fmt"
	"strings"

	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Bounds of the mon count (S36, S37).
const (
	defaultMonCount = 3
	maxMonCount     = 9
)

// remark is something that a person should know of a spec.
type remark struct {
	text string
	// adjusted says that the operator took another value than the spec's.
	adjusted bool
}

// effective returns the spec in effect: what the user wrote, with defaults where
// it is unusable, and remarks on it. The spec itself is not changed (S36-S39).
func effective(spec v1.ClusterSpec) (v1.ClusterSpec, []remark) {
	e := *spec.DeepCopy()
	var remarks []remark
	if e.Mon.Count <= 0 {
		remarks = append(remarks, remark{fmt.Sprintf("mon count is 0 or less, should be at least 1, will use default value of %d", defaultMonCount), true})
		e.Mon.Count = defaultMonCount
		// What the user has written stays (Settled 20).
		if e.Mon.AllowMultiplePerNode == nil {
			e.Mon.AllowMultiplePerNode = ptr.To(true)
		}
	}
	if e.Mon.Count > maxMonCount {
		remarks = append(remarks, remark{fmt.Sprintf("mon count is bigger than %d (given: %d), not supported, changing to %d", maxMonCount, e.Mon.Count, maxMonCount), true})
		e.Mon.Count = maxMonCount
	}
	if e.Mon.Count%2 == 0 {
		remarks = append(remarks, remark{fmt.Sprintf("mon count is even (given: %d), should be uneven, continuing", e.Mon.Count), false})
	}
	if image := e.CephVersion.Image; !tagged(image) {
		remarks = append(remarks, remark{fmt.Sprintf("image %s has no tag, so that Kubernetes takes %s:latest, whose Ceph version may change at any time; name a version, as in ceph/ceph:v14.2.0-20190410", image, image), true})
	}
	return e, remarks
}

// tagged says whether an image is named with a tag or a digest.
func tagged(image string) bool {
	return strings.Contains(image, "@") || strings.Contains(image[strings.LastIndex(image, "/")+1:], ":")
}

// adjustments are the texts of those remarks that change a value.
func adjustments(remarks []remark) []string {
	var texts []string
	for _, r := range remarks {
		if r.adjusted {
			texts = append(texts, r.text)
		}
	}
	return texts
}
