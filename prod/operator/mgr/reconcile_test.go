package mgr_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/mgr"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// cluster answers the mgr's commands from a state of its own.
type cluster struct {
	*doortest.World
	spec    v1.ClusterSpec
	version ceph.Version
	pending string

	caps      map[string]string // of mgr.a, nil for none
	modules   []string
	config    map[string]string
	available bool
	login     string // the password that the dashboard takes
}

func newCluster(t *testing.T) *cluster {
	c := &cluster{
		World: doortest.New(t), version: ceph.Version{Major: 14, Minor: 2}, config: map[string]string{},
		spec: v1.ClusterSpec{
			CephVersion: v1.CephVersionSpec{Image: "ceph/ceph:v14.2.0-20190410"}, DataDirHostPath: "/var/lib/rook",
			Dashboard: v1.DashboardSpec{Enabled: true},
		},
	}
	c.Programs["ceph"] = c.ceph
	return c
}

func (c *cluster) ceph(args []string) (string, error) {
	out := args[len(args)-1]
	answer, err := c.answer(args)
	c.Files[out] = doortest.File{Data: []byte(answer)}
	return "", err
}

func (c *cluster) answer(args []string) (string, error) {
	line := strings.Join(args, " ")
	is := func(command string) bool { return strings.HasPrefix(line, command+" ") }
	switch {
	case is("auth get mgr.a"):
		if c.caps == nil {
			return "", doortest.Exit(2, "Error ENOENT: failed to find mgr.a in keyring")
		}
		var caps []string
		for kind, allow := range c.caps {
			caps = append(caps, fmt.Sprintf("%q: %q", kind, allow))
		}
		return fmt.Sprintf(`[{"entity": "mgr.a", "key": "AQBkey==", "caps": {%s}}]`, strings.Join(caps, ",")), nil
	case is("auth get-or-create-key mgr.a"), is("auth caps mgr.a"):
		c.caps = map[string]string{args[3]: args[4], args[5]: args[6], args[7]: args[8]}
		return `{"key": "AQBkey=="}`, nil
	case is("mgr module ls"):
		return fmt.Sprintf(`{"always_on_modules": [], "enabled_modules": ["%s"], "disabled_modules": []}`, strings.Join(c.modules, `","`)), nil
	case is("mgr module enable"):
		c.modules = append(c.modules, args[3])
	case is("mgr module disable"):
		c.modules = slices.DeleteFunc(c.modules, func(m string) bool { return m == args[3] })
	case is("config dump"):
		var set []string
		for name, value := range c.config {
			set = append(set, fmt.Sprintf(`{"section": "mgr", "name": %q, "value": %q, "mask": ""}`, name, value))
		}
		return "[" + strings.Join(set, ",") + "]", nil
	case is("config set mgr"):
		c.config[args[3]] = args[4]
	case is("mgr dump"):
		return fmt.Sprintf(`{"epoch": 3, "available": %v, "active_name": "a", "standbys": []}`, c.available), nil
	case is("dashboard create-self-signed-cert"):
		return "{}", c.loaded()
	case is("dashboard ac-user-create"):
		if c.login != "" {
			return "", doortest.Exit(17, "Error EEXIST: User 'admin' already exists")
		}
		c.login = args[3]
		return "{}", c.loaded()
	case is("dashboard ac-user-set-password"):
		c.login = args[3]
		return "{}", c.loaded()
	default:
		return "", doortest.Exit(22, "Error EINVAL: unexpected command "+line)
	}
	return "", nil
}

func (c *cluster) loaded() error {
	if !slices.Contains(c.modules, "dashboard") {
		return doortest.Exit(95, "Error ENOTSUP: Module 'dashboard' is not enabled")
	}
	return nil
}

// reconcile makes a pass and returns the commands that it ran, without those
// that only ask.
func (c *cluster) reconcile(t *testing.T) (changing []string) {
	t.Helper()
	doors := c.Doors()
	p := &pass.Pass{
		Doors: doors, Version: c.version, Identity: pass.Identity{FSID: "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"},
		Cluster: &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph", UID: "uid-1"}, Spec: *c.spec.DeepCopy()},
		Ceph: ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{
			Cluster: "rook-ceph", Conf: "/c", Keyring: "/k",
		}, c.version),
	}
	c.Commands, c.Writes = nil, nil
	if err := mgr.Reconcile(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	c.pending = ""
	for _, w := range p.Pending() {
		c.pending += w.For + "; "
	}
	for _, command := range c.Commands {
		asks := false
		for _, question := range []string{"auth get mgr.a", "mgr module ls", "config dump", "mgr dump"} {
			asks = asks || strings.HasPrefix(command, "ceph "+question+" ")
		}
		if !asks {
			changing = append(changing, command)
		}
	}
	return changing
}

// ready has the mgr's pod run.
func (c *cluster) ready(t *testing.T) {
	t.Helper()
	d := doortest.Get(t, c.World, "rook-ceph", "rook-ceph-mgr-a", &appsv1.Deployment{})
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, UpdatedReplicas: 1, ReadyReplicas: 1}
	if err := c.Kube.Status().Update(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	c.available = true
}

