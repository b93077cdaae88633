package mon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

// Reconcile brings the mons nearer to what the spec asks for. It returns nil
// when all are started and a majority is in quorum.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	s, err := observe(ctx, p)
	if err != nil {
		return err
	}
	if err := s.place(ctx); err != nil {
		return err
	}
	if err := s.askQuorum(ctx); err != nil {
		return err
	}
	s.tellQuorum(ctx)
	if err := s.budget(ctx); err != nil {
		return err
	}
	// Before the running ones are changed, since a dead one keeps them from it.
	if err := s.tend(ctx); err != nil {
		return err
	}
	if err := s.keepRunning(ctx); err != nil {
		return err
	}
	if s.waits != nil {
		return s.waits
	}
	if err := s.grow(ctx); err != nil {
		return err
	}
	if err := ensureMsgr2(ctx, p, *s.view.quorum); err != nil {
		return err
	}
	return forbidReclaim(ctx, p)
}

// step is one pass over the mons.
type step struct {
	*pass.Pass
	check check
	// wanted is how many mons are worked towards.
	wanted      int
	nodes       []corev1.Node
	deployments map[string]*appsv1.Deployment // by mon
	services    map[string]*corev1.Service    // by mon
	// moved says of a mon, in words, that its address is not the recorded one any
	// more.
	moved map[string]string
	view  view
	// waits is why the pass ends once all recorded mons have been started; nil if
	// it goes on.
	waits error
	// next are the mons that are still to be started, with their nodes.
	next []pass.Mon
	// noRoom says why there are no nodes for them.
	noRoom error
}

func observe(ctx context.Context, p *pass.Pass) (*step, error) {
	s := &step{
		Pass: p, check: checkOf(&p.Cluster.Spec, p.Settings), moved: map[string]string{},
		deployments: map[string]*appsv1.Deployment{}, services: map[string]*corev1.Service{},
	}
	if !s.check.disabled {
		p.LookAgain(s.check.every)
	}
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("failed to list nodes. %w", err)
	}
	s.nodes = nodes.Items
	s.wanted = target(&p.Cluster.Spec, s.nodes, len(p.Identity.Mons))
	if p.Cluster.Status.Mon != nil {
		p.Cluster.Status.Mon.Count = s.wanted
	}
	var existing appsv1.DeploymentList
	if err := p.Client.List(ctx, &existing, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels{daemon.AppLabel: identity.MonApp}); err != nil {
		return nil, fmt.Errorf("failed to list mon deployments. %w", err)
	}
	for i := range existing.Items {
		s.deployments[existing.Items[i].Labels[daemon.IDLabel]] = &existing.Items[i]
	}
	var services corev1.ServiceList
	if err := p.Client.List(ctx, &services, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels{daemon.AppLabel: identity.MonApp}); err != nil {
		return nil, fmt.Errorf("failed to list mon services. %w", err)
	}
	for i := range services.Items {
		s.services[services.Items[i].Labels[daemon.IDLabel]] = &services.Items[i]
	}
	s.view.wanted = s.wanted
	for _, name := range identity.Sorted(p.Identity.Mons) {
		s.view.members = append(s.view.members, s.member(name))
		if why := s.elsewhere(p.Identity.Mons[name]); why != "" {
			s.moved[name] = why
		}
	}
	return s, nil
}

func (s *step) member(name string) member {
	m := member{name: name}
	d := s.deployments[name]
	if d == nil {
		return m
	}
	m.ready = daemon.Ready(d)
	m.since = s.Clock.Since(daemon.LastChange(d))
	return m
}

