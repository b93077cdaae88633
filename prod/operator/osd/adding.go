package osd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// Addition is a node that is being prepared for the first time.
type Addition struct {
	// Node is the node's hostname label.
	Node string
	// Failure is why its job failed, "" as long as it has not.
	Failure string
}

// Additions are the nodes of a cluster whose first job has not reported yet what
// became of their devices, by name.
func Additions(ctx context.Context, c client.Reader, namespace string) ([]Addition, error) {
	var list corev1.ConfigMapList
	if err := c.List(ctx, &list, client.InNamespace(namespace), client.MatchingLabels(daemon.AppLabels(App, namespace))); err != nil {
		return nil, fmt.Errorf("failed to list the results of the OSD jobs: %w", err)
	}
	var additions []Addition
	for i := range list.Items {
		name := nodeOf(&list.Items[i], nil)
		result, err := prepare.DecodeResult(&list.Items[i])
		if name == "" || err != nil || result.Phase == prepare.Completed || len(result.OSDs)+len(result.Unused) > 0 {
			continue
		}
		addition := Addition{Node: name}
		if result.Phase == prepare.Failed {
			addition.Failure = failure(result)
		}
		additions = append(additions, addition)
	}
	slices.SortFunc(additions, func(a, b Addition) int { return cmp.Compare(a.Node, b.Node) })
	return additions, nil
}
