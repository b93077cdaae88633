package cluster

import (
	"path"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// minMonMemory is the least memory limit of a mon (S88).
const minMonMemory = "1024Mi"

// validate refuses a spec in effect that cannot be carried out, before anything
// is made for it. Most of what it refuses the API refuses as well; objects that
// were stored before a rule existed come through there.
func validate(spec v1.ClusterSpec) *pass.Refused {
	if spec.CephVersion.Image == "" {
		return invalid("spec.cephVersion.image is empty: name the image of the Ceph release to run")
	}
	if !path.IsAbs(spec.DataDirHostPath) || path.Clean(spec.DataDirHostPath) == "/" {
		return invalid("spec.dataDirHostPath is %q: it must be an absolute path below the root directory", spec.DataDirHostPath)
	}
	if multiple := spec.Mon.AllowMultiplePerNode; spec.Network.IsHost() && multiple != nil && *multiple && spec.Mon.Count > 1 {
		return invalid("refusing to deploy %d mons with spec.mon.allowMultiplePerNode and spec.network.hostNetwork: two mons of one node would need the same port; set one of the two to false", spec.Mon.Count)
	}
	if limit, ok := spec.Resources[v1.Mon].Limits[corev1.ResourceMemory]; ok && limit.Cmp(resource.MustParse(minMonMemory)) < 0 {
		return invalid("spec.resources.mon.limits.memory is %s: a mon needs at least %s", limit.String(), minMonMemory)
	}
	if refused := validSelection("spec.storage", spec.Storage.Selection); refused != nil {
		return refused
	}
	for _, n := range spec.Storage.Nodes {
		if refused := validSelection("spec.storage.nodes["+n.Name+"]", n.Selection); refused != nil {
			return refused
		}
	}
	return nil
}

func validSelection(at string, s v1.Selection) *pass.Refused {
	for _, f := range []struct{ field, expression string }{
		{"deviceFilter", s.DeviceFilter}, {"devicePathFilter", s.DevicePathFilter},
	} {
		if _, err := regexp.Compile(f.expression); err != nil {
			return invalid("%s.%s is %q, which is not a regular expression: %v", at, f.field, f.expression, err)
		}
	}
	return nil
}

func invalid(format string, args ...any) *pass.Refused {
	return pass.Refuse(v1.ReasonInvalidSpec, format, args...)
}
