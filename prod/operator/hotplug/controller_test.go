package hotplug

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// scene is a cluster that has prepared the node n1, whose list is local-device-n1.
type scene struct {
	*doortest.World
	t *testing.T
	r reconcile.Reconciler
}

func aList(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "system", Name: "local-device-n1",
			Labels: map[string]string{"app": "rook-discover", "rook.io/node": "n1.example.org"},
		},
		Data: map[string]string{"devices": text},
	}
}

func aResult(phase string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "rook-ceph", Name: "rook-ceph-osd-n1-status", Labels: map[string]string{"app": "rook-ceph-osd"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "ceph.rook.io/v1", Kind: "CephCluster", Name: "my-ceph", UID: "u"}},
		},
		Data: map[string]string{"status": `{"status":"` + phase + `","hash":"h","osds":[{"id":0,"uuid":"x","store":"bluestore","device":"sdb"}],"unused":[{"name":"sda","reason":"mounted"}]}`},
	}
}

func newScene(t *testing.T, objects ...client.Object) *scene {
	yes := true
	cluster := &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"}}
	cluster.Spec.Storage.UseAllNodes, cluster.Spec.Storage.UseAllDevices = true, &yes
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1.example.org", Labels: map[string]string{"kubernetes.io/hostname": "n1"}}}
	w := doortest.New(t, append(objects, cluster, node)...)
	controllers := New(w.Doors(), "system", "")
	if len(controllers) != 1 {
		t.Fatalf("%d controllers", len(controllers))
	}
	w.Lines = nil
	return &scene{w, t, controllers[0].Reconciler}
}

func (s *scene) write(devices ...Device) {
	s.t.Helper()
	text, err := json.Marshal(devices)
	if err != nil {
		s.t.Fatal(err)
	}
	list := doortest.Get(s.t, s.World, "system", "local-device-n1", &corev1.ConfigMap{})
	list.Data = map[string]string{"devices": string(text)}
	if err := s.Kube.Update(s.t.Context(), list); err != nil {
		s.t.Fatal(err)
	}
	s.Writes = nil
}

func (s *scene) reconcile() reconcile.Result {
	s.t.Helper()
	result, err := s.r.Reconcile(s.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "system", Name: "local-device-n1"}})
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// mark is what the node's job was last asked with.
func (s *scene) mark() string {
	return doortest.Get(s.t, s.World, "rook-ceph", "rook-ceph-osd-n1-status", &corev1.ConfigMap{}).Data[prepare.AgainKey]
}

func TestANodeIsPreparedAgain(t *testing.T) {
	s := newScene(t, aList("[]"), aResult("completed"))
	s.write(disk("sda", used), disk("sdb", used))
	s.reconcile()
	if s.mark() != "" || len(s.Writes) != 1 {
		t.Fatalf("the first list: %q, %q", s.mark(), s.Writes)
	}
	s.Writes = nil
	if s.reconcile(); len(s.Writes) != 0 {
		t.Errorf("nothing new: %q", s.Writes)
	}
	s.write(disk("sda", used), disk("sdb", used), disk("sdc"))
	s.reconcile()
	first := s.mark()
	if first == "" || !s.Logged("I devices of node n1 have changed for cluster rook-ceph: sdc is new") {
		t.Errorf("a new disk: %q, %q", first, s.Lines)
	}
	s.write(disk("sda", used), disk("sdb", used), disk("sdc", used))
	if s.reconcile(); s.mark() != first || len(s.Writes) != 1 {
		t.Errorf("a disk that is consumed: %q, %q", s.mark(), s.Writes)
	}
	s.write(disk("sda", used), disk("sdb", used))
	if s.reconcile(); s.mark() == first {
		t.Error("a disk that is gone is no change")
	}
}

// TestKilledBetweenTheWrites: the wish is there, the record is not; the same wish
// is made again, which is none.
func TestKilledBetweenTheWrites(t *testing.T) {
	s := newScene(t, aList("[]"), aResult("completed"))
	s.write(disk("sda", used), disk("sdb", used), disk("sdc"))
	updates := 0
	s.Refuse = func(verb string, _ client.Object, name string) error {
		if verb == "update" && name == "rook-ceph-osd-n1-status" {
			if updates++; updates == 2 {
				return apierrors.NewConflict(schema.GroupResource{Resource: "configmaps"}, name, nil)
			}
		}
		return nil
	}
	if result := s.reconcile(); result.RequeueAfter == 0 || s.mark() == "" {
		t.Fatalf("%+v, %q", result, s.mark())
	}
	first := s.mark()
	if s.reconcile(); s.mark() != first {
		t.Errorf("asked with %q, then with %q", first, s.mark())
	}
	if s.Writes = nil; s.reconcile() != (reconcile.Result{}) || len(s.Writes) > 0 {
		t.Errorf("not recorded: %q", s.Writes)
	}
}

