package mon

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

// sea is a world with a Ceph whose monmap and quorum a test sets.
type sea struct {
	*doortest.World
	t *testing.T
	// monmap and quorum are names of mons, a letter each; an empty quorum does
	// not answer.
	monmap, quorum string
	msgr2          bool
	running        ceph.Version
	versions       map[string]int
	// fails answers a command, by its first two words, with an error.
	fails map[string]error
	// fsid is what the mons say, if not the cluster's own.
	fsid    string
	cluster *v1.CephCluster
}

func newSea(t *testing.T, v ceph.Version, count int, objects ...client.Object) *sea {
	s := &sea{World: doortest.New(t, objects...), t: t, running: v, fails: map[string]error{}}
	s.cluster = &v1.CephCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"},
		Spec: v1.ClusterSpec{
			CephVersion: v1.CephVersionSpec{Image: "ceph/ceph:v1"}, DataDirHostPath: "/var/lib/rook", Mon: v1.MonSpec{Count: count},
		},
	}
	s.Programs["ceph"] = s.ceph
	s.Programs["ceph-authtool"] = func(args []string) (string, error) {
		return "", s.Files.WriteFile(args[1], []byte("["+args[4]+"]\n\tkey = AQ==\n"), 0o600)
	}
	next := 0
	refuse := s.Refuse
	s.Refuse = func(verb string, o client.Object, name string) error {
		if service, ok := o.(*corev1.Service); ok && verb == "create" && service.Spec.ClusterIP == "" {
			next++
			service.Spec.ClusterIP = fmt.Sprintf("10.200.0.%d", next)
		}
		if refuse != nil {
			return refuse(verb, o, name)
		}
		return nil
	}
	return s
}

func (s *sea) ceph(args []string) (string, error) {
	what := strings.Join(args[:min(2, len(args))], " ")
	if err, ok := s.fails[args[0]]; ok {
		return "", err
	}
	if err, ok := s.fails[what]; ok {
		return "", err
	}
	if what == "mon enable-msgr2" {
		s.msgr2 = true
		return "", nil
	}
	var answer any
	switch {
	case s.quorum == "":
		return "", doortest.Exit(1, "timed out\n")
	case args[0] == "mon_status", args[0] == "quorum_status":
		answer = s.status()
	case args[0] == "version":
		answer = map[string]string{"version": "ceph version " + s.running.Number() + " (x) name (stable)"}
	case args[0] == "versions":
		answer = map[string]any{"mon": s.versions, "overall": s.versions}
	default:
		s.t.Errorf("unexpected command %q", args)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return "", err
	}
	return "", s.Files.WriteFile(args[slices.Index(args, "--out-file")+1], text, 0o600)
}

func (s *sea) status() map[string]any {
	var mons []any
	ranks := []int{}
	for rank, name := range s.monmap {
		vector := []any{map[string]any{"type": "v1", "addr": "10.200.0.1:6789", "nonce": 0}}
		if s.msgr2 {
			vector = append(vector, map[string]any{"type": "v2", "addr": "10.200.0.1:3300", "nonce": 0})
		}
		mons = append(mons, map[string]any{"rank": rank, "name": string(name), "addr": "10.200.0.1:6789/0", "public_addrs": map[string]any{"addrvec": vector}})
		if strings.ContainsRune(s.quorum, name) {
			ranks = append(ranks, rank)
		}
	}
	stored := doortest.Get(s.t, s.World, "rook-ceph", identity.SecretName, &corev1.Secret{})
	fsid := string(stored.Data["fsid"])
	if s.fsid != "" {
		fsid = s.fsid
	}
	return map[string]any{"quorum": ranks, "monmap": map[string]any{"fsid": fsid, "mons": mons}}
}

// pass runs identity and mons once.
func (s *sea) pass() (*pass.Pass, error) {
	p := &pass.Pass{
		Doors:    s.Doors(),
		Settings: pass.Settings{ConfigDir: "/var/lib/rook", EtcCephDir: "/etc/ceph"},
		Cluster:  s.cluster,
		Version:  s.running,
	}
	if err := identity.Reconcile(s.t.Context(), p); err != nil {
		s.t.Fatal(err)
	}
	return p, Reconcile(s.t.Context(), p)
}

// waits is a pass that waits for something of that text.
func (s *sea) waits(text string) *pass.Pass {
	s.t.Helper()
	p, err := s.pass()
	if _, waiting := pass.IsWaiting(err); !waiting || !strings.Contains(err.Error(), text) {
		s.t.Fatalf("got %v, want a wait for %q", err, text)
	}
	return p
}

func (s *sea) done() *pass.Pass {
	s.t.Helper()
	p, err := s.pass()
	if err != nil {
		s.t.Fatalf("got %v", err)
	}
	return p
}

// runs sets the status of mons' Deployments as if their pods ran, and who is in
// monmap and quorum.
func (s *sea) runs(mons string) {
	s.t.Helper()
	for _, name := range mons {
		d := s.deployment(string(name))
		d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, UpdatedReplicas: 1, ReadyReplicas: 1}
		d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(s.Clock.Now())}}
		if err := s.Kube.Status().Update(s.t.Context(), d); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *sea) stops(mon string) {
	s.t.Helper()
	d := s.deployment(mon)
	d.Status.ReadyReplicas = 0
	if err := s.Kube.Status().Update(s.t.Context(), d); err != nil {
		s.t.Fatal(err)
	}
}

func (s *sea) deployment(mon string) *appsv1.Deployment {
	s.t.Helper()
	return doortest.Get(s.t, s.World, "rook-ceph", "rook-ceph-mon-"+mon, &appsv1.Deployment{})
}

