package steps

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/cucumber/godog"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// handEditSteps are what a person changes where the operator keeps its books, and
// what the operator no longer says.
func handEditSteps() []Step {
	return []Step{
		{
			Pattern: `^a person edits the ConfigMap ` + name + ` and turns ` + name + ` into ` + name + ` under ` + name + `$`,
			Example: `a person edits the ConfigMap "rook-ceph-mon-endpoints" and turns "b=[^,]*" into "b=nowhere:6789" under "data"`,
			Meaning: "replaces what matches the regular expression in one data key, which has to be there",
			Do:      editConfigMap,
		},
		{
			Pattern: `^a person makes the Service ` + name + ` anew$`,
			Example: `a person makes the Service "rook-ceph-mon-b" anew`,
			Meaning: "the Service is deleted and made again as it was, with another cluster IP, before anybody else does",
			Do:      remakeService,
		},
		{
			Pattern: `^the node ` + name + ` gets the address ` + name + `$`,
			Example: `the node "n1" gets the address "192.168.72.77"`,
			Meaning: "its internal IP address becomes another one",
			Do: func(ctx context.Context, node, addr string) error {
				return in(ctx).Readdress(node, addr)
			},
		},
		{
			Pattern: `^` + within + `the ` + kind + ` ` + name + ` has no condition ` + name + `$`,
			Example: `within 1m the CephCluster "rook-ceph" has no condition "SurplusMons"`,
			Meaning: "its status has no condition of that type",
			Do: func(ctx context.Context, limit, kind, named, condition string) error {
				return soon(ctx, limit, func() error {
					u, err := get(ctx, kind, named)
					if err != nil {
						return err
					}
					conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
					for _, c := range conditions {
						if m, _ := c.(map[string]any); m["type"] == condition {
							return fmt.Errorf("the condition %s is %v, because of %v: %v", condition, m["status"], m["reason"], m["message"])
						}
					}
					return err
				})
			},
		},
		{
			Pattern: `^the file ` + name + ` of the operator has the line$`,
			Example: `the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator has the line`,
			Meaning: "one line of the file is the doc string, whatever white space there is in it",
			Do: func(ctx context.Context, path string, doc *godog.DocString) error {
				text, err := in(ctx).OperatorFile(path)
				if err != nil {
					return err
				}
				return hasLine(string(text), doc.Content)
			},
		},
	}
}

func editConfigMap(ctx context.Context, named, from, to, under string) error {
	expression, err := regexp.Compile(from)
	if err != nil {
		return err
	}
	var cm corev1.ConfigMap
	if err := in(ctx).Client().Get(ctx, objectKey(named), &cm); err != nil {
		return err
	}
	text := cm.Data[under]
	if !expression.MatchString(text) {
		return fmt.Errorf("ConfigMap %s has %q under %q, which does not match %q", named, text, under, from)
	}
	cm.Data[under] = expression.ReplaceAllString(text, to)
	return in(ctx).Client().Update(ctx, &cm)
}

func remakeService(ctx context.Context, named string) error {
	c := in(ctx).Client()
	var old corev1.Service
	if err := c.Get(ctx, objectKey(named), &old); err != nil {
		return err
	}
	next := &corev1.Service{ObjectMeta: old.ObjectMeta, Spec: old.Spec}
	next.UID, next.ResourceVersion = "", ""
	next.Spec.ClusterIP, next.Spec.ClusterIPs = "", nil
	if err := c.Delete(ctx, &old); client.IgnoreNotFound(err) != nil {
		return err
	}
	if err := c.Create(ctx, next); err != nil {
		return err
	}
	if next.Spec.ClusterIP == old.Spec.ClusterIP {
		return fmt.Errorf("service %s has got the address %s again", named, old.Spec.ClusterIP)
	}
	return nil
}

// hasLine looks for a line, white space aside.
func hasLine(text, line string) error {
	plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for is := range strings.Lines(text) {
		if matches(plain(line), plain(is)) {
			return nil
		}
	}
	return fmt.Errorf("it has no line %q:\n%s", line, text)
}