func (c *cluster) password(t *testing.T) string {
	t.Helper()
	return string(doortest.Get(t, c.World, "rook-ceph", mgr.PasswordSecret, &corev1.Secret{}).Data["password"])
}

// up brings the mgr up.
func up(t *testing.T) *cluster {
	c := newCluster(t)
	c.reconcile(t)
	c.ready(t)
	c.reconcile(t)
	return c
}

func TestTheMgrComesUp(t *testing.T) {
	c := newCluster(t)
	c.reconcile(t)
	if !strings.Contains(c.pending, "a mgr to be active") || !strings.Contains(c.pending, "deployment rook-ceph-mgr-a to be ready") {
		t.Errorf("it waits for %q", c.pending)
	}
	keyring := doortest.Get(t, c.World, "rook-ceph", "rook-ceph-mgr-a-keyring", &corev1.Secret{})
	want := "[mgr.a]\n\tkey = AQBkey==\n\tcaps mon = \"allow *\"\n\tcaps mds = \"allow *\"\n\tcaps osd = \"allow *\"\n"
	if got := string(keyring.Data["keyring"]); got != want {
		t.Errorf("keyring\n%s", got)
	}
	c.ready(t)
	c.reconcile(t)
	if c.pending != "" {
		t.Errorf("it waits for %q", c.pending)
	}
	if !slices.Equal(c.modules, []string{"prometheus", "dashboard"}) {
		t.Errorf("modules %v", c.modules)
	}
	if c.login == "" || c.login != c.password(t) {
		t.Errorf("the dashboard takes %q, the Secret says %q", c.login, c.password(t))
	}
	for _, line := range append(c.Lines, c.Commands...) {
		if strings.Contains(line, c.login) {
			t.Errorf("the password shows in %q", line)
		}
	}
}

func TestNothingToDoChangesNothing(t *testing.T) {
	c := up(t)
	if changing := c.reconcile(t); len(changing) != 0 {
		t.Errorf("it ran %v", changing)
	}
	if len(c.Writes) != 0 {
		t.Errorf("it wrote %v", c.Writes)
	}
}

func TestTheUsersPasswordGoesToCeph(t *testing.T) {
	c := up(t)
	held := doortest.Get(t, c.World, "rook-ceph", mgr.PasswordSecret, &corev1.Secret{})
	held.Data["password"] = []byte("the user's own")
	if err := c.Kube.Update(context.Background(), held); err != nil {
		t.Fatal(err)
	}
	c.reconcile(t)
	if c.login != "the user's own" || c.password(t) != "the user's own" {
		t.Errorf("the dashboard takes %q, the Secret says %q", c.login, c.password(t))
	}
}

func TestTheDashboardFollowsTheSpec(t *testing.T) {
	c := up(t)
	no := false
	c.spec.Dashboard.SSL, c.spec.Dashboard.URLPrefix = &no, "/ceph-dashboard"
	c.reconcile(t)
	for option, want := range map[string]string{"ssl": "false", "server_port": "7000", "url_prefix": "/ceph-dashboard"} {
		if got := c.config["mgr/dashboard/"+option]; got != want {
			t.Errorf("%s is %q", option, got)
		}
	}
	service := doortest.Get(t, c.World, "rook-ceph", "rook-ceph-mgr-dashboard", &corev1.Service{})
	if port := service.Spec.Ports[0]; len(service.Spec.Ports) != 1 || port.Name != "http-dashboard" || port.Port != 7000 {
		t.Errorf("ports %v", service.Spec.Ports)
	}

	c.spec.Dashboard = v1.DashboardSpec{}
	c.reconcile(t)
	if !slices.Equal(c.modules, []string{"prometheus"}) {
		t.Errorf("modules %v", c.modules)
	}
	err := c.Kube.Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph-mgr-dashboard"}, &corev1.Service{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the dashboard's service: %v", err)
	}
	doortest.Get(t, c.World, "rook-ceph", "rook-ceph-mgr", &corev1.Service{})
}

func TestOtherCapsArePutRight(t *testing.T) {
	c := up(t)
	c.caps["osd"] = "allow r"
	c.reconcile(t)
	if c.caps["osd"] != "allow *" {
		t.Errorf("caps %v", c.caps)
	}
}

func TestAModuleThatIsNotLoadedYetIsWaitedFor(t *testing.T) {
	c := newCluster(t)
	c.available = true
	c.Programs["ceph"] = func(args []string) (string, error) {
		if args[0] == "dashboard" {
			return "", doortest.Exit(22, "Error EINVAL: No handler found for 'dashboard create-self-signed-cert'")
		}
		return c.ceph(args)
	}
	c.reconcile(t)
	if !strings.Contains(c.pending, "the mgr to load the module dashboard") {
		t.Errorf("it waits for %q", c.pending)
	}
}
