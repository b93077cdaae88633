package prepare_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// storageNode is a node with its programs, as far as a job deals with them.
type storageNode struct {
	*doortest.World
	// devices are the disks by name, true for one that carries an OSD.
	devices map[string]bool
	// made are the devices that an OSD was ever made of.
	made map[string]bool
	// ids are what `osd new` has given out, by uuid; booted are those of them
	// that have been up.
	ids    map[string]int
	booted map[int]bool
	// broken devices make ceph-volume fail.
	broken map[string]bool
	// purged devices carry an OSD that Ceph does not have any more.
	purged map[string]bool
	// down is why ceph does not answer.
	down error
}

func newNode(t *testing.T, disks ...string) *storageNode {
	n := &storageNode{
		World: doortest.New(t, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: prepare.ResultName("n1")},
			Data:       map[string]string{"node": "n1"},
		}),
		devices: map[string]bool{}, ids: map[string]int{}, booted: map[int]bool{}, broken: map[string]bool{}, purged: map[string]bool{}, made: map[string]bool{},
	}
	for _, d := range disks {
		n.devices[d] = false
	}
	n.Programs = map[string]doortest.Program{"lsblk": n.lsblk, "ceph-volume": n.volume, "ceph": n.ceph, "ceph-osd": n.osd}
	return n
}

func (n *storageNode) names() []string {
	var names []string
	for d := range n.devices {
		names = append(names, d)
	}
	slices.Sort(names)
	return names
}

func (n *storageNode) lsblk([]string) (string, error) {
	var out strings.Builder
	for _, d := range n.names() {
		fs := ""
		if n.devices[d] {
			fs = "LVM2_member"
		}
		fmt.Fprintf(&out, "NAME=%q PKNAME=\"\" TYPE=\"disk\" SIZE=\"107374182400\" RO=\"0\" RM=\"0\" FSTYPE=%q MOUNTPOINT=\"\"\n", d, fs)
	}
	return out.String(), nil
}

func (n *storageNode) volume(args []string) (string, error) {
	if args[1] == "list" {
		var osds []string
		for i, d := range n.names() {
			if n.devices[d] {
				osds = append(osds, fmt.Sprintf(`"%d": [{"type": "block", "devices": ["/dev/%s"], "tags": {"ceph.osd_fsid": "uuid-%s", "ceph.cluster_fsid": %q}}]`, i, d, d, fsid))
			}
		}
		return "{" + strings.Join(osds, ",") + "}", nil
	}
	for _, a := range args {
		if d, ok := strings.CutPrefix(a, "/dev/"); ok {
			if n.broken[d] {
				return "", doortest.Exit(1, "RuntimeError: "+d+" is broken")
			}
			if _, ok := n.Files["/var/lib/ceph/bootstrap-osd/ceph.keyring"]; !ok {
				return "", doortest.Exit(1, "no bootstrap keyring")
			}
			n.devices[d], n.made[d], n.purged[d] = true, true, false
		}
	}
	return "", nil
}

func (n *storageNode) ceph(args []string) (string, error) {
	if n.down != nil {
		return "", n.down
	}
	answer := ""
	switch command := strings.Join(args[:2], " "); command {
	case "osd new":
		id, known := n.ids[args[2]]
		if !known {
			id = len(n.devices) + len(n.ids) // devices have the first
			n.ids[args[2]] = id
		}
		answer = fmt.Sprintf(`{"osdid": %d}`, id)
	case "osd dump":
		var osds []string
		for uuid, id := range n.ids {
			state := `"exists", "new"`
			if n.booted[id] {
				state = `"exists", "up"`
			}
			osds = append(osds, fmt.Sprintf(`{"osd": %d, "uuid": %q, "state": [%s]}`, id, uuid, state))
		}
		for i, d := range n.names() {
			if n.made[d] && !n.purged[d] {
				osds = append(osds, fmt.Sprintf(`{"osd": %d, "uuid": "uuid-%s", "state": ["exists", "up"]}`, i, d))
			}
		}
		answer = fmt.Sprintf(`{"epoch": 5, "fsid": %q, "osds": [%s]}`, fsid, strings.Join(osds, ","))
	case "auth get":
		return "", doortest.Exit(2, "Error ENOENT: failed to find "+args[2]+" in keyring")
	case "auth get-or-create-key":
		answer = `{"key": "AQBkey=="}`
	default:
		return "", doortest.Exit(22, "Error EINVAL: unexpected "+command)
	}
	n.Files[args[len(args)-1]] = doortest.File{Data: []byte(answer)}
	return "", nil
}

