package mon

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// look notes in the status since when each mon is out of quorum, and returns for
// how long by name. A mon that is in quorum once begins anew; while the mons do
// not answer, nothing is known and nothing changes. What is new is written at
// once, so that a pass that always ends early does not forget it.
func (s *step) look(ctx context.Context) (map[string]time.Duration, error) {
	status, q := s.Cluster.Status.Mon, s.view.quorum
	out := map[string]time.Duration{}
	if status == nil || q == nil {
		return out, nil
	}
	var now []v1.MonOutStatus
	note := func(name string) {
		since := metav1.NewTime(s.Clock.Now().UTC().Truncate(time.Second))
		if i := slices.IndexFunc(status.OutOfQuorum, func(o v1.MonOutStatus) bool { return o.Name == name }); i >= 0 {
			since = status.OutOfQuorum[i].Since
		}
		now = append(now, v1.MonOutStatus{Name: name, Since: since})
		out[name] = s.Clock.Since(since.Time)
	}
	for _, name := range identity.Sorted(s.Identity.Mons) {
		if !q.Has(name) {
			note(name)
		}
	}
	for _, mon := range q.MonMap.Mons {
		if _, recorded := s.Identity.Mons[mon.Name]; !recorded {
			note(mon.Name)
		}
	}
	same := slices.EqualFunc(now, status.OutOfQuorum, func(a, b v1.MonOutStatus) bool { return a.Name == b.Name })
	status.OutOfQuorum = now
	if same || s.SaveStatus == nil {
		return out, nil
	}
	return out, s.SaveStatus(ctx)
}

// membership is what is seen of all mons.
func (s *step) membership(out map[string]time.Duration) membership {
	m := membership{wanted: s.wanted, timeout: s.check.timeout, settled: s.settled()}
	on := map[string]string{} // the first mon on each node
	for _, member := range s.view.members {
		mon := s.Identity.Mons[member.name]
		_, inMap := s.view.quorum.MonMap.Mon(member.name)
		p := peer{
			name: member.name, recorded: true, inMap: inMap, in: s.view.in(member.name), out: out[member.name], since: member.since,
			moved: s.moved[member.name],
		}
		if mon.Node != nil {
			p.gone, p.unfit = s.nodeTrouble(mon)
			p.lost = p.gone != "" || !member.ready
			if other := on[mon.Node.Hostname]; other != "" && !s.multiple() {
				p.shared = fmt.Sprintf("mon %s shares node %s with mon %s, and spec.mon.allowMultiplePerNode is not true", mon.Name, mon.Node.Name, other)
			}
			on[mon.Node.Hostname] = cmp.Or(on[mon.Node.Hostname], mon.Name)
		}
		m.peers = append(m.peers, p)
	}
	for _, mon := range s.view.quorum.MonMap.Mons {
		if _, recorded := s.Identity.Mons[mon.Name]; !recorded {
			_, ours := s.adoptable(mon)
			m.peers = append(m.peers, peer{name: mon.Name, inMap: true, in: s.view.in(mon.Name), out: out[mon.Name], adoptable: ours})
		}
	}
	return m
}

// settled says whether the quorum stands for long enough that a mon which is not
// in it has had its chance, as after all were out.
func (s *step) settled() bool {
	c := apimeta.FindStatusCondition(s.Cluster.Status.Conditions, v1.ConditionMonsInQuorum)
	return c != nil && c.Status == metav1.ConditionTrue && s.Clock.Since(c.LastTransitionTime.Time) >= joinTime
}

// nodeTrouble says in words what is wrong with the node of a mon: that it is
// gone, or that it is not meant for mons. That it is cordoned or not ready is
// neither: it comes back.
func (s *step) nodeTrouble(m pass.Mon) (gone, unfit string) {
	i := s.nodeOf(m)
	if i < 0 {
		if len(s.nodes) == 0 {
			return "", ""
		}
		return fmt.Sprintf("the node %s of mon %s is no longer in Kubernetes", m.Node.Name, m.Name), ""
	}
	n, placement := &s.nodes[i], s.Cluster.Spec.Placement.For(v1.Mon)
	switch matches, err := node.Matches(n, placement); {
	case err == nil && !matches:
		return "", fmt.Sprintf("the node %s of mon %s does not match the node affinity", m.Node.Name, m.Name)
	case node.Repels(n, placement):
		return "", fmt.Sprintf("the node %s of mon %s has a taint that is not tolerated", m.Node.Name, m.Name)
	}
	return "", ""
}

// nodeOf is the place of a mon's node among the nodes, -1 if it is not there.
func (s *step) nodeOf(m pass.Mon) int {
	return slices.IndexFunc(s.nodes, func(n corev1.Node) bool {
		return n.Name == m.Node.Name || node.Hostname(&n) == m.Node.Hostname
	})
}

