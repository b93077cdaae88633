package osd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

const (
	// atOnce is how many OSDs are stopped together at most.
	atOnce = 20
	// questions is how often Ceph is asked in one pass which OSDs may be stopped.
	questions = 4
	// askElsewhere is how long the same OSDs are asked for before others are.
	askElsewhere = 10 * time.Second
	// startTime is how long an OSD that was changed is waited for.
	startTime = 2 * time.Minute
)

// outdated is an OSD whose Deployment is to be changed.
type outdated struct {
	id                int
	node              string
	existing, desired *appsv1.Deployment
}

// turn is one in which running OSDs are changed.
type turn struct {
	*pass.Pass
	// all are the Deployments by name.
	all map[string]*appsv1.Deployment
	// osds are those that are to be changed, node by node.
	osds []outdated
	// dump is what Ceph knows of the OSDs.
	dump ceph.OSDMap
}

// run changes those OSDs that may be stopped now, and returns how many, and what
// the others wait for; nil if they only wait for their turn.
func (u *turn) run(ctx context.Context) (int, error) {
	slices.SortFunc(u.osds, func(a, b outdated) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.id, b.id))
	})
	images := slices.ContainsFunc(u.osds, func(o outdated) bool { return upgrade.OnTheWay(o.existing, o.desired) })
	if images {
		if err := upgrade.InOrder(ctx, u.Pass, upgrade.OSD, u.arrivedAt()); err != nil {
			return 0, err
		}
	}
	if u.Cluster.Spec.SkipUpgradeChecks {
		return u.unasked(ctx)
	}
	idle := u.those(func(o outdated) bool { return !u.up(o.id) && !daemon.Ready(o.existing) })
	if len(idle) > 0 {
		return len(idle), u.change(ctx, idle) // they have nothing to lose
	}
	if images && u.Cluster.Spec.UpgradeOSDRequiresHealthyPGs {
		if err := upgrade.CleanPGs(ctx, u.Pass); err != nil {
			return 0, err
		}
	}
	next, err := u.ask(ctx, u.returning())
	if err != nil {
		return 0, err
	}
	return len(next), u.change(ctx, next)
}

// ask returns OSDs of one node that Ceph lets go together, or a [*pass.Waiting]
// with Ceph's words on the first that it does not. Where OSDs of a node are
// expected back, it is that node's turn still: Ceph may let the last but one copy
// of data go, and the operator does not take it.
func (u *turn) ask(ctx context.Context, returning *outdated) ([]outdated, error) {
	since := u.blockedSince()
	groups := u.groups()
	// Where one group may not be stopped for long, others are asked for.
	turns := max(0, int(u.Clock.Since(since)/askElsewhere)) // the time may come from a clock that is ahead
	first := turns * (questions - 1) % len(groups)
	groups = append(slices.Clone(groups[first:]), groups[:first]...)
	if returning != nil {
		groups = slices.DeleteFunc(groups, func(g []outdated) bool { return g[0].node != returning.node })
		if len(groups) == 0 {
			return nil, pass.WaitFor(v1.ReasonWaiting, 0, "osd.%d of node %s to be back", returning.id, returning.node)
		}
	}
	var refusal *pass.Waiting
	for i, group := range groups {
		if i == questions {
			break
		}
		next, why, err := u.askFor(ctx, group)
		if err != nil || len(next) > 0 {
			return next, err
		}
		if refusal == nil {
			refusal = why
		}
	}
	risk := ""
	switch {
	case u.tooFew() != "" && len(u.absent()) == 0:
		risk = u.tooFew()
	case upgrade.Overdue(&u.Cluster.Spec, since, u.Clock.Now()):
		risk = "continueUpgradeAfterChecksEvenIfNotHealthy is set"
	default:
		return nil, refusal
	}
	upgrade.AtRisk(u.Pass, fmt.Sprintf("osd.%d is stopped although Ceph does not let it, since %s: %s", groups[0][0].id, risk, refusal.For))
	return groups[0][:1], nil
}

// askFor asks for OSDs of one node: for as many as possible from pacific on, and
// before for all of the node and then for one.
func (u *turn) askFor(ctx context.Context, group []outdated) ([]outdated, *pass.Waiting, error) {
	sets := [][]outdated{group[:1]}
	if !u.Version.Has(ceph.OkToStopNames) && len(group) > 1 {
		sets = [][]outdated{group[:min(len(group), atOnce)], group[:1]}
	}
	var refusal *pass.Waiting
	for _, set := range sets {
		answer, err := u.Ceph.OSDOkToStop(ctx, atOnce, append(ids(set), u.absent()...)...)
		if err != nil {
			return nil, nil, fmt.Errorf("failed to ask whether %s may be stopped: %w", named(set), err)
		}
		if answer.OK {
			next := u.those(func(o outdated) bool { return o.node == group[0].node && slices.Contains(answer.OSDs, o.id) })
			if len(next) == 0 {
				return nil, nil, fmt.Errorf("failed to ask whether %s may be stopped: %w: Ceph says yes, and names only %v", named(set), ceph.ErrGarbled, answer.OSDs)
			}
			return next, nil, nil
		}
		refusal = upgrade.Refusal(named(set), answer)
	}
	return nil, refusal, nil
}

