package steps

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cucumber/godog"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func podSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `the pods? labelled ` + name + ` (?:is|are) running$`,
			Example: `within 1m the pod labelled "mon=a" is running`,
			Meaning: "there are such pods and all of them are Ready, those of jobs that are done aside",
			Do: func(ctx context.Context, limit, labels string) error {
				return soon(ctx, limit, func() error { return allReady(ctx, labels) })
			},
		},
		{
			Pattern: `^` + within + `the pods? labelled ` + name + ` (?:is|are) in ` + name + `$`,
			Example: `within 5m the pod labelled "mon=a" is in "CrashLoopBackOff"`,
			Meaning: "one of the pods has a container, or init container, that waits for this reason",
			Do: func(ctx context.Context, limit, labels, reason string) error {
				return soon(ctx, limit, func() error { return waitsFor(ctx, labels, reason) })
			},
		},
		{
			Pattern: `^` + within + `the pod labelled ` + name + ` holds$`,
			Example: `within 1m the pod labelled "mon=a" holds`,
			Meaning: "the only such pod has what the doc string (YAML) says",
			Do: func(ctx context.Context, limit, labels string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					p, err := onlyPod(ctx, labels)
					if err != nil {
						return err
					}
					return holdsYAML(doc.Content, p.Object)
				})
			},
		},
		{
			Pattern: `^` + within + `the pods labelled ` + name + ` each hold$`,
			Example: `within 1m the pods labelled "app=rook-ceph-osd" each hold`,
			Meaning: "there are such pods and each has what the doc string (YAML) says",
			Do: func(ctx context.Context, limit, labels string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					pods, err := find(ctx, "Pod", Namespace, labels)
					if err == nil && len(pods) == 0 {
						err = fmt.Errorf("there is no pod labelled %q", labels)
					}
					for _, p := range pods {
						if wrong := holdsYAML(doc.Content, p.Object); wrong != nil {
							err = errors.Join(err, fmt.Errorf("pod %s %w", p.GetName(), wrong))
						}
					}
					return err
				})
			},
		},
		{
			Pattern: `^` + within + `the container ` + name + ` of the pod labelled ` + name + ` logs ` + name + `$`,
			Example: `within 5m the container "init-mon-fs" of the pod labelled "mon=a" logs "unable to read magic from mon data"`,
			Meaning: "the log of the container, in this or its former life, holds the text",
			Do: func(ctx context.Context, limit, container, labels, text string) error {
				return soon(ctx, limit, func() error { return logs(ctx, labels, container, text) })
			},
		},
		{
			Pattern: `^` + within + `the container ` + name + ` of the pod labelled ` + name + ` runs$`,
			Example: `within 1m the container "mon" of the pod labelled "mon=a" runs`,
			Meaning: "the doc string is the command line of the container, after the kubelet has put in what the spec refers to",
			Do: func(ctx context.Context, limit, container, labels string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					p, err := onlyPod(ctx, labels)
					if err != nil {
						return err
					}
					args, err := in(ctx).ContainerArgs(p.GetNamespace(), p.GetName(), container)
					if err != nil {
						return err
					}
					return sameText(doc.Content, strings.Join(args, " "))
				})
			},
		},
		{
			Pattern: `^the pod labelled ` + name + ` has an address that is neither its node's nor its service's$`,
			Example: `the pod labelled "mon=a" has an address that is neither its node's nor its service's`,
			Meaning: "pod IP, host IP and the cluster IP in --public-addr are three addresses (S131)",
			Do:      threeAddresses,
		},
		{
			Pattern: `^the log of the container ` + name + ` reads$`,
			Example: `the log of the container "version" reads`,
			Meaning: "from now on the logs of all containers of that name are the doc string",
			Do: func(ctx context.Context, container string, doc *godog.DocString) {
				in(ctx).AnswerLogs(container, &world.Log{Text: doc.Content + "\n"})
			},
		},
		{
			Pattern: `^the log of the container ` + name + ` cannot be read$`,
			Example: `the log of the container "version" cannot be read`,
			Meaning: "from now on the kubelet answers with an error when it is asked for the logs of containers of that name",
			Do: func(ctx context.Context, container string) {
				in(ctx).AnswerLogs(container, &world.Log{Err: errors.New("the server could not find the requested resource")})
			},
		},
		{
			Pattern: `^the log of the container ` + name + ` can be read again$`,
			Example: `the log of the container "version" can be read again`,
			Meaning: "takes back what its log reads, or that it cannot be read",
			Do:      func(ctx context.Context, container string) { in(ctx).AnswerLogs(container, nil) },
		},
		{
			Pattern: `^the pod labelled ` + name + ` descends from the Deployment ` + name + `$`,
			Example: `the pod labelled "mon=a" descends from the Deployment "rook-ceph-mon-a"`,
			Meaning: "its one owner is a ReplicaSet and that one's the Deployment, each by name and uid, as controller, and blocking its deletion (S132)",
			Do:      descends,
		},
		{
			Pattern: `^the pods labelled ` + name + ` are deleted$`,
			Example: `the pods labelled "mon=a" are deleted`,
			Meaning: "deletes the pods, as kubectl delete pod -l does",
			Do: func(ctx context.Context, labels string) error {
				pods, err := find(ctx, "Pod", Namespace, labels)
				if err != nil {
					return err
				}
				for i := range pods {
					if err := in(ctx).Client().Delete(ctx, &pods[i]); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the pods labelled ` + name + ` are on different nodes$`,
			Example: `the pods labelled "app=rook-ceph-mon" are on different nodes`,
			Meaning: "no node has two of them",
			Do: func(ctx context.Context, labels string) error {
				pods, err := find(ctx, "Pod", Namespace, labels)
				if err != nil {
					return err
				}
				on := map[string]string{}
				for _, p := range pods {
					node, _, _ := unstructured.NestedString(p.Object, "spec", "nodeName")
					if other, taken := on[node]; taken {
						return fmt.Errorf("%s and %s are both on node %q", other, p.GetName(), node)
					}
					on[node] = p.GetName()
				}
				return nil
			},
		},
	}
}

// descends checks S132.
func descends(ctx context.Context, labels, deployment string) error {
	pod, err := onlyPod(ctx, labels)
	if err != nil {
		return err
	}
	refs := pod.GetOwnerReferences()
	if len(refs) != 1 {
		return fmt.Errorf("the pod has the owners %+v, want one", refs)
	}
	set, err := get(ctx, "ReplicaSet", pod.GetNamespace()+"/"+refs[0].Name)
	if err != nil {
		return err
	}
	top, err := get(ctx, "Deployment", deployment)
	if err != nil {
		return err
	}
	for _, pair := range []struct{ child, owner *unstructured.Unstructured }{{pod, set}, {set, top}} {
		want := fmt.Sprintf(`[{apiVersion: apps/v1, kind: %s, name: %q, uid: %q, controller: true, blockOwnerDeletion: true}]`,
			pair.owner.GetKind(), pair.owner.GetName(), pair.owner.GetUID())
		if err := holdsYAML(want, first(unstructured.NestedSlice(pair.child.Object, "metadata", "ownerReferences"))); err != nil {
			return fmt.Errorf("the owners of %s %s: %w", pair.child.GetKind(), pair.child.GetName(), err)
		}
	}
	return nil
}

// threeAddresses checks S131.
func threeAddresses(ctx context.Context, labels string) error {
	p, err := onlyPod(ctx, labels)
	if err != nil {
		return err
	}
	pod, _, _ := unstructured.NestedString(p.Object, "status", "podIP")
	node, _, _ := unstructured.NestedString(p.Object, "status", "hostIP")
	args, err := in(ctx).ContainerArgs(p.GetNamespace(), p.GetName(), "mon")
	if err != nil {
		return err
	}
	public := ""
	for _, a := range args {
		if v, ok := strings.CutPrefix(a, "--public-addr="); ok {
			public = v
		}
	}
	if pod == "" || node == "" || public == "" || pod == node || pod == public || node == public {
		return fmt.Errorf("pod %q, node %q and public address %q are not three addresses", pod, node, public)
	}
	return nil
}

func onlyPod(ctx context.Context, labels string) (*unstructured.Unstructured, error) {
	pods, err := find(ctx, "Pod", Namespace, labels)
	if err != nil {
		return nil, err
	}
	if len(pods) != 1 {
		return nil, fmt.Errorf("there are %d pods labelled %q, want 1", len(pods), labels)
	}
	return &pods[0], nil
}

func allReady(ctx context.Context, labels string) error {
	pods, err := find(ctx, "Pod", Namespace, labels)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("there is no pod labelled %q", labels)
	}
	for _, p := range pods {
		if phase, _, _ := unstructured.NestedString(p.Object, "status", "phase"); phase == "Succeeded" {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
		ready := false
		for _, c := range conditions {
			m, _ := c.(map[string]any)
			ready = ready || (m["type"] == "Ready" && m["status"] == "True")
		}
		if !ready {
			return fmt.Errorf("pod %s is not ready: %s", p.GetName(), show(p.Object["status"]))
		}
	}
	return nil
}

func waitsFor(ctx context.Context, labels, reason string) error {
	pods, err := find(ctx, "Pod", Namespace, labels)
	if err != nil {
		return err
	}
	var seen []string
	for _, p := range pods {
		for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
			statuses, _, _ := unstructured.NestedSlice(p.Object, "status", field)
			for _, s := range statuses {
				m, _ := s.(map[string]any)
				is, _, _ := unstructured.NestedString(m, "state", "waiting", "reason")
				if is == reason {
					return nil
				}
				seen = append(seen, fmt.Sprintf("%s/%v: %s", p.GetName(), m["name"], show(m["state"])))
			}
		}
	}
	return fmt.Errorf("no container of the pods labelled %q waits for %q:\n%s", labels, reason, strings.Join(seen, "\n"))
}

func logs(ctx context.Context, labels, container, text string) error {
	pods, err := find(ctx, "Pod", Namespace, labels)
	if err != nil {
		return err
	}
	var seen []string
	for _, p := range pods {
		log, err := in(ctx).Logs().PodLog(ctx, p.GetNamespace(), p.GetName(), container)
		if err != nil {
			seen = append(seen, fmt.Sprintf("%s: %v", p.GetName(), err))
			continue
		}
		if strings.Contains(log, text) {
			return nil
		}
		seen = append(seen, p.GetName()+":\n"+log)
	}
	return fmt.Errorf("no container %q of the pods labelled %q logs %q:\n%s", container, labels, text, strings.Join(seen, "\n"))
}