// multiple says whether several mons may be on one node.
func (s *step) multiple() bool {
	multiple := s.Cluster.Spec.Mon.AllowMultiplePerNode
	return multiple != nil && *multiple
}

// tend does what the plan over the membership says. A nil error lets the pass go
// on.
func (s *step) tend(ctx context.Context) error {
	if s.view.quorum == nil {
		return nil
	}
	out, err := s.look(ctx)
	if err != nil {
		return err
	}
	if s.check.disabled {
		s.tellMembership("", "")
		s.tellSurplus("none is removed, since spec.healthCheck.daemonHealth.mon is disabled")
		return nil
	}
	if err := s.sweep(ctx); err != nil {
		return err
	}
	m := s.membership(out)
	d := m.decide()
	switch d.deed {
	case adopt:
		return s.adopt(ctx, d)
	case disown:
		return s.disown(ctx, d)
	case remove:
		s.tellOf(m, d)
		return s.remove(ctx, d)
	case replace:
		return s.replace(ctx, d)
	}
	s.tellOf(m, d)
	return nil
}

// tellOf keeps the conditions where nothing is started.
func (s *step) tellOf(m membership, d decision) {
	extra := len(m.recorded()) > m.wanted
	switch {
	case d.surplus && d.deed == remove:
		s.tellSurplus("mon " + d.mon + " is removed")
	case d.surplus:
		s.tellSurplus(d.why)
	default:
		s.tellSurplus("")
	}
	switch absent := m.absent(); {
	case d.surplus && d.deed == remove:
		s.tellMembership("", "")
	case d.mon != "" && extra:
		recorded := m.recorded()
		s.tellMembership(v1.ReasonReplacing, replacing(d, recorded[len(recorded)-1].name))
	case d.mon != "":
		s.tellMembership(v1.ReasonNotReplaced, fmt.Sprintf("%s; it is kept: with fewer than %d mons none is replaced", d.why, fewestForFailover))
	case absent != "" && m.timeout == 0:
		s.tellMembership(v1.ReasonNotReplaced, absent+"; none is replaced, since the time-out is 0")
	case absent != "":
		s.tellMembership(v1.ReasonOutOfQuorum, fmt.Sprintf("%s; one that is out for %s is replaced", absent, m.timeout))
	default:
		s.tellMembership("", "")
	}
}

// replacing is what is told as long as a mon takes the place of another.
func replacing(d decision, by string) string {
	return fmt.Sprintf("%s; mon %s takes its place", d.why, by)
}

// tellMembership keeps the condition about mons that are to be replaced; an empty
// reason takes it away. What a person should act on is an event and a line of the
// log, once (B11).
func (s *step) tellMembership(reason, message string) {
	if reason == "" {
		apimeta.RemoveStatusCondition(&s.Cluster.Status.Conditions, v1.ConditionMonFailover)
		return
	}
	if !condition(s.Pass, v1.ConditionMonFailover, metav1.ConditionTrue, reason, message) {
		return
	}
	s.Log.Warningf("cluster in namespace %s: %s", s.Cluster.Namespace, message)
	if reason != v1.ReasonOutOfQuorum {
		s.Events.Event(s.Cluster, door.Warning, v1.ConditionMonFailover, message)
	}
}

// tellSurplus says that more mons run than are asked for, and what becomes of
// them; "" that there are none.
func (s *step) tellSurplus(what string) {
	have, want := len(s.Identity.Mons), s.wanted
	if have <= want || what == "" {
		apimeta.RemoveStatusCondition(&s.Cluster.Status.Conditions, v1.ConditionSurplusMons)
		return
	}
	condition(s.Pass, v1.ConditionSurplusMons, metav1.ConditionTrue, v1.ReasonAsExpected,
		fmt.Sprintf("%d mons run and spec.mon.count is %d: %s", have, want, what))
}

// adoptable says whether a mon that is not recorded runs from a Deployment of
// this cluster, at the address that the monmap has, and how it is recorded then.
func (s *step) adoptable(mon ceph.MonInfo) (pass.Mon, bool) {
	d := s.deployments[mon.Name]
	if _, ok := identity.MonID(mon.Name); d == nil || !ok || d.DeletionTimestamp != nil || !s.view.in(mon.Name) || !object.Owns(object.OwnedBy(s.Cluster), d) {
		return pass.Mon{}, false
	}
	found, ok := identity.FromDeployment(d)
	if !ok || found.Endpoint != mon.Endpoint("v1") || found.Node == nil {
		return pass.Mon{}, false
	}
	if i := s.nodeOf(found); i >= 0 {
		found.Node = describe(&s.nodes[i])
	}
	return found, true
}
