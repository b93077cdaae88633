package osd

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// daemonOf is a Deployment whose pod runs or not, for a while.
func daemonOf(id int, uuid, node string, ready int32, since time.Time) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name: Name(id), Labels: map[string]string{IDLabel: Name(id)[len(App)+1:], NodeLabel: node}, CreationTimestamp: metav1.NewTime(since),
	}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Args: []string{"--osd-uuid=" + uuid}}}
	d.Status = appsv1.DeploymentStatus{UpdatedReplicas: 1, ReadyReplicas: ready}
	return d
}

func TestWhatIsKnownOfOSDs(t *testing.T) {
	spec := &v1.ClusterSpec{Storage: v1.StorageSpec{Nodes: []v1.Node{{Name: "n1"}, {Name: "n2"}, {Name: "n4"}}}}
	node := func(name string, cordoned bool) corev1.Node {
		return corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NodeSpec{Unschedulable: cordoned},
			Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		}
	}
	nodes := []corev1.Node{node("n1", false), node("n2", true), node("n3", false)}
	osd := func(id int, uuid string) prepare.OSD { return prepare.OSD{ID: id, UUID: uuid} }
	moved := osd(5, "moved")
	written := entries(map[string]prepare.Result{
		"n1": {OSDs: []prepare.OSD{osd(0, "a"), osd(1, "replaced")}, Lost: []prepare.OSD{moved}},
		"n2": {OSDs: []prepare.OSD{osd(1, "b"), moved}, Lost: []prepare.OSD{osd(2, "c")}},
		"n3": {OSDs: []prepare.OSD{osd(3, "d")}},
	})
	running := map[string]*appsv1.Deployment{
		Name(0): daemonOf(0, "a", "n1", 1, noon), Name(1): daemonOf(1, "b", "n2", 1, noon), Name(4): daemonOf(4, "e", "n4", 0, noon),
	}
	m := newOSDMap(ceph.OSDMap{OSDs: []ceph.OSDInfo{
		{ID: 0, UUID: "a", Up: 1, In: 1},
		{ID: 1, UUID: "b", Up: 1, In: 1},
		{ID: 2, UUID: "c"},
		{ID: 3, UUID: "d", In: 1},
		{ID: 4, UUID: "e"},
		{ID: 5, UUID: "moved", Up: 1, In: 1},
	}})
	type line struct {
		OSD, Node           string
		Runs, Exists, Lost  bool
		Recorded            bool
		State, Dropped, Off string
	}
	var got []line
	for _, k := range findOSDs(written, running, m, spec, nodes) {
		got = append(got, line{k.UUID, k.Node, k.runs(), k.Exists, k.Lost, k.Recorded, k.state(), k.Dropped, k.Away})
	}
	want := []line{
		{OSD: "a", Node: "n1", Runs: true, Exists: true, Recorded: true},
		{OSD: "replaced", Node: "n1", Recorded: true, State: v1.OSDDownAndOut},
		{OSD: "b", Node: "n2", Runs: true, Exists: true, Recorded: true, Off: "is cordoned"},
		{OSD: "c", Node: "n2", Exists: true, Lost: true, Recorded: true, State: v1.OSDDownAndOut, Off: "is cordoned"},
		{OSD: "d", Node: "n3", Exists: true, Recorded: true, State: v1.OSDDown, Dropped: "which spec.storage.nodes does not name any more"},
		{OSD: "e", Node: "n4", Exists: true, State: v1.OSDDownAndOut, Dropped: "which is not in Kubernetes any more"},
		{OSD: "moved", Node: "n2", Exists: true, Recorded: true, Off: "is cordoned"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var runs []string
	placed, twice := placedOSDs(written, m)
	for _, o := range placed {
		runs = append(runs, o.UUID+" on "+o.Node)
	}
	if diff := cmp.Diff([]string{"a on n1", "b on n2", "c on n2", "d on n3", "moved on n2"}, runs); diff != "" || len(twice) > 0 {
		t.Errorf("to run (-want +got), twice %v:\n%s", twice, diff)
	}
}

func TestWhatIsRemoved(t *testing.T) {
	osd := func(id int, change func(*known)) known {
		k := known{placed: placed{Node: "n1", OSD: prepare.OSD{ID: id}}, Exists: true, Deployment: daemonOf(id, "", "n1", 0, noon.Add(-time.Hour))}
		change(&k)
		return k
	}
	osds := []known{
		osd(0, func(k *known) { k.Up, k.In = true, true }),
		osd(1, func(k *known) { k.In = true }), // down
		osd(2, func(k *known) { k.Up = true }), // out
		osd(3, func(*known) {}),                // down and out
		osd(4, func(k *known) { k.Away = "is cordoned" }),
		osd(5, func(k *known) { k.New = true }),
		osd(6, func(k *known) { k.Deployment = daemonOf(6, "", "n1", 0, noon.Add(-time.Minute)) }), // just started
		osd(7, func(k *known) { k.Dropped = "which is gone"; k.Up, k.In = true, true }),
		osd(8, func(k *known) { k.Dropped = "which is gone"; k.Up = true }),
		osd(9, func(k *known) { k.Exists = false }),
		osd(10, func(k *known) { k.Deployment = nil }), // half removed
	}
	ids := func(c check) (all []int) {
		for _, k := range removable(osds, c, noon) {
			all = append(all, k.ID)
		}
		return all
	}
	if got := ids(check{removes: true}); !slices.Equal(got, []int{9, 3, 8, 10}) {
		t.Errorf("removable are %v", got)
	}
	if got := ids(check{}); got != nil {
		t.Errorf("without the switch %v", got)
	}
}

func TestTheCheckOfTheSpec(t *testing.T) {
	spec := func(c v1.CheckSpec, removes bool) *v1.ClusterSpec {
		s := &v1.ClusterSpec{RemoveOSDsIfOutAndSafeToRemove: removes}
		s.HealthCheck.DaemonHealth.OSD = c
		return s
	}
	for name, c := range map[string]struct {
		spec *v1.ClusterSpec
		want check
	}{
		"nothing written":    {spec(v1.CheckSpec{}, false), check{every: time.Minute}},
		"an interval":        {spec(v1.CheckSpec{Interval: "10s"}, true), check{every: 10 * time.Second, removes: true}},
		"no interval at all": {spec(v1.CheckSpec{Interval: "0s"}, false), check{every: time.Minute}},
		"no time":            {spec(v1.CheckSpec{Interval: "soon"}, false), check{every: time.Minute}},
		"disabled":           {spec(v1.CheckSpec{Disabled: true}, true), check{disabled: true, every: time.Minute}},
	} {
		if got := checkOf(c.spec); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestWhatIsToldOfOSDs(t *testing.T) {
	osd := func(id int, node string, change func(*known)) known {
		k := known{placed: placed{Node: node, OSD: prepare.OSD{ID: id}}, Exists: true, Up: true, In: true, Deployment: daemonOf(id, "", node, 1, noon.Add(-time.Hour))}
		change(&k)
		return k
	}
	down := func(k *known) { k.Up = false }
	downAndOut := func(k *known) { k.Up, k.In = false, false }
	for name, c := range map[string]struct {
		osds    []known
		check   check
		want    []string
		pending bool
	}{
		"all well":                {[]known{osd(0, "n1", func(*known) {})}, check{}, nil, false},
		"several of a node":       {[]known{osd(0, "n1", down), osd(1, "n1", down), osd(2, "n2", down)}, check{}, []string{"osd.0 and osd.1 of node n1 are down", "osd.2 of node n2 is down"}, false},
		"many":                    {[]known{osd(0, "n1", down), osd(1, "n1", down), osd(2, "n1", down), osd(3, "n1", down), osd(4, "n1", down)}, check{}, []string{"osd.0, osd.1, osd.2 and 2 more of node n1 are down"}, false},
		"out":                     {[]known{osd(0, "n1", func(k *known) { k.In = false })}, check{}, []string{"osd.0 of node n1 is out"}, false},
		"down and out":            {[]known{osd(0, "n1", downAndOut)}, check{}, []string{"osd.0 of node n1 is down and out: repair the disk, or set spec.removeOSDsIfOutAndSafeToRemove to have it removed for good"}, false},
		"to be removed":           {[]known{osd(0, "n1", downAndOut), osd(1, "n1", downAndOut)}, check{removes: true}, []string{"osd.0 and osd.1 of node n1 are down and out: they will be removed as soon as Ceph says that it is safe"}, false},
		"kept for a while":        {[]known{osd(0, "n1", func(k *known) { downAndOut(k); k.Away = "is not ready" })}, check{removes: true}, []string{"osd.0 of node n1 is down and out, and kept while the node is not ready"}, false},
		"lost":                    {[]known{osd(0, "n1", func(k *known) { down(k); k.Lost = true })}, check{}, []string{"osd.0 of node n1 is down, and it is no longer on the node's disks"}, false},
		"purged by hand":          {[]known{osd(0, "n1", func(k *known) { k.Exists = false })}, check{}, []string{"osd.0 of node n1 is no longer in Ceph's map: delete the Deployment rook-ceph-osd-0, or set spec.removeOSDsIfOutAndSafeToRemove"}, false},
		"the check is disabled":   {[]known{osd(0, "n1", downAndOut)}, check{disabled: true}, nil, false},
		"started a moment ago":    {[]known{osd(0, "n1", func(k *known) { k.Up = false; k.Deployment = daemonOf(0, "", "n1", 0, noon) })}, check{disabled: true}, []string{"rook-ceph-osd-0 to be ready"}, true},
		"not in Ceph yet":         {[]known{osd(0, "n1", func(k *known) { k.Up = false; k.Deployment = daemonOf(0, "", "n1", 1, noon) })}, check{}, []string{"osd.0 to be up in Ceph"}, true},
		"never was up":            {[]known{osd(0, "n1", func(k *known) { downAndOut(k); k.New = true })}, check{}, []string{"osd.0 to be up in Ceph"}, true},
		"never up, its node away": {[]known{osd(0, "n1", func(k *known) { down(k); k.New, k.Away = true, "is not ready" })}, check{}, []string{"osd.0 of node n1 is down"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			pending := false
			for _, s := range judge(c.osds, c.check, noon) {
				got = append(got, s.Problem)
				pending = pending || s.Pending
			}
			if diff := cmp.Diff(c.want, got); diff != "" || pending != c.pending {
				t.Errorf("pending %v (-want +got):\n%s", pending, diff)
			}
		})
	}
}

func TestWhereAHostStands(t *testing.T) {
	for _, c := range []struct{ node, written, want string }{
		{"n1.example.org", "", "n1-example-org"},
		{"n1", "rack=r1", "n1"},
		{"n1", "rack=r1,host=other", "other"},
	} {
		if got := hostBucket(c.node, c.written); got != c.want {
			t.Errorf("%s at %q: %s, want %s", c.node, c.written, got, c.want)
		}
	}
	if !strings.Contains(prepare.RemovedReason(3), "osd.3") {
		t.Error("the reason does not name the OSD")
	}
}
