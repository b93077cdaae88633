package disruption

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
)

// StateName is the ConfigMap in which a drain is remembered.
const StateName = "rook-ceph-pdbstatemap"

// Its keys.
const (
	drainingKey = "draining-failure-domain"
	sinceKey    = "draining-since"
	noOutKey    = "set-no-out"
)

// load reads what is remembered. A time that cannot be read, or is still to come,
// is taken for long ago: then the flag noout is held no longer than it may.
func load(ctx context.Context, c client.Client, namespace string, now time.Time) (state, error) {
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: namespace, Name: StateName}
	if err := c.Get(ctx, key, &cm); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return state{}, nil
		}
		return state{}, fmt.Errorf("failed to get ConfigMap %s: %w", key, err)
	}
	s := state{Draining: cm.Data[drainingKey], NoOut: cm.Data[noOutKey] == "true"}
	if s.Draining == "" {
		return state{}, nil
	}
	since, err := time.Parse(time.RFC3339, cm.Data[sinceKey])
	if err != nil || since.After(now) {
		since = time.Time{}
	}
	s.Since = since
	return s, nil
}

// save remembers a state. That there is nothing to remember makes no ConfigMap.
func save(ctx context.Context, c client.Client, cluster *v1.CephCluster, was, is state) error {
	if was.Draining == is.Draining && was.NoOut == is.NoOut && was.Since.Equal(is.Since) {
		return nil
	}
	data := map[string]string{drainingKey: is.Draining, sinceKey: "", noOutKey: ""}
	if is.Draining != "" {
		data[sinceKey] = is.Since.UTC().Format(time.RFC3339)
	}
	if is.NoOut {
		data[noOutKey] = "true"
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Namespace, Name: StateName}, Data: data}
	if _, err := object.Ensure(ctx, c, cm, object.OwnedBy(cluster)); err != nil {
		return fmt.Errorf("failed to remember the drain: %w", err)
	}
	return nil
}
