package osd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// removable are the OSDs that may be removed if Ceph says that they are not
// needed, those first of which Ceph knows nothing any more: a removal that was
// begun is finished before another begins. Each is out, and either on a node that
// people have taken out, or down on a node that could run it, not just being
// started. A node that is only away for a while keeps its OSDs (B19).
func removable(osds []known, c check, now time.Time) []known {
	if !c.removes {
		return nil
	}
	var gone, out []known
	for _, k := range osds {
		switch {
		case !k.Exists:
			gone = append(gone, k)
		case k.In:
		case k.Dropped != "", !k.Up && k.Away == "" && !k.changing(now):
			out = append(out, k)
		}
	}
	return append(gone, out...)
}

// removeOne removes for good one of the OSDs that may be, at most: the placement
// groups are looked at before each. It is to be called again as long as it returns
// an OSD, the one that it works on.
//
// The order lets a removal that was cut off be finished: the Deployment goes
// first, so that the OSD does not come back; then all that Ceph has of it (map,
// CRUSH map, key); then its host in the CRUSH map, if nothing is left there; and
// its entry in the ConfigMap of the node last, since that is what is known of it.
// Until Ceph has forgotten it, the OSD is still down, out, and not needed, by
// which the next pass finds it again. The device is not touched.
func removeOne(ctx context.Context, p *pass.Pass, candidates []known) (*known, error) {
	if len(candidates) == 0 {
		return nil, nil
	}
	if candidates[0].Exists {
		status, err := p.Ceph.Status(ctx)
		if err != nil {
			return nil, fmt.Errorf("failed to look at the placement groups before an OSD is removed: %w", err)
		}
		if !status.PGs.Clean() {
			return nil, nil
		}
	}
	for _, k := range candidates {
		if k.Exists {
			safe, err := p.Ceph.OSDSafeToDestroy(ctx, k.ID)
			if err != nil {
				return nil, fmt.Errorf("failed to ask whether osd.%d is safe to destroy: %w", k.ID, err)
			}
			if !safe {
				continue
			}
		}
		return &k, takeAway(ctx, p, k)
	}
	return nil, nil
}

// takeAway takes the next steps of the removal of an OSD, all that can be taken
// now.
func takeAway(ctx context.Context, p *pass.Pass, k known) error {
	owner := object.OwnedBy(p.Cluster)
	if !k.Recorded {
		// What is known of it is only its Deployment, which is about to go.
		if err := changeResult(ctx, p, k.Node, func(r *prepare.Result) { r.Lost = append(r.Lost, k.OSD) }); err != nil {
			return err
		}
	}
	if k.Deployment != nil {
		p.Log.Infof("removing osd.%d of node %s: it is out, and Ceph does not need it", k.ID, k.Node)
		d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: Name(k.ID)}}
		if _, err := object.Delete(ctx, p.Client, d, owner); err != nil {
			return fmt.Errorf("failed to remove osd.%d: %w", k.ID, err)
		}
	}
	if k.Exists && k.Up {
		return nil // it stops now
	}
	if k.Exists {
		if err := p.Ceph.OSDPurge(ctx, k.ID); err != nil && !errors.Is(err, ceph.ErrBusy) {
			return fmt.Errorf("failed to purge osd.%d: %w", k.ID, err)
		} else if err != nil {
			return nil // it has come up again
		}
	}
	if err := removeHost(ctx, p, k.Node); err != nil {
		return err
	}
	if err := changeResult(ctx, p, k.Node, func(r *prepare.Result) { forget(r, k.OSD) }); err != nil {
		return err
	}
	p.Log.Infof("removed osd.%d of node %s; its device was not touched", k.ID, k.Node)
	p.Events.Event(p.Cluster, door.Normal, "OSDRemoved", fmt.Sprintf("osd.%d of node %s was removed for good; its device was not touched", k.ID, k.Node))
	return nil
}

// removeHost takes a node's bucket out of the CRUSH map if nothing stands in it:
// Ceph counts an empty host among those that are down. One that a rule takes from
// stays.
func removeHost(ctx context.Context, p *pass.Pass, node string) error {
	tree, err := p.Ceph.OSDTree(ctx)
	if err != nil {
		return fmt.Errorf("failed to look whether node %s has OSDs left in the CRUSH map: %w", node, err)
	}
	bucket, ok := tree.Node(hostBucket(node, location(&p.Cluster.Spec, node)))
	if !ok || bucket.Type != "host" || len(bucket.Children) > 0 {
		return nil
	}
	if err := p.Ceph.OSDCrushRemove(ctx, bucket.Name); err != nil && !errors.Is(err, ceph.ErrBusy) {
		return fmt.Errorf("failed to take the empty host %s out of the CRUSH map: %w", bucket.Name, err)
	}
	return nil
}

// hostBucket is the host in the CRUSH location of a node's OSDs.
func hostBucket(node, written string) string {
	for pair := range strings.FieldsSeq(Location(node, written)) {
		if host, ok := strings.CutPrefix(pair, "host="); ok {
			return host
		}
	}
	return ""
}

// forget takes an OSD out of a node's result, and has the node looked at again.
func forget(r *prepare.Result, gone prepare.OSD) {
	is := func(o prepare.OSD) bool { return o.ID == gone.ID && o.UUID == gone.UUID }
	r.OSDs = slices.DeleteFunc(r.OSDs, is)
	r.Lost = slices.DeleteFunc(r.Lost, is)
	if gone.Device != "" && !slices.ContainsFunc(r.Unused, func(u v1.UnusedDevice) bool { return u.Name == gone.Device }) {
		r.Unused = append(r.Unused, v1.UnusedDevice{Name: gone.Device, Reason: prepare.RemovedReason(gone.ID)})
	}
	r.Hash = ""
}

// changeResult changes what stands in the ConfigMap of a node, if there is one.
func changeResult(ctx context.Context, p *pass.Pass, node string, change func(*prepare.Result)) error {
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: p.Cluster.Namespace, Name: prepare.ResultName(node)}
	if err := p.Client.Get(ctx, key, &cm); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("failed to get ConfigMap %s: %w", key, err))
	}
	result, err := prepare.DecodeResult(&cm)
	if err != nil {
		return err
	}
	change(&result)
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	if cm.Data[prepare.ResultKey] == string(text) {
		return nil
	}
	cm.Data[prepare.ResultKey] = string(text)
	if err := p.Client.Update(ctx, &cm); err != nil {
		return fmt.Errorf("failed to write ConfigMap %s: %w", key, err)
	}
	return nil
}
