package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func bringUp() Story {
	return Story{
		Name: "bring-up", Meaning: "a CephCluster with 3 mons and 3 OSDs is made",
		Begin:   func(w world.World) error { return nodes(w, []string{"n1", "n2", "n3"}, "sdb") },
		Act:     func(w world.World) error { return apply(w, usual()) },
		Settled: func(w world.World) error { return healthy(w, 3, 3) },
		Within:  10 * time.Minute,
	}
}

func nodeAdded() Story {
	return Story{
		Name: "node-added", Meaning: "a fourth node with a disk comes to a cluster of three",
		Begin: func(w world.World) error {
			return errors.Join(nodes(w, []string{"n1", "n2", "n3"}, "sdb"), up(w, usual(), 3))
		},
		Act:     func(w world.World) error { return nodes(w, []string{"n4"}, "sdb") },
		Settled: func(w world.World) error { return healthy(w, 3, 4) },
		Within:  10 * time.Minute,
	}
}

func monFailOver() Story {
	return Story{
		Name: "mon-fail-over", Meaning: "the node of a mon loses its power for good, and another takes its place on a spare node",
		Begin: func(w world.World) error {
			return errors.Join(
				nodes(w, []string{"n1", "n2", "n3"}), nodes(w, []string{"n5"}, "sdb"),
				up(w, usual().with(spec{"placement": spec{"mon": offNode("n5")}}), 1), nodes(w, []string{"n4"}),
			)
		},
		Act: func(w world.World) error {
			node, err := nodeOfMon(w, "b")
			if err != nil {
				return err
			}
			return w.PowerOff(node)
		},
		Settled: func(w world.World) error {
			if err := errors.Join(created(w), ready(w, "rook-ceph-mon", 3), ready(w, "rook-ceph-mgr", 1)); err != nil {
				return err
			}
			return quorum(w, "a", "c", "d")
		},
		Within: 30 * time.Minute,
	}
}

// offNode is a placement on all nodes but one.
func offNode(node string) spec {
	return spec{"nodeAffinity": spec{"requiredDuringSchedulingIgnoredDuringExecution": spec{
		"nodeSelectorTerms": []any{spec{"matchExpressions": []any{spec{
			"key": corev1.LabelHostname, "operator": "NotIn", "values": []any{node},
		}}}},
	}}}
}

func imageUpgrade() Story {
	const image = "ceph/ceph:v15.2.17"
	of := func(image string) spec {
		return usual().with(spec{"cephVersion": spec{"image": image, "allowUnsupported": true}})
	}
	return Story{
		Name: "image-upgrade", Meaning: "the image becomes that of the next release of Ceph",
		Begin: func(w world.World) error {
			return errors.Join(nodes(w, []string{"n1", "n2", "n3"}, "sdb"), up(w, of("ceph/ceph:v14.2.22"), 3))
		},
		Act: func(w world.World) error { return apply(w, of(image)) },
		Settled: func(w world.World) error {
			if err := runsImage(w, image); err != nil {
				return err
			}
			return errors.Join(healthy(w, 3, 3), ready(w, "rook-ceph-mgr", 1))
		},
		Within: 30 * time.Minute,
	}
}

// runsImage: all daemons' Deployments ask for the image.
func runsImage(w world.World, image string) error {
	all := &appsv1.DeploymentList{}
	if err := w.Client().List(context.Background(), all, client.InNamespace(namespace)); err != nil {
		return err
	}
	for _, d := range all.Items {
		if is := d.Spec.Template.Spec.Containers[0].Image; is != image {
			return fmt.Errorf("the Deployment %s has image %s", d.Name, is)
		}
	}
	return nil
}