func TestWhatIsNotTold(t *testing.T) {
	for name, objects := range map[string][]client.Object{
		"no result":               {aList(`[{"name":"sdc","type":"disk","empty":true}]`)},
		"a job that runs":         {aList(`[{"name":"sdc","type":"disk","empty":true}]`), aResult("orchestrating")},
		"a list of no node":       {func() client.Object { l := aList("[]"); l.Labels["rook.io/node"] = "n2"; return l }(), aResult("completed")},
		"a list that is gone":     {aResult("completed")},
		"a list that is no list":  {aList("[{"), aResult("completed")},
		"a result that is broken": {aList("[]"), &corev1.ConfigMap{ObjectMeta: aResult("").ObjectMeta, Data: map[string]string{"status": "{"}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, objects...)
			if s.reconcile(); len(s.Writes) > 0 {
				t.Errorf("wrote %q", s.Writes)
			}
			if told := len(s.Reported) > 0; told != (name == "a list that is no list") {
				t.Errorf("reported %q", s.Reported)
			}
		})
	}
}

func TestJudge(t *testing.T) {
	list := func(text string) *corev1.ConfigMap { return aList(text) }
	one, other := `[{"name":"sda","type":"disk","devLinks":"/a /b","empty":true}]`, `[{"name":"sda","type":"disk","devLinks":"/b /a","empty":true}]`
	recorded := aResult("completed")
	recorded.Annotations = map[string]string{RecordAnnotation: "{}"}
	elsewhere := list(one)
	elsewhere.Namespace = "rook-ceph"
	for name, c := range map[string]struct {
		before, after client.Object
		want          string
		lines         string
	}{
		"a list is there":                  {nil, list(one), "system/local-device-n1", ""},
		"a list goes":                      {list(one), nil, "", ""},
		"the same text":                    {list(one), list(one), "", ""},
		"the same meaning":                 {list(one), list(other), "", "D device lists are equal. skipping orchestration"},
		"another meaning":                  {list(one), list("[]"), "system/local-device-n1", ""},
		"it cannot be read":                {list(one), list("[{"), "system/local-device-n1", ""},
		"it still cannot be read":          {list("[{"), list("{"), "", ""},
		"it can be read again":             {list("[{"), list(one), "system/local-device-n1", ""},
		"a list in another namespace":      {nil, elsewhere, "", ""},
		"a ConfigMap of something else":    {nil, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "system"}}, "", ""},
		"a node has been prepared":         {aResult("orchestrating"), aResult("completed"), "system/local-device-n1", ""},
		"a node is being prepared":         {nil, aResult("orchestrating"), "", ""},
		"a node whose devices are on file": {aResult("orchestrating"), recorded, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t, aList(one))
			var got []string
			for _, r := range New(s.Doors(), "system", "")[0].Watches[0].RequestsFor(t.Context(), c.before, c.after) {
				got = append(got, r.String())
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("asks for (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.lines, strings.Join(s.Lines[1:], "|")); diff != "" {
				t.Errorf("logs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheSwitch(t *testing.T) {
	for name, c := range map[string]struct {
		namespace, disabled string
		on                  bool
		line                string
	}{
		"not set":      {"system", "", true, "I Enabling hotplug orchestration: ROOK_DISABLE_DEVICE_HOTPLUG="},
		"false":        {"system", "false", true, "I Enabling hotplug orchestration: ROOK_DISABLE_DEVICE_HOTPLUG=false"},
		"true":         {"system", "true", false, "I Disabling hotplug orchestration via ROOK_DISABLE_DEVICE_HOTPLUG"},
		"no namespace": {"", "", false, "I Disabling hotplug orchestration: the operator does not know its own namespace"},
	} {
		w := doortest.New(t)
		if on := len(New(w.Doors(), c.namespace, c.disabled)) > 0; on != c.on || !w.Logged(c.line) {
			t.Errorf("%s: %v, %q", name, on, w.Lines)
		}
	}
}
