package mon

import (
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// replace starts another mon in the place of one that has failed or is in a bad
// place, if there is a node for it; otherwise that one is kept (B11). The old one
// goes when the new one is in quorum: then there are more mons than wanted, and
// that is all a restarted operator needs to find.
func (s *step) replace(ctx context.Context, d decision) error {
	id := s.Identity.MaxMonID + 1
	var none error
	for _, candidate := range append([]decision{d}, d.others...) {
		old := s.Identity.Mons[candidate.mon]
		fresh := identity.MonName(id)
		chosen, err := s.assignment().assign(s.Identity.Mons, []string{fresh})
		if err != nil && s.leavesRoom(old) {
			others := maps.Clone(s.Identity.Mons)
			delete(others, old.Name)
			chosen, err = s.assignment().assign(others, []string{fresh})
		}
		if err != nil {
			if none == nil {
				none = err
			}
			continue
		}
		s.tellSurplus("")
		s.tellMembership(v1.ReasonReplacing, replacing(candidate, fresh))
		s.Log.Infof("starting new mon %s on node %s in the place of mon %s", fresh, chosen[fresh].Name, candidate.mon)
		return s.launch(ctx, pass.Mon{Name: fresh, Node: chosen[fresh]})
	}
	s.tellSurplus("")
	s.tellMembership(v1.ReasonNoNode, fmt.Sprintf("%s; it is kept, since there is no node for another: %v", d.why, none))
	return nil
}

// leavesRoom says whether the node of a mon that goes may be the new one's as
// well, where no other is free: not if the old one works, and not if they would
// share the node's address.
func (s *step) leavesRoom(old pass.Mon) bool {
	return !s.view.in(old.Name) && !s.Cluster.Spec.Network.IsHost()
}

// launch starts a mon. What is needed to find it again is recorded before it
// starts (S93).
func (s *step) launch(ctx context.Context, m pass.Mon) error {
	if err := pathConflict(ctx, s.Pass, m); err != nil {
		return err
	}
	ip, err := address(ctx, s.Pass, m)
	if err != nil {
		return err
	}
	m.Endpoint = hostPort(ip, identity.DefaultMonPort)
	id, _ := identity.MonID(m.Name)
	s.Identity.MaxMonID = max(s.Identity.MaxMonID, id)
	if err := s.record(ctx, func(mons map[string]pass.Mon) { mons[m.Name] = m }); err != nil {
		return err
	}
	if err := s.start(ctx, m); err != nil {
		return err
	}
	return pass.WaitFor(v1.ReasonWaiting, 0, "mon %s to join the quorum", m.Name)
}

// record changes the list of mons, in Kubernetes, for the daemons and for the
// operator's own commands.
func (s *step) record(ctx context.Context, change func(mons map[string]pass.Mon)) error {
	change(s.Identity.Mons)
	if err := identity.SaveMons(ctx, s.Pass); err != nil {
		return err
	}
	return identity.WriteFiles(ctx, s.Pass)
}

// remove removes a mon: from Ceph, from the record, then its Deployment and its
// Service. After a crash in between, one that is gone from Ceph is still one too
// many and out of quorum, and is removed again; one that is no longer recorded is
// swept up.
func (s *step) remove(ctx context.Context, d decision) error {
	old := s.Identity.Mons[d.mon]
	s.Log.Infof("ensuring removal of unhealthy or surplus monitor %s: %s", d.mon, d.why)
	if err := s.Ceph.MonRemove(ctx, d.mon); err != nil {
		return fmt.Errorf("failed to remove mon %s from quorum. %w", d.mon, err)
	}
	if err := s.record(ctx, func(mons map[string]pass.Mon) { delete(mons, d.mon) }); err != nil {
		return err
	}
	if err := s.clear(ctx, d.mon); err != nil {
		return err
	}
	where := "its node"
	if old.Node != nil {
		where = "node " + old.Node.Name
	}
	message := fmt.Sprintf("removed mon %s: %s; its data stays in %s on %s and may be deleted", d.mon, d.why, dataHostPath(s.Cluster.Spec.DataDirHostPath, d.mon), where)
	s.Log.Infof("cluster in namespace %s: %s", s.Cluster.Namespace, message)
	s.Events.Event(s.Cluster, door.Normal, "MonRemoved", message)
	s.forget(d.mon)
	s.LookAgain(settleTime)
	return nil
}

// forget takes a mon that was removed out of what this pass has seen. The mons
// elect anew, so that what is left of the quorum is known only at the next one.
func (s *step) forget(name string) {
	s.view.members = slices.DeleteFunc(s.view.members, func(m member) bool { return m.name == name })
	q := *s.view.quorum
	gone, inMap := q.MonMap.Mon(name)
	if inMap {
		q.MonMap.Mons = slices.DeleteFunc(slices.Clone(q.MonMap.Mons), func(m ceph.MonInfo) bool { return m.Name == name })
		q.Ranks = slices.DeleteFunc(slices.Clone(q.Ranks), func(rank int) bool { return rank == gone.Rank })
	}
	s.view.quorum = &q
	delete(s.deployments, name)
	if status := s.Cluster.Status.Mon; status != nil {
		status.OutOfQuorum = slices.DeleteFunc(status.OutOfQuorum, func(o v1.MonOutStatus) bool { return o.Name == name })
	}
}

// clear deletes the Deployment and the Service of a mon.
func (s *step) clear(ctx context.Context, name string) error {
	meta := metav1.ObjectMeta{Namespace: s.Cluster.Namespace, Name: resourceName(name)}
	for _, o := range []client.Object{&appsv1.Deployment{ObjectMeta: meta}, &corev1.Service{ObjectMeta: meta}} {
		if _, err := object.Delete(ctx, s.Client, o, object.OwnedBy(s.Cluster)); err != nil {
			return fmt.Errorf("failed to remove what belongs to mon %s. %w", name, err)
		}
	}
	return nil
}

// adopt records a mon that is in Ceph's monmap and runs from our Deployment
// (B04).
func (s *step) adopt(ctx context.Context, d decision) error {
	info, _ := s.view.quorum.MonMap.Mon(d.mon)
	m, _ := s.adoptable(info)
	s.Log.Warningf("cluster in namespace %s: %s, and is not recorded: taken in again at %s", s.Cluster.Namespace, d.why, m.Endpoint)
	id, _ := identity.MonID(d.mon)
	s.Identity.MaxMonID = max(s.Identity.MaxMonID, id)
	if err := s.record(ctx, func(mons map[string]pass.Mon) { mons[m.Name] = m }); err != nil {
		return err
	}
	return pass.WaitFor(v1.ReasonWaiting, 0, "another look at the mons, now that mon %s is recorded", d.mon)
}

// disown takes a mon that is nobody's out of the monmap.
func (s *step) disown(ctx context.Context, d decision) error {
	message := d.why + ": removed from the monmap"
	s.Log.Warningf("cluster in namespace %s: %s", s.Cluster.Namespace, message)
	s.Events.Event(s.Cluster, door.Warning, "ForeignMonRemoved", message)
	if err := s.Ceph.MonRemove(ctx, d.mon); err != nil {
		return fmt.Errorf("failed to remove mon %s from quorum. %w", d.mon, err)
	}
	s.forget(d.mon)
	s.LookAgain(settleTime)
	return nil
}

// sweep deletes what is left of mons that neither the record nor Ceph knows: the
// operator has died while it removed them. What has been made just now is left,
// since the record of it may not have come to our eyes yet.
func (s *step) sweep(ctx context.Context) error {
	left := map[string]bool{}
	look := func(o client.Object) {
		name := o.GetLabels()[daemon.IDLabel]
		id, ok := identity.MonID(name)
		_, recorded := s.Identity.Mons[name]
		_, inMap := s.view.quorum.MonMap.Mon(name)
		// A Service for the next mon that was not started after all, since fewer are
		// wanted by now.
		unstarted := s.deployments[name] == nil && len(s.next) == 0
		young := s.Clock.Since(o.GetCreationTimestamp().Time) < joinTime
		if ok && !recorded && !inMap && !young && (id <= s.Identity.MaxMonID || unstarted) && object.Owns(object.OwnedBy(s.Cluster), o) {
			left[name] = true
		}
	}
	for _, d := range s.deployments {
		look(d)
	}
	for _, service := range s.services {
		look(service)
	}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		s.Log.Infof("mon %s of namespace %s was removed; deleting what is left of it", name, s.Cluster.Namespace)
		if err := s.clear(ctx, name); err != nil {
			return err
		}
		delete(s.deployments, name)
	}
	return nil
}