func (n *storageNode) osd(args []string) (string, error) {
	for _, a := range args {
		if data, ok := strings.CutPrefix(a, "--osd-data="); ok {
			if _, ok := n.Files[data+"/keyring"]; !ok {
				return "", doortest.Exit(1, "no keyring")
			}
			n.Files[data+"/ready"] = doortest.File{Data: []byte("ready\n")}
			n.Files[data+"/ceph_fsid"] = doortest.File{Data: []byte(fsid + "\n")}
		}
	}
	return "", nil
}

// run runs a job and returns its result.
func (n *storageNode) run(t *testing.T, r prepare.Request) (prepare.Result, error) {
	t.Helper()
	ran := prepare.Run(context.Background(), n.Doors(), prepare.Env{Request: r, Namespace: "rook-ceph"})
	result, err := prepare.DecodeResult(doortest.Get(t, n.World, "rook-ceph", prepare.ResultName("n1"), &corev1.ConfigMap{}))
	if err != nil {
		t.Fatal(err)
	}
	if result.Hash != r.Hash() {
		t.Errorf("the result is that of request %q, not %q", result.Hash, r.Hash())
	}
	return result, ran
}

func (n *storageNode) ran(program string) (runs []string) {
	for _, c := range n.Commands {
		if strings.HasPrefix(c, program+" ") {
			runs = append(runs, c)
		}
	}
	n.Commands = nil
	return runs
}

func directory(version int, path string, config v1.Config) prepare.Request {
	return request(version, v1.Selection{Directories: []v1.Directory{{Path: path, Config: config}}}, nil)
}

func TestADirectoryBecomesAnOSDOnce(t *testing.T) {
	n := newNode(t)
	r := directory(13, "/var/lib/rook", v1.Config{"journalSizeMB": "1024"})
	uuid, err := prepare.DirectoryUUID(fsid, "n1", "/var/lib/rook/")
	if err != nil {
		t.Fatal(err)
	}
	want := prepare.Result{
		Phase: prepare.Completed, Hash: r.Hash(),
		OSDs: []prepare.OSD{{ID: 0, UUID: uuid, Store: "filestore", Directory: "/var/lib/rook"}},
	}
	got, err := n.run(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	data := "/var/lib/rook/osd0"
	mkfs := "ceph-osd --mkfs --fsid=" + fsid + " --id=0 --osd-uuid=" + uuid + " --osd-data=" + data + " --keyring=" + data + "/keyring" +
		" --osd-objectstore=filestore --osd-journal=" + data + "/journal --osd-journal-size=1024"
	if diff := cmp.Diff([]string{mkfs}, n.ran("ceph-osd")); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	keyring := n.Files[data+"/keyring"]
	wantKeyring := "[osd.0]\n\tkey = AQBkey==\n"
	if string(keyring.Data) != wantKeyring || keyring.Mode != 0o600 {
		t.Errorf("keyring, mode %o:\n%s", keyring.Mode, keyring.Data)
	}

	n.booted[0] = true
	again, err := n.run(t, r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again); diff != "" {
		t.Errorf("run again (-want +got):\n%s", diff)
	}
	if runs := n.ran("ceph-osd"); len(runs) != 0 {
		t.Errorf("the store was made again: %v", runs)
	}
}

func TestDirectoriesAndStores(t *testing.T) {
	bluestore := v1.Config{"storeType": "bluestore"}
	for name, c := range map[string]struct {
		version int
		config  v1.Config
		store   v1.Setting
		reason  string
	}{
		"filestore by itself":         {14, nil, "filestore", ""},
		"bluestore where it is asked": {13, bluestore, "bluestore", ""},
		"the last with filestore":     {17, nil, "filestore", ""},
		"filestore is over":           {18, nil, "", "directories become filestore OSDs, which 18.2.0 reef does not support: set storeType bluestore"},
		"bluestore goes on":           {20, bluestore, "bluestore", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t)
			got, err := n.run(t, directory(c.version, "/data", c.config))
			if err != nil {
				t.Fatal(err)
			}
			if c.reason != "" {
				compareReasons(t, map[string]string{"/data": c.reason}, got.Unused)
				return
			}
			if len(got.OSDs) != 1 || got.OSDs[0].Store != c.store {
				t.Errorf("OSDs %v", got.OSDs)
			}
		})
	}
}

