package schema

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
)

// Unknown returns the paths of the fields of obj that [Validator.Admit] prunes,
// sorted: what strict field validation refuses. obj is not changed. A version that
// is not served has none; Admit says what is wrong with it.
func (v *Validator) Unknown(obj map[string]any) []string {
	version, err := v.versionOf(obj)
	if err != nil {
		return nil
	}
	unknown := pruning.PruneWithOptions(runtime.DeepCopyJSON(obj), version.structural, true,
		schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	slices.Sort(unknown)
	return unknown
}
