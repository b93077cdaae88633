package steps

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"

	"github.com/cucumber/godog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func objectSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `the ` + kind + ` ` + name + ` holds$`,
			Example: `within 1m the Deployment "rook-ceph-mon-a" holds`,
			Meaning: "the object has what the doc string (YAML) says: mappings at least (with `<only>: true` whole), lists whole and in order",
			Do: func(ctx context.Context, limit, kind, named string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					u, err := get(ctx, kind, named)
					if err != nil {
						return err
					}
					return holdsYAML(doc.Content, u.Object)
				})
			},
		},
		{
			Pattern: `^` + within + `there is a ` + kind + ` ` + name + `$`,
			Example: `within 1m there is a Secret "rook-ceph-mon"`,
			Meaning: "the object exists",
			Do: func(ctx context.Context, limit, kind, named string) error {
				return soon(ctx, limit, func() error {
					_, err := get(ctx, kind, named)
					return err
				})
			},
		},
		{
			Pattern: `^` + within + `there is no ` + kind + ` ` + name + `$`,
			Example: `within 1m there is no Job "rook-ceph-detect-version"`,
			Meaning: "the object does not exist",
			Do: func(ctx context.Context, limit, kind, named string) error {
				return soon(ctx, limit, func() error {
					u, err := get(ctx, kind, named)
					if err == nil {
						return fmt.Errorf("there is the %s %q", kind, client.ObjectKeyFromObject(u))
					}
					if errors.Is(err, errAbsent) {
						return nil
					}
					return err
				})
			},
		},
		{
			Pattern: `^` + within + `there (?:are|is) (\d+) ([A-Z]\w+?)s? labelled ` + name + `$`,
			Example: `within 1m there are 3 Deployments labelled "app=rook-ceph-mon"`,
			Meaning: "counts objects in the namespace rook-ceph by labels",
			Do: func(ctx context.Context, limit, count, kind, labels string) error {
				return soon(ctx, limit, func() error {
					items, err := find(ctx, kind, Namespace, labels)
					if err != nil {
						return err
					}
					if strconv.Itoa(len(items)) != count {
						return fmt.Errorf("there are %d %ss labelled %q, want %s", len(items), kind, labels, count)
					}
					return nil
				})
			},
		},
		{
			Pattern: `^` + within + `the ` + kind + ` ` + name + ` has under ` + name + `$`,
			Example: `within 1m the ConfigMap "rook-ceph-config" has under "ceph.conf"`,
			Meaning: "compares one data key of a ConfigMap or Secret with the doc string, whole",
			Do: func(ctx context.Context, limit, kind, named, key string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					text, err := dataOf(ctx, kind, named, key)
					if err != nil {
						return err
					}
					return sameText(doc.Content, text)
				})
			},
		},
		{
			Pattern: `^the ` + kind + ` ` + name + ` is owned by the CephCluster ` + name + `$`,
			Example: `the ConfigMap "rook-config-override" is owned by the CephCluster "rook-ceph"`,
			Meaning: "its one ownerReference is ceph.rook.io/v1 CephCluster with that name, the object's uid and blockOwnerDeletion, and no controller field (S65 as settled)",
			Do: func(ctx context.Context, kind, named, cluster string) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				c, err := get(ctx, "CephCluster", cluster)
				if err != nil {
					return err
				}
				return holdsYAML(fmt.Sprintf(`[{apiVersion: ceph.rook.io/v1, kind: CephCluster, name: %q, uid: %q, blockOwnerDeletion: true, controller: null}]`,
					c.GetName(), c.GetUID()), first(unstructured.NestedSlice(u.Object, "metadata", "ownerReferences")))
			},
		},
	}
}

// first is the value of a lookup; a value of another type shows as nil.
func first(v []any, _ bool, _ error) any { return v }

func dataOf(ctx context.Context, kind, named, key string) (string, error) {
	u, err := get(ctx, kind, named)
	if err != nil {
		return "", err
	}
	data, _, err := unstructured.NestedStringMap(u.Object, "data")
	if err != nil {
		return "", err
	}
	text, ok := data[key]
	if !ok {
		return "", fmt.Errorf("%s %q has no key %q", kind, named, key)
	}
	if kind == "Secret" {
		b, err := base64.StdEncoding.DecodeString(text)
		return string(b), err
	}
	return text, nil
}