func TestADirectoryThatMustNotBeUsed(t *testing.T) {
	r := directory(14, "/data", nil)
	t.Run("another cluster's", func(t *testing.T) {
		n := newNode(t)
		n.Files["/data/osd3"] = doortest.File{}
		n.Files["/data/osd3/ceph_fsid"] = doortest.File{Data: []byte("another\n")}
		got, err := n.run(t, r)
		if err != nil {
			t.Fatal(err)
		}
		compareReasons(t, map[string]string{"/data": "it holds osd3 of another cluster (fsid another)"}, got.Unused)
		if len(n.ids) != 0 {
			t.Error("an OSD was registered for it")
		}
	})
	t.Run("its data is gone", func(t *testing.T) {
		n := newNode(t)
		if _, err := n.run(t, r); err != nil {
			t.Fatal(err)
		}
		n.booted[0] = true
		delete(n.Files, "/data/osd0/ready")
		n.ran("ceph-osd")
		got, err := n.run(t, r)
		if err != nil {
			t.Fatal(err)
		}
		compareReasons(t, map[string]string{"/data": "osd.0 has had its data here, and it is gone"}, got.Unused)
		if runs := n.ran("ceph-osd"); len(runs) != 0 {
			t.Errorf("a store was made over it: %v", runs)
		}
	})
}

