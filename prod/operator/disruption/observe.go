package disruption

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
)

// defaultHold is how long a drained domain keeps noout where the spec does not
// say.
const defaultHold = 30 * time.Minute

// observe sees what a decision needs. Ceph is asked only if an OSD does not run
// or a drain is remembered.
func observe(ctx context.Context, c client.Client, cluster *v1.CephCluster, was state, admin func() (*ceph.Admin, error)) (seen, error) {
	spec := cluster.Spec.DisruptionManagement
	s := seen{Enabled: spec.ManagePodBudgets, Hold: time.Duration(spec.OSDMaintenanceTimeout) * time.Minute}
	if s.Hold == 0 {
		s.Hold = defaultHold
	}
	if !s.Enabled && !was.NoOut {
		return s, nil
	}
	osds, err := daemons(ctx, c, cluster)
	if err != nil || len(osds) == 0 {
		return s, err
	}
	if was.Draining == "" && !slices.ContainsFunc(osds, func(o daemonState) bool { return !o.Runs }) {
		s.Domains = []domain{{OSDs: osds}}
		return s, nil
	}
	a, err := admin()
	if err != nil {
		return s, err
	}
	if err := s.ask(ctx, a, osds); err != nil {
		return s, err
	}
	s.Stuck, err = s.stuck(ctx, a, was)
	return s, err
}

// daemons are the cluster's OSDs as Kubernetes sees them.
func daemons(ctx context.Context, c client.Client, cluster *v1.CephCluster) ([]daemonState, error) {
	var list appsv1.DeploymentList
	labels := daemon.AppLabels(osd.App, cluster.Namespace)
	if err := c.List(ctx, &list, client.InNamespace(cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return nil, fmt.Errorf("failed to list the Deployments of the OSDs: %w", err)
	}
	var nodes corev1.NodeList
	if err := c.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("failed to list the nodes: %w", err)
	}
	cordoned := map[string]bool{}
	for i := range nodes.Items {
		cordoned[node.Hostname(&nodes.Items[i])] = !node.Schedulable(&nodes.Items[i])
	}
	owner := object.OwnedBy(cluster)
	var osds []daemonState
	for i := range list.Items {
		d := &list.Items[i]
		id, err := strconv.Atoi(d.Labels[osd.IDLabel])
		if err != nil || d.DeletionTimestamp != nil || !object.Owns(owner, d) {
			continue
		}
		osds = append(osds, daemonState{ID: id, Runs: d.Status.ReadyReplicas > 0, Cordoned: cordoned[d.Labels[osd.NodeLabel]], Up: true, In: true})
	}
	slices.SortFunc(osds, func(a, b daemonState) int { return cmp.Compare(a.ID, b.ID) })
	return osds, nil
}

// ask fills in what Ceph knows.
func (s *seen) ask(ctx context.Context, admin *ceph.Admin, osds []daemonState) error {
	fail := func(what string, err error) error { return fmt.Errorf("failed to ask for %s: %w", what, err) }
	status, err := admin.Status(ctx)
	if err != nil {
		return fail("the placement groups", err)
	}
	dump, err := admin.OSDDump(ctx)
	if err != nil {
		return fail("the OSDs", err)
	}
	tree, err := admin.OSDTree(ctx)
	if err != nil {
		return fail("the CRUSH hierarchy", err)
	}
	rules, err := admin.CrushRuleDump(ctx)
	if err != nil {
		return fail("the CRUSH rules", err)
	}
	s.Asked, s.Clean, s.PGs = true, status.PGs.Clean(), status.PGs.NumPGs
	s.Level = level(dump.Pools, rules)
	for i, o := range osds {
		at := slices.IndexFunc(dump.OSDs, func(known ceph.OSDInfo) bool { return known.ID == o.ID })
		osds[i].Up = at >= 0 && dump.OSDs[at].Up == 1
		osds[i].In = at >= 0 && dump.OSDs[at].In == 1
	}
	s.Domains = domains(s.Level, tree, osds)
	s.NoOut = map[string]bool{}
	for _, d := range s.Domains {
		s.NoOut[d.Name] = dump.GroupHasFlag("noout", group(d))
	}
	return nil
}

// stuck asks, where OSDs of several domains are missing, whether what still runs
// in the domain that is being drained may go all the same.
func (s *seen) stuck(ctx context.Context, admin *ceph.Admin, was state) (bool, error) {
	at := s.draining(was)
	if at < 0 {
		return false, nil
	}
	elsewhere := false
	for i, d := range s.Domains {
		elsewhere = elsewhere || i != at && s.missing(d)
	}
	var left []int
	for _, o := range s.Domains[at].OSDs {
		if o.Runs {
			left = append(left, o.ID)
		}
	}
	if !elsewhere || len(left) == 0 {
		return false, nil
	}
	answer, err := admin.OSDOkToStop(ctx, len(left), left...)
	if err != nil {
		return false, fmt.Errorf("failed to ask whether the rest of %s may go: %w", s.Domains[at].Name, err)
	}
	return !answer.OK, nil
}

// group is the part of Ceph's OSDs that a domain is.
func group(d domain) ceph.OSDGroup {
	g := ceph.OSDGroup{Bucket: d.Name}
	for _, o := range d.OSDs {
		g.OSDs = append(g.OSDs, o.ID)
	}
	return g
}

// levels are CRUSH's own kinds of buckets, the finest first.
func levels() []string {
	return []string{"osd", "host", "chassis", "rack", "row", "pdu", "pod", "room", "datacenter", "zone", "region", "root"}
}

// level is the finest kind of bucket over which a rule that a pool uses spreads
// copies; "host" without pools.
func level(pools []ceph.Pool, rules []ceph.CrushRule) string {
	finest := -1
	for _, r := range rules {
		if !slices.ContainsFunc(pools, func(p ceph.Pool) bool { return p.CrushRule == r.ID }) {
			continue
		}
		_, _, spread, _ := r.Placement()
		if at := slices.Index(levels(), spread); at >= 0 && (finest < 0 || at < finest) {
			finest = at
		}
	}
	if finest < 0 {
		return "host"
	}
	return levels()[finest]
}

// domains puts the OSDs into the buckets of that kind that they stand in. One
// that stands in none is a domain of its own.
func domains(level string, tree ceph.OSDTree, osds []daemonState) []domain {
	parent := map[int]ceph.TreeNode{}
	for _, n := range tree.Nodes {
		for _, child := range n.Children {
			parent[child] = n
		}
	}
	var all []domain
	for _, o := range osds {
		name := fmt.Sprintf("osd.%d", o.ID)
		if level != "osd" {
			for n, ok := parent[o.ID]; ok; n, ok = parent[n.ID] {
				if n.Type == level {
					name = n.Name
					break
				}
			}
		}
		at := slices.IndexFunc(all, func(d domain) bool { return d.Name == name })
		if at < 0 {
			at = len(all)
			all = append(all, domain{Name: name})
		}
		all[at].OSDs = append(all[at].OSDs, o)
	}
	slices.SortFunc(all, func(a, b domain) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
