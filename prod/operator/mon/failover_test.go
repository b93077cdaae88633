package mon

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// dead is a cluster of three mons on four nodes, of which mon c has been out of
// quorum for too long.
func dead(t *testing.T) *sea {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3", "n4")...)
	s.up("abc")
	s.stops("c")
	s.quorum = "ab"
	s.done()
	s.Clock.SetTime(s.Clock.Now().Add(11 * time.Minute))
	return s
}

// joins lets the replacement join, once it has been started.
func (s *sea) joins() {
	if strings.Contains(s.deployments(), "d") && strings.Contains(s.recorded()["data"], "d=") && !strings.Contains(s.monmap, "d") {
		s.runs("d")
		s.monmap, s.quorum = s.monmap+"d", "abd"
	}
}

func TestADeadMonIsReplaced(t *testing.T) {
	s := dead(t)
	s.Writes = nil
	s.waits("mon d to join the quorum")
	recorded := slices.IndexFunc(s.Writes, func(w string) bool { return strings.HasPrefix(w, "update *v1.ConfigMap rook-ceph-mon-endpoints") })
	started := slices.IndexFunc(s.Writes, func(w string) bool { return strings.HasPrefix(w, "create *v1.Deployment rook-ceph-mon-d") })
	if recorded < 0 || started < recorded {
		t.Errorf("recorded %d, started %d: %q", recorded, started, s.Writes)
	}
	if s.deployments() != "abcd" {
		t.Fatalf("mons %s", s.deployments())
	}
	s.joins()
	s.done()
	if s.monmap != "abd" || s.deployments() != "abd" || s.recorded()["maxMonId"] != "3" {
		t.Errorf("monmap %s, mons %s, recorded %v", s.monmap, s.deployments(), s.recorded())
	}
}

// After a crash at any write or command of a fail-over, the next passes end with
// the same mons, and Ceph's monmap is what is recorded.
func TestACrashAtAnyEffectOfAFailover(t *testing.T) {
	crash := errors.New("crash")
	for at := 0; ; at++ {
		s := dead(t)
		count, crashed := 0, false
		effect := func() error {
			count++
			if count-1 == at && !crashed {
				crashed = true
				return crash
			}
			return nil
		}
		refuse, ceph := s.Refuse, s.Programs["ceph"]
		s.Refuse = func(verb string, o client.Object, name string) error {
			if verb != "get" && verb != "list" {
				if err := effect(); err != nil {
					return err
				}
			}
			return refuse(verb, o, name)
		}
		s.Programs["ceph"] = func(args []string) (string, error) {
			answer, err := ceph(args)
			if args[0] == "mon" && err == nil {
				err = effect() // it has happened, and nobody has heard of it
			}
			return answer, err
		}
		for range 12 {
			p := &pass.Pass{Doors: s.Doors(), Settings: pass.Settings{ConfigDir: "/var/lib/rook"}, Cluster: s.cluster, Version: mimic}
			if identity.Reconcile(t.Context(), p) == nil {
				_ = Reconcile(t.Context(), p)
			}
			s.joins()
			s.Clock.SetTime(s.Clock.Now().Add(45 * time.Second))
		}
		if !crashed {
			if at < 8 {
				t.Fatalf("only %d effects", at)
			}
			return
		}
		var services corev1.ServiceList
		if err := s.Kube.List(t.Context(), &services); err != nil {
			t.Fatal(err)
		}
		data := s.recorded()
		if s.monmap != "abd" || s.deployments() != "abd" || len(services.Items) != 3 || data["maxMonId"] != "3" || strings.Contains(data["data"], "c=") {
			t.Errorf("crash at effect %d: monmap %s, mons %s, %d services, recorded %v", at, s.monmap, s.deployments(), len(services.Items), data)
		}
	}
}

func TestFlappingBeginsAnew(t *testing.T) {
	s := newSea(t, mimic, 3, nodes("n1", "n2", "n3", "n4")...)
	s.up("abc")
	for range 4 {
		s.quorum = "ab"
		s.done()
		s.Clock.SetTime(s.Clock.Now().Add(9 * time.Minute))
		s.done()
		s.quorum = "abc"
		s.done()
	}
	if got := s.deployments(); got != "abc" {
		t.Errorf("mons %s", got)
	}
}

func TestAnUnknownCommandIsNoVerdict(t *testing.T) {
	s := dead(t)
	s.fails["mon_status"] = errors.New("Error EINVAL: unrecognized command")
	for range 20 {
		if _, err := s.pass(); err == nil {
			t.Fatal("no error")
		}
		s.Clock.SetTime(s.Clock.Now().Add(time.Minute))
	}
	if got := s.deployments(); got != "abc" {
		t.Errorf("mons %s", got)
	}
}