func TestDevicesBecomeOSDs(t *testing.T) {
	n := newNode(t, "sda", "sdb", "sdc")
	n.broken["sdb"] = true
	r := request(14, all(), nil)
	got, err := n.run(t, r)
	if err != nil {
		t.Fatal(err)
	}
	want := []prepare.OSD{
		{ID: 0, UUID: "uuid-sda", Store: "bluestore", Device: "sda"},
		{ID: 2, UUID: "uuid-sdc", Store: "bluestore", Device: "sdc"},
	}
	if diff := cmp.Diff(want, got.OSDs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(got.Unused) != 1 || got.Unused[0].Name != "sdb" || !strings.Contains(got.Unused[0].Reason, "sdb is broken") {
		t.Errorf("unused %v", got.Unused)
	}
	if mode := n.Files["/var/lib/ceph/bootstrap-osd/ceph.keyring"].Mode; mode != 0o600 {
		t.Errorf("the bootstrap keyring has mode %o", mode)
	}

	n.broken = map[string]bool{}
	n.ran("ceph-volume")
	if got, err = n.run(t, r); err != nil || len(got.OSDs) != 3 || len(got.Unused) != 0 {
		t.Errorf("run again: %v %v", got, err)
	}
	var batches []string
	for _, run := range n.ran("ceph-volume") {
		if strings.Contains(run, "batch") {
			batches = append(batches, run)
		}
	}
	if len(batches) != 1 || !strings.HasSuffix(batches[0], "/dev/sdb") {
		t.Errorf("what was there was made again: %v", batches)
	}
}

func TestAFailureIsReportedAndTheNextRunGoesOn(t *testing.T) {
	n := newNode(t, "sda")
	if _, err := n.run(t, request(14, all(), nil)); err != nil {
		t.Fatal(err)
	}
	r := directory(14, "/data", nil)
	n.down = doortest.Exit(1, "timed out")
	got, err := n.run(t, r)
	if err == nil || got.Phase != prepare.Failed || !strings.Contains(got.Message, "timed out") {
		t.Errorf("got %v, %v", got, err)
	}
	if len(got.OSDs) != 1 {
		t.Errorf("the OSDs that are there were forgotten: %v", got.OSDs)
	}
	n.down = nil
	if got, err = n.run(t, r); err != nil || got.Phase != prepare.Completed || got.Message != "" || len(got.OSDs) != 2 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestGarbageIsAFailureThatNamesIt(t *testing.T) {
	for program, says := range map[string]string{"lsblk": "half a li", "ceph-volume": `{"0": [`} {
		n := newNode(t)
		n.Programs[program] = func([]string) (string, error) { return says, nil }
		got, err := n.run(t, request(14, all(), nil))
		if err == nil || got.Phase != prepare.Failed || !strings.Contains(got.Message, program) {
			t.Errorf("%s: got %v, %v", program, got, err)
		}
	}
}

func TestParseEnv(t *testing.T) {
	r := request(14, named("sdb"), v1.Config{"osdsPerDevice": "2"})
	env, err := prepare.ParseEnv(func(name string) string {
		return map[string]string{"POD_NAMESPACE": "ns", "TIDEPOOL_OSD_REQUEST": r.Encode()}[name]
	})
	if err != nil || env.Namespace != "ns" {
		t.Fatal(env, err)
	}
	if diff := cmp.Diff(r, env.Request); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, vars := range []map[string]string{{}, {"POD_NAMESPACE": "ns"}, {"POD_NAMESPACE": "ns", "TIDEPOOL_OSD_REQUEST": "{"}} {
		if _, err := prepare.ParseEnv(func(name string) string { return vars[name] }); err == nil {
			t.Errorf("%v was read", vars)
		}
	}
}

func TestTheHashIsOfWhatIsAsked(t *testing.T) {
	base := request(14, named("sdb"), nil)
	same := request(16, named("sdb"), nil)
	same.Storage.Resources = corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": {}}}
	if base.Hash() != same.Hash() {
		t.Error("an upgrade or new limits would prepare the node again")
	}
	other := request(14, named("sdc"), nil)
	configured := request(14, named("sdb"), v1.Config{"osdsPerDevice": "2"})
	if base.Hash() == other.Hash() || base.Hash() == configured.Hash() {
		t.Error("another request has the same hash")
	}
}

func TestNamesAreShortEnough(t *testing.T) {
	if got := prepare.Name("rook-ceph-osd", "n1", "status"); got != "rook-ceph-osd-n1-status" {
		t.Error(got)
	}
	long, other := strings.Repeat("a", 200), strings.Repeat("a", 199)+"b"
	got := prepare.Name("rook-ceph-osd", long, "status")
	if len(got) > 63 || got == prepare.Name("rook-ceph-osd", other, "status") {
		t.Error(got)
	}
}

// TestADiskThatLostItsOSD: the disk is kept until the OSD is removed, and one
// whose OSD was removed is kept until it is wiped.
func TestADiskThatLostItsOSD(t *testing.T) {
	n := newNode(t, "sdb", "sdc")
	r := request(16, v1.Selection{DeviceFilter: "^sd"}, nil)
	both, err := n.run(t, r)
	if err != nil || len(both.OSDs) != 2 {
		t.Fatalf("%+v, %v", both, err)
	}
	n.devices["sdc"] = false // wiped
	check := func(osds, lost int, reason string) {
		t.Helper()
		n.Commands = nil
		for range 2 { // and the second run remembers what the first found
			got, err := n.run(t, r)
			if err != nil || len(got.OSDs) != osds || len(got.Lost) != lost {
				t.Fatalf("%+v, %v", got, err)
			}
			if reason != "" && (len(got.Unused) != 1 || !strings.Contains(got.Unused[0].Reason, reason)) {
				t.Fatalf("unused: %v", got.Unused)
			}
		}
	}
	check(1, 1, "it carried osd.1, whose data is gone")
	n.purged["sdc"] = true
	check(2, 0, "") // it is used again
	n.purged["sdb"] = true
	check(1, 0, "it carries osd.0, which was removed from the cluster: wipe it")
}