// place gives every mon a node: the recorded ones that have none, and those that
// are still to be started, all before the first of them starts (S88). That there
// is no room for new ones is kept for grow: the others are looked after.
func (s *step) place(ctx context.Context) error {
	recorded := s.Identity.Mons
	var homeless, fresh []string
	for _, name := range identity.Sorted(recorded) {
		if recorded[name].Node == nil {
			homeless = append(homeless, name)
		}
	}
	for i := len(recorded); i < s.wanted; i++ {
		fresh = append(fresh, identity.MonName(s.Identity.MaxMonID+1+i-len(recorded)))
	}
	if len(homeless)+len(fresh) == 0 {
		return nil // nobody asks for a node, so that it does not matter what there is (B07)
	}
	a := s.assignment()
	found, err := a.assign(recorded, homeless)
	if err != nil {
		return err
	}
	for _, name := range homeless {
		m := recorded[name]
		m.Node = found[name]
		recorded[name] = m
	}
	chosen, err := a.assign(recorded, fresh)
	s.noRoom = err
	for _, name := range fresh {
		s.next = append(s.next, pass.Mon{Name: name, Node: chosen[name]})
	}
	if len(homeless) == 0 {
		return nil
	}
	return identity.SaveMons(ctx, s.Pass)
}

func (s *step) assignment() assignment {
	return assignment{nodes: s.nodes, placement: s.Cluster.Spec.Placement.For(v1.Mon), multiple: s.multiple(), host: s.Cluster.Spec.Network.IsHost(), wanted: s.wanted}
}

// askQuorum asks the mons who is in quorum, if any runs. That they do not answer
// is no error; an answer that cannot be read is (B23).
func (s *step) askQuorum(ctx context.Context) error {
	running := false
	for _, m := range s.view.members {
		running = running || m.ready
	}
	if !running {
		return nil
	}
	q, err := s.Ceph.Quorum(ctx)
	switch {
	case errors.Is(err, ceph.ErrUnreachable):
		s.Log.Debugf("the mons of namespace %s do not answer: %v", s.Cluster.Namespace, err)
		return nil
	case err != nil:
		return fmt.Errorf("failed to get mon status. %w", err)
	case q.MonMap.FSID != s.Identity.FSID:
		return fmt.Errorf("the mons that answer belong to the cluster with fsid %s, and not to this one with fsid %s", q.MonMap.FSID, s.Identity.FSID)
	}
	s.view.quorum = &q
	return nil
}