func (s *sea) deployments() (names string) {
	var all appsv1.DeploymentList
	if err := s.Kube.List(s.t.Context(), &all, client.InNamespace("rook-ceph")); err != nil {
		s.t.Fatal(err)
	}
	for i := range all.Items {
		names += all.Items[i].Labels["mon"]
	}
	return names
}

func (s *sea) recorded() map[string]string {
	s.t.Helper()
	return doortest.Get(s.t, s.World, "rook-ceph", identity.EndpointsName, &corev1.ConfigMap{}).Data
}

// up brings up a cluster of these mons.
func (s *sea) up(mons string) {
	s.t.Helper()
	for i := range mons {
		s.waits("mon " + mons[i:i+1] + " to join the quorum")
		s.monmap, s.quorum = mons[:i+1], mons[:i+1]
		s.runs(mons[:i+1])
	}
	s.done()
	s.Clock.SetTime(s.Clock.Now().Add(time.Hour))
	s.Writes, s.Commands, s.Lines = nil, nil, nil
}

func nodes(names ...string) []client.Object {
	var all []client.Object
	for _, name := range names {
		n := aNode(name)
		all = append(all, &n)
	}
	return all
}

var (
	mimic    = ceph.Version{Major: 13, Minor: 2, Patch: 3}
	nautilus = ceph.Version{Major: 14, Minor: 2, Patch: 0}
	octopus  = ceph.Version{Major: 15, Minor: 2, Patch: 1}
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

func TestAServiceWithAnotherAddressIsAnError(t *testing.T) {
	s := newSea(t, mimic, 1, nodes("n1")...)
	s.up("a")
	service := doortest.Get(t, s.World, "rook-ceph", "rook-ceph-mon-a", &corev1.Service{})
	service.Spec.ClusterIP = "10.200.0.99"
	if err := s.Kube.Update(t.Context(), service); err != nil {
		t.Fatal(err)
	}
	if _, err := s.pass(); err == nil || !strings.Contains(err.Error(), "service rook-ceph-mon-a has the address 10.200.0.99, but mon a is recorded at 10.200.0.1") {
		t.Errorf("got %v", err)
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

func TestMsgr2(t *testing.T) {
	one, two := map[string]int{"14": 1}, map[string]int{"14": 1, "13": 2}
	for name, c := range map[string]struct {
		image, running ceph.Version
		versions       map[string]int
		enabled        bool
		port           string
		fails          map[string]error
		commands       []string
		err            string
		status         metav1.ConditionStatus
		again          bool
	}{
		"mimic has none":           {image: mimic, running: mimic, commands: nil},
		"enabled when all can":     {image: nautilus, running: nautilus, versions: one, commands: []string{"version", "versions", "mon enable-msgr2"}, status: metav1.ConditionTrue},
		"on already":               {image: nautilus, running: nautilus, versions: one, enabled: true, commands: nil, status: metav1.ConditionTrue},
		"mons still mimic":         {image: nautilus, running: mimic, versions: one, commands: []string{"version"}, status: metav1.ConditionFalse, again: true},
		"mons of two versions":     {image: nautilus, running: nautilus, versions: two, commands: []string{"version", "versions"}, status: metav1.ConditionFalse, again: true},
		"a mon on another port":    {image: nautilus, running: nautilus, versions: one, port: "6790", commands: nil, status: metav1.ConditionFalse},
		"it fails and goes on":     {image: nautilus, running: nautilus, versions: one, fails: map[string]error{"mon enable-msgr2": doortest.Exit(1, "boom")}, commands: []string{"version", "versions", "mon enable-msgr2"}, status: metav1.ConditionFalse, again: true},
		"version cannot be asked":  {image: nautilus, running: nautilus, fails: map[string]error{"version": doortest.Exit(1, "boom")}, commands: []string{"version"}, err: "failed to get ceph mon version. "},
		"versions cannot be asked": {image: nautilus, running: nautilus, fails: map[string]error{"versions": doortest.Exit(1, "boom")}, commands: []string{"version", "versions"}, err: "failed to get ceph daemons versions. "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSea(t, c.image, 1, nodes("n1")...)
			s.msgr2 = true
			s.up("a")
			s.msgr2, s.running, s.versions, s.fails = c.enabled, c.running, c.versions, c.fails
			if c.port != "" {
				cm := doortest.Get(t, s.World, "rook-ceph", identity.EndpointsName, &corev1.ConfigMap{})
				cm.Data["data"] = "a=10.200.0.1:" + c.port
				if err := s.Kube.Update(t.Context(), cm); err != nil {
					t.Fatal(err)
				}
				s.cluster.Status.Conditions = nil
				s.waits("mon a to be back in quorum")
				s.Commands = nil
			}
			s.cluster.Status.Conditions = nil
			p := &pass.Pass{Doors: s.Doors(), Settings: pass.Settings{ConfigDir: "/var/lib/rook", EtcCephDir: "/etc/ceph"}, Cluster: s.cluster, Version: c.image}
			if err := identity.Reconcile(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			err := Reconcile(t.Context(), p)
			if (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Fatalf("got %v", err)
			}
			var commands []string
			for _, line := range s.Commands[1:] { // the first asks for the quorum
				line, _, _ = strings.Cut(strings.TrimPrefix(line, "ceph "), " --")
				commands = append(commands, line)
			}
			if diff := cmp.Diff(c.commands, commands); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			var status metav1.ConditionStatus
			if found := apimeta.FindStatusCondition(s.cluster.Status.Conditions, v1.ConditionMsgr2Enabled); found != nil {
				status = found.Status
			}
			if status != c.status || (p.Again() > 0) != c.again {
				t.Errorf("condition %q, again %v", status, p.Again())
			}
		})
	}
}
