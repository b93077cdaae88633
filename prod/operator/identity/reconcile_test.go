package identity

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

const (
	fsid     = "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"
	monKey   = "AQAmon00AAAAABAAs0mEbMSzNHYAAAAAAAAAAA=="
	adminKey = "AQAadmin00AAAAABAAs0mEbMSzNHYAAAAAAAAA=="
)

func newPass(w *doortest.World) *pass.Pass {
	// ceph-authtool makes a keyring with a key of its own for each entity.
	w.Programs["ceph-authtool"] = func(args []string) (string, error) {
		key := map[string]string{"mon.": monKey, "client.admin": adminKey}[args[4]]
		return "creating " + args[1] + "\n", w.Files.WriteFile(args[1], []byte("["+args[4]+"]\n\tkey = "+key+"\n"), 0o600)
	}
	return &pass.Pass{
		Doors:    w.Doors(),
		Settings: pass.Settings{ConfigDir: "/var/lib/rook", EtcCephDir: "/etc/ceph"},
		Cluster:  &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"}},
		Version:  ceph.Version{Major: 13, Minor: 2, Patch: 3},
	}
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "rook-ceph", Name: name}
}

func stored(change ...func(map[string][]byte)) *corev1.Secret {
	data := map[string][]byte{"cluster-name": []byte("rook-ceph"), "fsid": []byte(fsid), "mon-secret": []byte(monKey), "admin-secret": []byte(adminKey)}
	for _, c := range change {
		c(data)
	}
	return &corev1.Secret{ObjectMeta: meta(SecretName), Data: data}
}

func recorded(data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: meta(EndpointsName), Data: data}
}

func monDeployment(name, address, host string) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: meta("rook-ceph-mon-" + name)}
	d.Labels = map[string]string{"app": MonApp, "ceph_daemon_id": name}
	d.Spec.Template.Spec.NodeSelector = map[string]string{"kubernetes.io/hostname": host}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{"--public-addr=" + address}}}
	return d
}

func TestANewClusterGetsAnIdentityOnce(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	if err := Reconcile(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ceph-authtool --create-keyring /var/lib/rook/rook-ceph/mon.keyring --gen-key -n mon. --cap mon 'allow *'",
		"ceph-authtool --create-keyring /var/lib/rook/rook-ceph/client.admin.keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' --cap mds 'allow *'",
	}
	if diff := cmp.Diff(want, w.Commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	wantWrites := []string{
		"create *v1.Secret rook-ceph-mon",
		"create *v1.ConfigMap rook-ceph-mon-endpoints",
		"create *v1.ConfigMap rook-ceph-config",
		"create *v1.Secret rook-ceph-config",
		"create *v1.Secret rook-ceph-mons-keyring",
		"create *v1.Secret rook-ceph-admin-keyring",
	}
	if diff := cmp.Diff(wantWrites, w.Writes); diff != "" {
		t.Errorf("writes, in S85's order (-want +got):\n%s", diff)
	}
	secret := doortest.Get(t, w, "rook-ceph", SecretName, &corev1.Secret{})
	if secret.Type != "kubernetes.io/rook" || string(secret.Data["cluster-name"]) != "rook-ceph" || string(secret.Data["mon-secret"]) != monKey ||
		string(secret.Data["admin-secret"]) != adminKey || string(secret.Data["fsid"]) != p.Identity.FSID || secret.OwnerReferences[0].UID != "u" {
		t.Errorf("%+v", secret)
	}
	mons := string(doortest.Get(t, w, "rook-ceph", MonsKeyringName, &corev1.Secret{}).Data["keyring"])
	admin := string(doortest.Get(t, w, "rook-ceph", AdminKeyringName, &corev1.Secret{}).Data["keyring"])
	wantAdmin := "[client.admin]\n\tkey = " + adminKey + "\n\tauid = 0\n\tcaps mds = \"allow *\"\n\tcaps mon = \"allow *\"\n\tcaps osd = \"allow *\"\n\tcaps mgr = \"allow *\"\n"
	if admin != wantAdmin || mons != "[mon.]\n\tkey = "+monKey+"\n\tcaps mon = \"allow *\"\n\n"+wantAdmin {
		t.Errorf("keyrings:\n%s\n%s", mons, admin)
	}
	w.Commands, w.Writes = nil, nil
	again := newPass(w)
	if err := Reconcile(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if len(w.Commands)+len(w.Writes) > 0 || again.Identity.FSID != p.Identity.FSID {
		t.Errorf("the second pass: %v %v", w.Commands, w.Writes)
	}
	for _, line := range w.Lines {
		if strings.Contains(line, monKey) || strings.Contains(line, adminKey) {
			t.Errorf("a key in the log: %s", line)
		}
	}
}

func TestAnIdentityThatCannotBeReadIsNotANewOne(t *testing.T) {
	kind := corev1.Resource("secrets")
	for name, answer := range map[string]error{
		"unauthorized": apierrors.NewUnauthorized("no"),
		"forbidden":    apierrors.NewForbidden(kind, SecretName, errors.New("no")),
		"time-out":     apierrors.NewServerTimeout(kind, "get", 1),
		"500":          apierrors.NewInternalError(errors.New("boom")),
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t)
			w.Refuse = func(verb string, _ client.Object, name string) error {
				if verb == "get" && name == SecretName {
					return answer
				}
				return nil
			}
			err := Reconcile(t.Context(), newPass(w))
			if err == nil || !strings.HasPrefix(err.Error(), "failed to get cluster info. failed to get mon secrets. ") {
				t.Errorf("got %v", err)
			}
			if len(w.Commands)+len(w.Writes) > 0 {
				t.Errorf("%v %v", w.Commands, w.Writes)
			}
			w.Refuse = nil
			if err := Reconcile(t.Context(), newPass(w)); err != nil {
				t.Errorf("after the fault: %v", err)
			}
		})
	}
}

