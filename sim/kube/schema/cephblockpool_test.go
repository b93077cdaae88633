package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
	"github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// cephBlockPools returns the validator of the CephBlockPool definition.
func cephBlockPools(t testing.TB) *schema.Validator {
	t.Helper()
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.New(definitionOf(all, "cephblockpools"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func pool(t testing.TB, spec string) map[string]any {
	t.Helper()
	obj := object(t, `{apiVersion: ceph.rook.io/v1, kind: CephBlockPool, metadata: {name: p, namespace: rook-ceph}}`)
	obj["spec"] = object(t, spec)
	return obj
}

func TestPoolsAccepted(t *testing.T) {
	v := cephBlockPools(t)
	for name, spec := range map[string]string{
		"today's example":            `{failureDomain: host, replicated: {size: 3, requireSafeReplicaSize: true}, parameters: {compression_mode: none}, mirroring: {enabled: false, mode: image}, statusCheck: {mirror: {disabled: false, interval: 60s}}}`,
		"Ceph's own, one copy":       `{name: .mgr, replicated: {size: 1, requireSafeReplicaSize: false}}`,
		"the first release's":        `{failureDomain: host, replicated: {size: 3}, annotations: null}`,
		"as it is read from servers": `{failureDomain: "", crushRoot: "", deviceClass: "", replicated: {size: 0}, erasureCoded: {dataChunks: 2, codingChunks: 1, algorithm: ""}}`,
		"the other way round":        `{replicated: {size: 2}, erasureCoded: {dataChunks: 0, codingChunks: 0}}`,
		"quotas":                     `{replicated: {size: 2}, quotas: {maxSize: 10Gi, maxObjects: 0}}`,
	} {
		t.Run(name, func(t *testing.T) {
			obj := pool(t, spec)
			stored, errs := v.Admit(obj, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(withoutNulls(obj["spec"]), withoutNulls(stored["spec"])); diff != "" && !strings.Contains(spec, "annotations: null") {
				t.Errorf("spec changed (-written +stored):\n%s", diff)
			}
		})
	}
}

func TestPoolsRefused(t *testing.T) {
	v := cephBlockPools(t)
	for spec, want := range map[string]string{
		`{}`:                               "spec: Invalid value: needs replicated with a size of at least 1, or erasureCoded with dataChunks and codingChunks",
		`{replicated: {size: 1}}`:          "spec.replicated.requireSafeReplicaSize: Invalid value: a single copy is lost with its OSD",
		`{replicated: {size: -1}}`:         "spec.replicated.size: Invalid value: -1",
		`{replicated: {size: "two"}}`:      "spec.replicated.size: Invalid value",
		`{replicated: {}}`:                 "spec.replicated.size: Required value",
		`{name: x, replicated: {size: 2}}`: `spec.name: Unsupported value: "x"`,
		`{replicated: {size: 2}, erasureCoded: {dataChunks: 2, codingChunks: 1}}`: "spec.erasureCoded: Invalid value: replicated and erasureCoded exclude each other",
		`{erasureCoded: {dataChunks: 2, codingChunks: 0}}`:                        "spec.erasureCoded: Invalid value: needs at least 2 dataChunks and 1 codingChunks",
		`{replicated: {size: 2}, failureDomain: "a b"}`:                           "spec.failureDomain: Invalid value",
		`{replicated: {size: 2}, parameters: {"--x": "1"}}`:                       "spec.parameters: Invalid value: a property is written in small letters",
		`{replicated: {size: 2}, parameters: {x: "--yes"}}`:                       "spec.parameters: Invalid value: a value is not empty and does not begin with --",
		`{replicated: {size: 2}, parameters: {x: ""}}`:                            "spec.parameters: Invalid value: a value is not empty",
		`{replicated: {size: 2}, parameters: {size: "3"}}`:                        "the number of copies is replicated.size",
		`{replicated: {size: 2}, parameters: {crush_rule: r}}`:                    "the crush rule follows from failureDomain",
		`{replicated: {size: 2}, quotas: {maxSize: 10GB}}`:                        "spec.quotas.maxSize: Invalid value",
		`{replicated: {size: 2}, quotas: {maxObjects: -1}}`:                       "spec.quotas.maxObjects: Invalid value",
	} {
		_, errs := v.Admit(pool(t, spec), nil)
		if err := errs.ToAggregate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		}
	}
}

func TestPoolChangesRefused(t *testing.T) {
	v := cephBlockPools(t)
	for name, c := range map[string]struct{ before, after, want string }{
		"of kind":   {`{replicated: {size: 2}}`, `{erasureCoded: {dataChunks: 2, codingChunks: 1}}`, "a pool cannot change between replicated and erasureCoded"},
		"of chunks": {`{erasureCoded: {dataChunks: 2, codingChunks: 1}}`, `{erasureCoded: {dataChunks: 4, codingChunks: 1}}`, "the chunks of a pool cannot change"},
		"of name":   {`{replicated: {size: 2}}`, `{name: .mgr, replicated: {size: 2}}`, "spec.name: Invalid value: cannot change"},
		"of size":   {`{name: .mgr, replicated: {size: 2}}`, `{name: .mgr, replicated: {size: 3}}`, ""},
	} {
		stored, errs := v.Admit(pool(t, c.before), nil)
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}
		_, errs = v.Admit(pool(t, c.after), stored)
		err := errs.ToAggregate()
		if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("a change %s: got %v, want %q", name, err, c.want)
		}
	}
}