// keepRunning makes sure that each recorded mon has its Service and Deployment.
func (s *step) keepRunning(ctx context.Context) error {
	for _, name := range identity.Sorted(s.Identity.Mons) {
		m := s.Identity.Mons[name]
		if s.moved[name] == "" {
			_, err := address(ctx, s.Pass, m)
			switch {
			case err != nil && s.view.quorum != nil && !s.view.in(name):
				// It is replaced in time; the others need not wait for that.
				s.Later(pass.WaitFor(v1.ReasonFailed, 0, "mon %s to have its address: %v", name, err))
			case err != nil:
				return err
			}
		}
		if err := s.start(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// start creates or changes the Deployment of a mon that is recorded (S94). After
// a change of one that was running, the pass ends until it runs again.
func (s *step) start(ctx context.Context, m pass.Mon) error {
	desired := deployment(s.Pass, m)
	desired.OwnerReferences = []metav1.OwnerReference{object.OwnedBy(s.Cluster)}
	existing := s.deployments[m.Name]
	if existing == nil {
		if err := pathConflict(ctx, s.Pass, m); err != nil {
			return err
		}
		s.Log.Debugf("Starting mon: %s", desired.Name)
		if _, err := object.Ensure(ctx, s.Client, desired, object.OwnedBy(s.Cluster)); err != nil {
			return fmt.Errorf("failed to create mon deployment %s. %w", desired.Name, err)
		}
		return nil
	}
	if object.UpToDate(existing, desired) {
		return nil
	}
	if from := existing.Spec.Template.Spec.NodeSelector[daemon.HostnameLabel]; from != m.Node.Hostname && from != "" && !s.view.spares(m.Name) {
		return pass.Refuse(v1.ReasonFailed,
			"ConfigMap %s/%s has mon %s on node %s, but it runs on node %s, where its data is; it would start empty, and no other mons in quorum have the data: correct the ConfigMap's %q, or see to it that the other mons are in quorum",
			s.Cluster.Namespace, identity.EndpointsName, m.Name, m.Node.Hostname, from, "mapping")
	}
	if !s.view.mayChange(m.Name) {
		return pass.WaitFor(v1.ReasonWaiting, 0, "the other mons to be in quorum before mon %s is changed%s", m.Name, s.troubles(ctx))
	}
	if upgrade.OnTheWay(existing, desired) && s.view.in(m.Name) {
		if err := upgrade.MayStop(ctx, s.Pass, upgrade.Mon, m.Name); err != nil {
			return err
		}
	}
	s.Log.Infof("deployment for mon %s already exists. updating if needed", desired.Name)
	if _, err := object.Ensure(ctx, s.Client, desired, object.OwnedBy(s.Cluster)); err != nil {
		return fmt.Errorf("failed to update mon deployment %s. %w", desired.Name, err)
	}
	return pass.WaitFor(v1.ReasonWaiting, 0, "mon %s to be back in quorum after its change", m.Name)
}

// tellQuorum says in the condition who is in quorum, and notes what is waited for:
// a majority, and a new mon that has not had its time to join (S95-S98, Settled
// 23). The condition does not wait for what the pass does next: since when there
// is a quorum decides about the replacement of a mon that is out.
func (s *step) tellQuorum(ctx context.Context) {
	if len(s.view.members) == 0 {
		return
	}
	var all []string
	for _, m := range s.view.members {
		all = append(all, m.name)
	}
	out := strings.Join(s.view.out(), ", ")
	if s.view.unsettled() {
		s.LookAgain(settleTime)
	}
	is := func(status metav1.ConditionStatus, reason, format string, args ...any) {
		condition(s.Pass, v1.ConditionMonsInQuorum, status, reason, fmt.Sprintf(format, args...))
	}
	switch s.view.judge() {
	case noMajority:
		message := fmt.Sprintf("mons %s to reach quorum, of which %s are out%s", strings.Join(all, ", "), out, s.troubles(ctx))
		if s.view.patient() {
			message += "; exceeded max retry count waiting for monitors to reach quorum"
		}
		is(metav1.ConditionFalse, v1.ReasonWaiting, "waiting for %s", message)
		s.waits = pass.WaitFor(v1.ReasonWaiting, 0, "%s", message)
	case joining:
		is(metav1.ConditionTrue, v1.ReasonWaiting, "mons %s are in quorum", strings.Join(s.view.quorum.Names(), ", "))
		s.waits = pass.WaitFor(v1.ReasonWaiting, 0, "mon %s to join the quorum%s", out, s.troubles(ctx))
	case partial:
		is(metav1.ConditionTrue, v1.ReasonWaiting, "mons %s are in quorum, %s out%s", strings.Join(s.view.quorum.Names(), ", "), out, s.troubles(ctx))
	case complete:
		is(metav1.ConditionTrue, v1.ReasonAsExpected, "mons %s are in quorum", strings.Join(all, ", "))
	}
}

// troubles tells, for a message, what keeps those mons from running that are out.
func (s *step) troubles(ctx context.Context) string {
	var text strings.Builder
	for _, name := range s.view.out() {
		trouble, err := daemon.Trouble(ctx, s.Doors, s.Cluster.Namespace, labels(s.Cluster.Namespace, name))
		if err == nil && trouble != "" {
			text.WriteString("; " + trouble)
		}
		if moved := s.moved[name]; moved != "" {
			text.WriteString("; " + moved)
		}
	}
	return text.String()
}

// grow starts the next mon, if one is missing and all before it are in quorum
// (S89, S93). What it needs to be found again is recorded before it starts.
func (s *step) grow(ctx context.Context) error {
	if s.noRoom != nil {
		return s.noRoom
	}
	if len(s.next) == 0 {
		return nil
	}
	m := s.next[0]
	if out := s.view.out(); len(out) > 0 {
		s.Later(pass.WaitFor(v1.ReasonWaiting, 0, "mon %s to join the quorum before mon %s is started%s", strings.Join(out, ", "), m.Name, s.troubles(ctx)))
		return nil
	}
	return s.launch(ctx, m)
}