func specEdit() Story {
	edited := usual().with(spec{
		"dashboard":    spec{"enabled": true, "port": 7443, "urlPrefix": "ceph"},
		"rbdMirroring": spec{"workers": 1},
		"placement":    spec{"all": spec{"tolerations": []any{spec{"key": "storage", "operator": "Exists"}}}},
		"resources": spec{
			"mon": spec{"requests": spec{"memory": "1Gi"}},
			"mgr": spec{"requests": spec{"memory": "512Mi"}},
			"osd": spec{"requests": spec{"memory": "2Gi"}},
		},
	})
	return Story{
		Name: "spec-edit", Meaning: "placement, resources, dashboard and mirroring are edited at once",
		Begin: func(w world.World) error {
			return errors.Join(nodes(w, []string{"n1", "n2", "n3"}, "sdb"), up(w, usual(), 3))
		},
		Act: func(w world.World) error { return apply(w, edited) },
		Settled: func(w world.World) error {
			return errors.Join(healthy(w, 3, 3), ready(w, "rook-ceph-rbd-mirror", 1), tolerated(w))
		},
		Within: 20 * time.Minute,
	}
}

// tolerated: all Deployments' pods have the toleration of the edit.
func tolerated(w world.World) error {
	all := &appsv1.DeploymentList{}
	if err := w.Client().List(context.Background(), all, client.InNamespace(namespace)); err != nil {
		return err
	}
	for _, d := range all.Items {
		if !slices.ContainsFunc(d.Spec.Template.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == "storage" }) {
			return fmt.Errorf("the pods of Deployment %s have not the new toleration", d.Name)
		}
	}
	return nil
}

func deletion() Story {
	return Story{
		Name: "deletion", Meaning: "the CephCluster is deleted, with consent to the loss of its data",
		Begin: func(w world.World) error {
			return errors.Join(
				nodes(w, []string{"n1", "n2", "n3"}, "sdb"),
				up(w, usual(), 3),
			)
		},
		Act: func(w world.World) error {
			if err := apply(w, usual().with(spec{"cleanupPolicy": spec{"confirmation": "yes-really-destroy-data"}})); err != nil {
				return err
			}
			c, err := cluster(w)
			if err != nil {
				return err
			}
			return w.Client().Delete(context.Background(), c)
		},
		Settled: func(w world.World) error {
			if _, err := cluster(w); !apierrors.IsNotFound(err) {
				return errors.Join(errors.New("the CephCluster is still there"), err)
			}
			pods := &corev1.PodList{}
			if err := w.Client().List(context.Background(), pods, client.InNamespace(namespace)); err != nil {
				return err
			}
			for _, p := range pods.Items {
				if p.Status.Phase == corev1.PodRunning || p.Status.Phase == corev1.PodPending {
					return fmt.Errorf("the pod %s is still there", p.Name)
				}
			}
			return nil
		},
		Within:      20 * time.Minute,
		QuorumMayGo: true,
	}
}

// nodeOfMon is where a mon runs.
func nodeOfMon(w world.World, mon string) (string, error) {
	pods := &corev1.PodList{}
	if err := w.Client().List(context.Background(), pods, client.InNamespace(namespace), client.MatchingLabels{"app": "rook-ceph-mon", "mon": mon}); err != nil {
		return "", err
	}
	for _, p := range pods.Items {
		if p.Spec.NodeName != "" && p.DeletionTimestamp == nil {
			return p.Spec.NodeName, nil
		}
	}
	return "", fmt.Errorf("the mon %s has no node", mon)
}

// quorum: exactly these mons are in quorum.
func quorum(w world.World, names ...string) error {
	in, err := quorumNames(w)
	if err != nil {
		return err
	}
	if !slices.Equal(in, names) {
		return fmt.Errorf("the mons in quorum are %q, want %q", in, names)
	}
	return nil
}

// quorumNames are the mons in quorum, sorted.
func quorumNames(w world.World) ([]string, error) {
	res, err := w.Ceph(context.Background(), namespace, "quorum_status", "--format", "json")
	if err != nil {
		return nil, err
	}
	var q struct {
		Names []string `json:"quorum_names"`
	}
	if err := json.Unmarshal(res.Stdout, &q); err != nil {
		return nil, fmt.Errorf("quorum_status answered %q: %w", res.Stdout, err)
	}
	slices.Sort(q.Names)
	return q.Names, nil
}
