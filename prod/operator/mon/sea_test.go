package mon

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
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
	config         []map[string]string
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
		Status: v1.ClusterStatus{Mon: &v1.MonStatus{Count: count}},
	}
	s.Programs["ceph"] = s.ceph
	s.Programs["ceph-authtool"] = func(args []string) (string, error) {
		return "", s.Files.WriteFile(args[1], []byte("["+args[4]+"]\n\tkey = AQAmon00AAAAABAAs0mEbMSzNHYAAAAAAAAAAA==\n"), 0o600)
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
	switch what {
	case "mon enable-msgr2":
		s.msgr2 = true
		return "", nil
	case "mon remove":
		s.monmap, s.quorum = strings.ReplaceAll(s.monmap, args[2], ""), strings.ReplaceAll(s.quorum, args[2], "")
		return "", s.Files.WriteFile(args[slices.Index(args, "--out-file")+1], nil, 0o600)
	}
	var answer any
	switch {
	case s.quorum == "":
		return "", doortest.Exit(1, "timed out\n")
	case args[0] == "mon_status", args[0] == "quorum_status":
		answer = s.status()
	case what == "config dump":
		answer = append([]map[string]string{}, s.config...)
	case what == "config set":
		s.config = append(s.config, map[string]string{"section": args[2], "name": args[3], "value": args[4]})
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
