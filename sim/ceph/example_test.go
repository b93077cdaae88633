package ceph_test

import (
	"fmt"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph"
	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// A cluster with one monitor, made and asked through argv alone.
func Example() {
	l := loop.New(1)
	defer l.Close()
	network := host.NewNetwork()
	machine := host.NewMachine(l, network, "node1", "10.0.0.1")
	image := ceph.New(l, network).Image("16.2.15")
	for _, dir := range []string{"/etc/ceph", "/var/lib/ceph/mon"} {
		if err := machine.Files.MkdirAll(dir, 0o755); err != nil {
			fmt.Println(err)
		}
	}

	start := func(argv ...string) *host.Process {
		p := &host.Process{
			Args: argv, Env: map[string]string{}, Files: machine.Files, Machine: machine, Addr: machine.Addr,
			Image: image, Loop: l, Group: machine.Running,
		}
		p.Group.Go(argv[0], func() { p.Run() })
		return p
	}
	run := func(argv ...string) {
		p := start(argv...)
		l.RunFor(5 * time.Second)
		fmt.Print(p.Stdout.String(), p.Stderr.String())
	}

	const mon = "--mon-host=10.0.0.1"
	run("ceph-authtool", "--create-keyring", "/etc/ceph/keyring", "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
	run("ceph-mon", "--mkfs", "--id=a", "--fsid=dcef92d7-1f6a-4b9d-8ed0-0037d537d00b", "--keyring=/etc/ceph/keyring", mon)
	start("ceph-mon", "--id=a", "--foreground", "--keyring=/etc/ceph/keyring", mon)
	l.RunFor(5 * time.Second)
	run("ceph", "--name=mon.", "--keyring=/etc/ceph/keyring", mon, "mon", "stat")
	run("ceph", "--name=mon.", "--keyring=/etc/ceph/keyring", mon, "health", "detail")

	// Output:
	// creating /etc/ceph/keyring
	// e1: 1 mons at {a=[v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0]} removed_ranks: {}, election epoch 3, leader 0 a, quorum 0 a
	// HEALTH_WARN mon is allowing insecure global_id reclaim
	// [WRN] AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED: mon is allowing insecure global_id reclaim
	//     mon.a has auth_allow_insecure_global_id_reclaim set to true
}
