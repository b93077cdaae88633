package mon

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestMonsStartOneAtATime(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3")...)
	s.waits("mon a to join the quorum")
	if got := s.deployments(); got != "a" {
		t.Fatalf("mons %s", got)
	}
	// S93: address, record, configuration, then the Deployment.
	var order []string
	for _, w := range s.Writes {
		for _, part := range []string{"create *v1.Service", "update *v1.ConfigMap rook-ceph-mon-endpoints", "update *v1.ConfigMap rook-ceph-config", "create *v1.Deployment"} {
			if strings.HasPrefix(w, part) {
				order = append(order, part)
			}
		}
	}
	want := []string{"create *v1.Service", "update *v1.ConfigMap rook-ceph-mon-endpoints", "update *v1.ConfigMap rook-ceph-config", "create *v1.Deployment"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(s.Files["/var/lib/rook/rook-ceph/rook-ceph.config"].Data), "v1:10.200.0.1:6789\n") {
		t.Error("the operator's configuration lacks the mon")
	}
	s.waits("mons a to reach quorum")
	s.runs("a")
	s.waits("mons a to reach quorum")
	s.monmap, s.quorum = "a", "a"
	s.waits("mon b to join the quorum")
	s.runs("ab")
	if s.waits("mons a, b to reach quorum"); s.deployments() != "ab" {
		t.Fatalf("mons %s", s.deployments())
	}
	s.monmap, s.quorum = "ab", "ab"
	s.waits("mon c to join the quorum")
	s.monmap, s.quorum = "abc", "abc"
	s.runs("abc")
	p := s.done()
	if c := apimeta.FindStatusCondition(p.Cluster.Status.Conditions, v1.ConditionMonsInQuorum); c == nil || c.Status != metav1.ConditionTrue || c.Message != "mons a, b, c are in quorum" {
		t.Errorf("%v", c)
	}
	wantData := map[string]string{
		"data":     "a=10.200.0.1:6789,b=10.200.0.2:6789,c=10.200.0.3:6789",
		"maxMonId": "2",
		"mapping":  `{"node":{"a":{"Name":"n1","Hostname":"n1-host","Address":"192.168.72.1"},"b":{"Name":"n2","Hostname":"n2-host","Address":"192.168.72.1"},"c":{"Name":"n3","Hostname":"n3-host","Address":"192.168.72.1"}},"port":{}}`,
	}
	if diff := cmp.Diff(wantData, s.recorded()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestAPassWithNothingToDoWritesNothing(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3")...)
	s.up("abc")
	s.done()
	if len(s.Writes) > 0 || len(s.Commands) != 1 || !strings.HasPrefix(s.Commands[0], "ceph mon_status --connect-timeout=15 --cluster=rook-ceph --conf=/var/lib/rook/rook-ceph/rook-ceph.config --keyring=/var/lib/rook/rook-ceph/client.admin.keyring --format json --out-file /tmp/") {
		t.Errorf("writes %v, commands %q", s.Writes, s.Commands)
	}
}

// Any effect may be the last: after a crash at any write the next passes end
// with the same mons, and no id is lost or given out twice.
func TestACrashAtAnyWrite(t *testing.T) {
	crash := errors.New("crash")
	for at := 0; ; at++ {
		s := newSea(t, mimic, 1, nodes("n1")...)
		count, refuse := 0, s.Refuse
		crashed := false
		s.Refuse = func(verb string, o client.Object, name string) error {
			if verb != "get" && verb != "list" {
				if count == at && !crashed {
					crashed = true
					return crash
				}
				count++
			}
			return refuse(verb, o, name)
		}
		p := &pass.Pass{Doors: s.Doors(), Settings: pass.Settings{ConfigDir: "/var/lib/rook"}, Cluster: s.cluster, Version: mimic}
		err := identity.Reconcile(t.Context(), p)
		if err == nil {
			err = Reconcile(t.Context(), p)
		}
		if !crashed {
			if at < 10 {
				t.Fatalf("only %d writes", at)
			}
			return
		}
		if !errors.Is(err, crash) {
			t.Fatalf("crash at write %d: %v", at, err)
		}
		s.waits("a to")
		s.monmap, s.quorum = "a", "a"
		s.runs("a")
		s.done()
		if data := s.recorded(); data["data"] != "a=10.200.0.1:6789" && data["data"] != "a=10.200.0.2:6789" || data["maxMonId"] != "0" {
			t.Errorf("crash at write %d: %v", at, data)
		}
	}
}

func TestADeadMonIsNoHindrance(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3")...)
	s.up("abc")
	s.stops("c")
	s.quorum = "ab"
	p := s.done()
	c := apimeta.FindStatusCondition(p.Cluster.Status.Conditions, v1.ConditionMonsInQuorum)
	if c.Status != metav1.ConditionTrue || !strings.HasPrefix(c.Message, "mons a, b are in quorum, c out") {
		t.Errorf("%v", c)
	}
	s.cluster.Spec.Mon.Count = 5
	for _, o := range nodes("n4", "n5") {
		if err := s.Kube.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	p = s.done()
	if pending := p.Pending(); len(pending) != 1 || !strings.Contains(pending[0].Error(), "mon c to join the quorum before mon d is started") {
		t.Errorf("%v", pending)
	}
	s.quorum = ""
	s.waits("mons a, b, c to reach quorum, of which a, b, c are out; exceeded max retry count waiting for monitors to reach quorum")
}

func TestAChangeReachesOneMonAtATime(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3")...)
	s.up("abc")
	s.cluster.Spec.CephVersion.Image = "ceph/ceph:v2"
	s.versions = map[string]int{"ceph version " + mimic.Number() + " (x) mimic (stable)": 3}
	changed := func() (names string) {
		for _, name := range "abc" {
			if s.deployment(string(name)).Spec.Template.Spec.Containers[0].Image == "ceph/ceph:v2" {
				names += string(name)
			}
		}
		return names
	}
	s.waits("mon a to be back in quorum after its change")
	s.stops("a")
	s.quorum = "bc"
	s.waits("the other mons to be in quorum before mon b is changed")
	s.runs("a") // and is not back in quorum yet
	s.waits("the other mons to be in quorum before mon b is changed")
	if got := changed(); got != "a" {
		t.Fatalf("changed %s", got)
	}
	s.quorum = "abc"
	s.waits("the other mons to be in quorum before mon b is changed") // it may be in it from before
	s.Clock.SetTime(s.Clock.Now().Add(leaseTime))
	s.waits("mon b to be back in quorum after its change")
	s.waits("mon c to be back in quorum after its change")
	s.done()
	if !s.Logged("I deployment for mon rook-ceph-mon-a already exists. updating if needed") {
		t.Errorf("%q", s.Lines)
	}
}

func TestWhatIsGoneIsMadeAgain(t *testing.T) {
	s := newSea(t, mimic, 1, nodes("n1")...)
	s.up("a")
	for _, o := range []client.Object{&corev1.Service{}, &appsv1.Deployment{}} {
		if err := s.Kube.Delete(t.Context(), doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", o)); err != nil {
			t.Fatal(err)
		}
	}
	s.quorum = ""
	s.waits("mons a to reach quorum")
	if ip := doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", &corev1.Service{}).Spec.ClusterIP; ip != "10.200.0.1" || s.deployments() != "a" {
		t.Errorf("address %s, mons %s", ip, s.deployments())
	}
}

func TestAServiceWithAnotherAddressIsTold(t *testing.T) {
	s := newSea(t, mimic, 1, nodes("n1")...)
	s.up("a")
	service := doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", &corev1.Service{})
	service.Spec.ClusterIP = "10.200.0.99"
	if err := s.Kube.Update(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	s.done()
	c := apimeta.FindStatusCondition(s.cluster.Status.Conditions, v1.ConditionMonFailover)
	if c == nil || c.Reason != v1.ReasonNotReplaced || !strings.HasPrefix(c.Message, "service rook-ceph-mon-a has the address 10.200.0.99, but mon a is recorded at 10.200.0.1") {
		t.Errorf("%+v", c)
	}
	if got := doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", &corev1.Service{}).Spec.ClusterIP; got != "10.200.0.99" || s.recorded()["data"] != "a=10.200.0.1:6789" {
		t.Errorf("service %s, recorded %s", got, s.recorded()["data"])
	}
}

func TestTooFewNodesStartNoMon(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2")...)
	if _, err := s.pass(); err == nil || !strings.Contains(err.Error(), "no nodes available for mon placement: 3 mons are wanted and 2 nodes fit") {
		t.Errorf("got %v", err)
	}
	if got := s.deployments(); got != "" {
		t.Errorf("mons %s", got)
	}
}

func TestNoRoomForOneMoreLeavesTheOthersLookedAfter(t *testing.T) {
	s := newSea(t, mimic, 1, nodes("n1")...)
	s.up("a")
	s.cluster.Spec.Mon.Count = 2
	if err := s.Kube.Delete(t.Context(), doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", &appsv1.Deployment{})); err != nil {
		t.Fatal(err)
	}
	s.pass()
	if got := s.deployments(); got != "a" {
		t.Errorf("mons %q", got)
	}
}

func TestHostNetworkUsesTheNodesAddress(t *testing.T) {
	s := newSea(t, mimic, 1, nodes("n1")...)
	s.cluster.Spec.Network.HostNetwork = true
	s.waits("mon a to join the quorum")
	if got := s.recorded()["data"]; got != "a=192.168.72.1:6789" {
		t.Errorf("recorded %s", got)
	}
	if !s.Logged("I setting mon endpoints for hostnetwork mode") || slices.ContainsFunc(s.Writes, func(w string) bool { return strings.Contains(w, "Service") }) {
		t.Errorf("%q, %q", s.Lines, s.Writes)
	}
}

func TestTheHostPathOfAnotherClusterIsLeftAlone(t *testing.T) {
	theirs := deployment(seedPass(), on("a", "n1"))
	theirs.Namespace = "other-ns"
	theirs.OwnerReferences = []metav1.OwnerReference{{Kind: "CephCluster", Name: "their-ceph", UID: "x"}}
	s := newSea(t, mimic, 1, append(nodes("n1"), theirs)...)
	_, err := s.pass()
	var refused *pass.Refused
	if !errors.As(err, &refused) || refused.Reason != v1.ReasonHostPathInUse {
		t.Fatalf("got %v", err)
	}
	for _, part := range []string{"CephCluster rook-ceph/my-ceph", "CephCluster other-ns/their-ceph", "/var/lib/rook/mon-a/data", "n1-host"} {
		if !strings.Contains(refused.Message, part) {
			t.Errorf("%q lacks %q", refused.Message, part)
		}
	}
	s.cluster.Spec.DataDirHostPath = "/data/two"
	s.waits("mon a to join the quorum")
}

func TestAnswersThatAreNoQuorum(t *testing.T) {
	s := newSea(t, octopus, 1, nodes("n1")...)
	s.msgr2 = true
	s.up("a")
	s.fails["quorum_status"] = doortest.Exit(22, "Error EINVAL: unrecognized command")
	if _, err := s.pass(); err == nil || errors.Is(err, ceph.ErrUnreachable) || !strings.HasPrefix(err.Error(), "failed to get mon status. ") {
		t.Errorf("B23: got %v", err)
	}
	delete(s.fails, "quorum_status")
	s.fsid = "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"
	if _, err := s.pass(); err == nil || !strings.Contains(err.Error(), "belong to the cluster with fsid "+s.fsid) {
		t.Errorf("foreign mons: got %v", err)
	}
}