// B13: what is not there is not dereferenced, and the next try succeeds.
func TestAnIdentityThatCannotBeStoredIsNotUsed(t *testing.T) {
	kind := corev1.Resource("secrets")
	for name, answer := range map[string]error{
		"forbidden":      apierrors.NewForbidden(kind, SecretName, errors.New("no")),
		"already exists": apierrors.NewAlreadyExists(kind, SecretName),
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t)
			w.Refuse = func(verb string, _ client.Object, name string) error {
				if verb == "create" && name == SecretName {
					return answer
				}
				return nil
			}
			err := Reconcile(t.Context(), newPass(w))
			if !errors.Is(err, answer) || !strings.HasPrefix(err.Error(), "failed to get cluster info. failed to create mon secrets. ") {
				t.Errorf("got %v", err)
			}
			if len(w.Writes) > 0 {
				t.Errorf("%v", w.Writes)
			}
			w.Refuse = nil
			if err := Reconcile(t.Context(), newPass(w)); err != nil {
				t.Errorf("after the fault: %v", err)
			}
		})
	}
}

func TestAnIdentityIsNeverMadeOverALiveCluster(t *testing.T) {
	osd := &appsv1.Deployment{ObjectMeta: meta("rook-ceph-osd-0")}
	osd.Labels = map[string]string{"app": "rook-ceph-osd", "ceph_daemon_id": "0"}
	for name, c := range map[string]struct {
		there client.Object
		says  string
	}{
		"recorded mons":    {recorded(seedData()), "lists the mons a=10.200.33.128:6789"},
		"a mon":            {monDeployment("a", "10.0.0.1", "n1"), "Deployment rook-ceph-mon-a"},
		"an OSD":           {osd, "Deployment rook-ceph-osd-0"},
		"a damaged secret": {stored(func(d map[string][]byte) { d["fsid"] = nil; delete(d, "admin-secret") }), "lacks fsid, admin-secret"},
		"a blank key":      {stored(func(d map[string][]byte) { d["mon-secret"] = []byte(" \n") }), "lacks mon-secret"},
		"a key in binary":  {stored(func(d map[string][]byte) { d["mon-secret"] = []byte{0xff, 0xfe} }), "under mon-secret what is not a key"},
		"a short key":      {stored(func(d map[string][]byte) { d["admin-secret"] = []byte("AQ==") }), "under admin-secret what is not a key"},
		"a bad fsid":       {stored(func(d map[string][]byte) { d["fsid"] = []byte("x") }), `the fsid "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, c.there)
			err := Reconcile(t.Context(), newPass(w))
			var refused *pass.Refused
			if !errors.As(err, &refused) || refused.Reason != v1.ReasonIdentityMissing {
				t.Fatalf("got %v", err)
			}
			for _, part := range []string{c.says, "Secret rook-ceph/rook-ceph-mon", "estore"} {
				if !strings.Contains(refused.Message, part) {
					t.Errorf("%q lacks %q", refused.Message, part)
				}
			}
			if len(w.Commands)+len(w.Writes) > 0 {
				t.Errorf("%v %v", w.Commands, w.Writes)
			}
		})
	}
}

func TestWhatAFormerClusterLeftIsWaitedFor(t *testing.T) {
	old := stored()
	old.OwnerReferences = []metav1.OwnerReference{{Kind: "CephCluster", Name: "my-ceph", UID: "old"}}
	w := doortest.New(t, old)
	err := Reconcile(t.Context(), newPass(w))
	if _, waiting := pass.IsWaiting(err); !waiting || len(w.Writes) > 0 {
		t.Errorf("got %v, %v", err, w.Writes)
	}
}

func TestMonsAreLoaded(t *testing.T) {
	lost := seedData()
	lost["mapping"] = "{"
	for name, c := range map[string]struct {
		objects []client.Object
		mons    map[string]pass.Mon
		maxID   int
	}{
		"as recorded": {[]client.Object{recorded(seedData())}, seedEndpoints().Mons, 0},
		"none yet":    {nil, map[string]pass.Mon{}, -1},
		"a lost mapping is in the Deployment": {
			[]client.Object{recorded(lost), monDeployment("a", "10.200.33.128", "h1")},
			map[string]pass.Mon{"a": {Name: "a", Endpoint: "10.200.33.128:6789", Node: &pass.MonNode{Name: "h1", Hostname: "h1"}}},
			0,
		},
		"a lost record is in the Deployments": {
			[]client.Object{monDeployment("b", "v1:10.0.0.2:6790", "h2"), monDeployment("c", "10.0.0.3:6790", "h3"), monDeployment("d", "10.0.0.4", "h4")},
			map[string]pass.Mon{
				"b": {Name: "b", Endpoint: "10.0.0.2:6790", Node: &pass.MonNode{Name: "h2", Hostname: "h2"}},
				"c": {Name: "c", Endpoint: "10.0.0.3:6790", Node: &pass.MonNode{Name: "h3", Hostname: "h3"}},
				"d": {Name: "d", Endpoint: "10.0.0.4:6789", Node: &pass.MonNode{Name: "h4", Hostname: "h4"}},
			},
			3,
		},
		"an id in use is never given out again": {
			[]client.Object{recorded(seedData()), monDeployment("e", "10.0.0.5", "h5")}, seedEndpoints().Mons, 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPass(doortest.New(t, append(c.objects, stored())...))
			if err := Reconcile(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.mons, p.Identity.Mons); diff != "" || p.Identity.MaxMonID != c.maxID {
				t.Errorf("max id %d (-want +got):\n%s", p.Identity.MaxMonID, diff)
			}
		})
	}
}

func TestARecordThatDoesNotReadStopsEverything(t *testing.T) {
	w := doortest.New(t, stored(), recorded(map[string]string{"data": "a=here"}))
	err := Reconcile(t.Context(), newPass(w))
	var refused *pass.Refused
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, `ConfigMap rook-ceph/rook-ceph-mon-endpoints: "a=here"`) || len(w.Writes) > 0 {
		t.Errorf("got %v, %v", err, w.Writes)
	}
}

func TestARecordAgainstServiceAndDeploymentStopsEverything(t *testing.T) {
	data := seedData()
	data["data"] = "a=10.9.9.9:6789"
	service := func(ip string) *corev1.Service {
		return &corev1.Service{ObjectMeta: meta("rook-ceph-mon-a"), Spec: corev1.ServiceSpec{ClusterIP: ip}}
	}
	for name, c := range map[string]struct {
		objects []client.Object
		refused bool
	}{
		"both say otherwise":         {[]client.Object{service("10.200.33.128"), monDeployment("a", "10.200.33.128", "n1")}, true},
		"the Deployment was changed": {[]client.Object{service("10.9.9.9"), monDeployment("a", "10.200.33.128", "n1")}, false},
		"the Service was made anew":  {[]client.Object{service("10.1.1.1"), monDeployment("a", "10.9.9.9", "n1")}, false},
		"the Service is gone":        {[]client.Object{monDeployment("a", "10.200.33.128", "n1")}, false},
		"no Deployment yet":          {[]client.Object{service("10.9.9.9")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, append(c.objects, stored(), recorded(data))...)
			err := Reconcile(t.Context(), newPass(w))
			var refused *pass.Refused
			if !c.refused {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if !errors.As(err, &refused) || !strings.Contains(refused.Message, "has mon a at 10.9.9.9:6789, but its Deployment and its Service have it at 10.200.33.128") || len(w.Writes) > 0 {
				t.Errorf("got %v, %v", err, w.Writes)
			}
		})
	}
}

func TestAToolThatWritesNoKeyMakesNoIdentity(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	w.Programs["ceph-authtool"] = func(args []string) (string, error) {
		return "", w.Files.WriteFile(args[1], []byte("["+args[4]+"]\n\tkey = no-key\n"), 0o600)
	}
	if err := Reconcile(t.Context(), p); !errors.Is(err, ceph.ErrGarbled) || strings.Contains(err.Error(), "no-key") || len(w.Writes) > 0 {
		t.Errorf("got %v, %v", err, w.Writes)
	}
}

// What a pass decided by one record is not written over a newer one: a mon that
// was recorded in between would be forgotten.
func TestARecordIsNotWrittenOverANewerOne(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	if err := Reconcile(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	newer := doortest.Get(t, w, "rook-ceph", EndpointsName, &corev1.ConfigMap{})
	newer.Data["data"] = "a=10.0.0.1:6789"
	if err := w.Doors().Client.Update(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	p.Identity.Mons = map[string]pass.Mon{"b": {Name: "b", Endpoint: "10.0.0.2:6789"}}
	if err := SaveMons(t.Context(), p); !object.Raced(err) {
		t.Errorf("got %v", err)
	}
	if got := doortest.Get(t, w, "rook-ceph", EndpointsName, &corev1.ConfigMap{}).Data["data"]; got != "a=10.0.0.1:6789" {
		t.Errorf("the record is %q", got)
	}
}