// unasked changes one OSD after the other without asking Ceph.
func (u *turn) unasked(ctx context.Context) (int, error) {
	if u.returning() != nil {
		return 0, nil
	}
	return 1, u.change(ctx, u.osds[:1])
}

// returning is an OSD that was changed and is not back yet; nil if there is none.
// One that does not come back is not waited for for ever.
func (u *turn) returning() *outdated {
	for _, name := range slices.Sorted(maps.Keys(u.all)) {
		d := u.all[name]
		id, err := strconv.Atoi(d.Labels[IDLabel])
		changing := slices.ContainsFunc(u.osds, func(o outdated) bool { return o.desired.Name == name })
		if err != nil || changing || u.Clock.Since(daemon.LastChange(d)) >= startTime {
			continue
		}
		if !daemon.Ready(d) || !u.up(id) {
			return &outdated{id: id, node: d.Labels[NodeLabel]}
		}
	}
	return nil
}

func (u *turn) change(ctx context.Context, osds []outdated) error {
	for _, o := range osds {
		if _, err := object.Ensure(ctx, u.Client, o.desired, object.OwnedBy(u.Cluster)); err != nil {
			return fmt.Errorf("failed to update Deployment %s: %w", o.desired.Name, err)
		}
	}
	return nil
}

// groups are the OSDs that are to be changed, by node, the node with the
// smallest id first.
func (u *turn) groups() [][]outdated {
	var groups [][]outdated
	for _, o := range u.osds {
		if n := len(groups); n > 0 && groups[n-1][0].node == o.node {
			groups[n-1] = append(groups[n-1], o)
		} else {
			groups = append(groups, []outdated{o})
		}
	}
	slices.SortStableFunc(groups, func(a, b []outdated) int { return cmp.Compare(a[0].id, b[0].id) })
	return groups
}

// those are the OSDs that are to be changed for which is holds.
func (u *turn) those(is func(outdated) bool) []outdated {
	var some []outdated
	for _, o := range u.osds {
		if is(o) {
			some = append(some, o)
		}
	}
	return some
}

func (u *turn) up(id int) bool {
	i := slices.IndexFunc(u.dump.OSDs, func(o ceph.OSDInfo) bool { return o.ID == id })
	return i >= 0 && u.dump.OSDs[i].Up == 1
}

// absent are the OSDs that do not serve now, or that Ceph may not have missed
// yet: what is stopped is stopped besides them.
func (u *turn) absent() []int {
	var absent []int
	for _, o := range u.dump.OSDs {
		d := u.all[Name(o.ID)]
		changing := slices.ContainsFunc(u.osds, func(c outdated) bool { return c.id == o.ID })
		if gone := o.Up != 1 && o.In != 1; !gone && !changing && (o.Up != 1 || d != nil && !daemon.Ready(d)) {
			absent = append(absent, o.ID)
		}
	}
	return absent
}

// arrivedAt is how many OSDs must be seen to run the new version: those that
// were given the image, whose pods run, and that Ceph takes for up.
func (u *turn) arrivedAt() int {
	n := 0
	for _, o := range u.dump.OSDs {
		d := u.all[Name(o.ID)]
		if o.Up == 1 && d != nil && daemon.Ready(d) && upgrade.Image(d) == u.Cluster.Spec.CephVersion.Image {
			n++
		}
	}
	return n
}

// oldestGiven is the oldest version that an OSD's Deployment has, which is the
// cluster's where none is older.
func oldestGiven(p *pass.Pass, running map[string]*appsv1.Deployment) ceph.Version {
	oldest := p.Version
	for _, d := range running {
		if v, err := ceph.ParseVersion("ceph version " + d.Labels[daemon.CephVersionLabel]); err == nil && v.Less(oldest) {
			oldest = v
		}
	}
	return oldest
}

// tooFew says why Ceph would never let an OSD be stopped; "" if it may.
func (u *turn) tooFew() string {
	nodes := map[string]bool{}
	for _, d := range u.all {
		nodes[d.Labels[NodeLabel]] = true
	}
	switch {
	case len(u.all) < 3:
		return fmt.Sprintf("the cluster has %d of them", len(u.all))
	case len(nodes) == 1:
		return "all OSDs are on one node"
	}
	return ""
}

// blockedSince is since when Ceph lets no OSD be stopped; now if it is asked for
// the first time.
func (u *turn) blockedSince() time.Time {
	c := apimeta.FindStatusCondition(u.Cluster.Status.Conditions, v1.ConditionUpgradeBlocked)
	if c == nil || c.Reason != v1.ReasonNotOkToStop {
		return u.Clock.Now()
	}
	return c.LastTransitionTime.Time
}

func ids(osds []outdated) []int {
	all := make([]int, 0, len(osds))
	for _, o := range osds {
		all = append(all, o.id)
	}
	return all
}

func named(osds []outdated) string {
	names := make([]string, 0, len(osds))
	for _, o := range osds {
		names = append(names, "osd."+strconv.Itoa(o.id))
	}
	return strings.Join(names, ", ")
}
