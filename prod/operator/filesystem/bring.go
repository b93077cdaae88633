package filesystem

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// pass is a pass over the cluster of a file system's namespace, as far as a file
// system needs one. Until there is one the error is a [*pass.Waiting].
func (r *reconciler) pass(ctx context.Context, fs client.Object) (*pass.Pass, error) {
	cluster, err := dependent.ClusterOf(ctx, r.Client, fs.GetNamespace())
	if err != nil {
		return nil, err
	}
	admin, err := dependent.Admin(ctx, r.Doors, r.settings, cluster, fs.GetNamespace())
	if err != nil {
		return nil, err
	}
	p := &pass.Pass{Doors: r.Doors, Settings: r.settings, Cluster: cluster.DeepCopy(), Ceph: admin, Version: admin.Version()}
	// What runs, while another image is still being looked at.
	if image := version(cluster).Image; image != "" {
		p.Cluster.Spec.CephVersion.Image = image
	}
	fsid, err := identity.FSID(ctx, p)
	if err != nil {
		return nil, err
	}
	if fsid == "" {
		return nil, pass.WaitFor(v1.ReasonClusterNotReady, soon, "the identity of CephCluster %s/%s", cluster.Namespace, cluster.Name)
	}
	p.Identity = pass.Identity{FSID: fsid}
	return p, nil
}

// gang is one file system in one pass.
type gang struct {
	p     *pass.Pass
	fs    *v1.CephFilesystem
	want  want
	found findings
}

// remark notes what is to be told, "" for nothing.
func (g *gang) remark(text string) {
	if text != "" {
		g.found.remarks = append(g.found.remarks, text)
	}
}

// bring makes what is missing, and changes what differs.
func (g *gang) bring(ctx context.Context) error {
	seen, err := g.observe(ctx)
	if err != nil {
		return err
	}
	if err := fits(g.want, seen); err != nil {
		return err
	}
	for _, asked := range g.want.pools {
		created, remark, err := asked.Bring(ctx, g.p.Ceph)
		if created {
			g.tell("PoolCreated", "The pool %s was created", asked.Name)
		}
		g.remark(remark)
		if err != nil {
			return fmt.Errorf("pool %s: %w", asked.Name, err)
		}
	}
	if seen, err = g.made(ctx, seen); err != nil {
		return err
	}
	g.remark(surplus(g.want, seen))
	f := seen.filesystem(g.want.name)
	g.found.filesystem = f
	return g.servers(ctx, f)
}

func (g *gang) observe(ctx context.Context) (seen, error) {
	s := seen{pools: map[int]ceph.Pool{}}
	var err error
	if s.fsmap, err = g.p.Ceph.FSDump(ctx); err != nil {
		return seen{}, fmt.Errorf("failed to get the file systems: %w", err)
	}
	if len(s.fsmap.Filesystems) == 0 {
		return s, nil
	}
	pools, err := g.p.Ceph.Pools(ctx)
	if err != nil {
		return seen{}, fmt.Errorf("failed to get the pools: %w", err)
	}
	for _, p := range pools {
		s.pools[p.ID] = p
	}
	return s, nil
}

// made makes the file system if it is not there, and gives it the data pools that
// it lacks.
func (g *gang) made(ctx context.Context, s seen) (seen, error) {
	changed := false
	if s.filesystem(g.want.name) == nil {
		if err := g.make(ctx, s); err != nil {
			return seen{}, err
		}
		changed = true
		var err error
		if s, err = g.observe(ctx); err != nil {
			return seen{}, err
		}
		if s.filesystem(g.want.name) == nil {
			return seen{}, pass.WaitFor(v1.ReasonWaiting, soon, "the file system %s to be made", g.want.name)
		}
	}
	for _, name := range missing(g.want, s) {
		if err := g.p.Ceph.FSAddDataPool(ctx, g.want.name, name); err != nil {
			return seen{}, fmt.Errorf("failed to add the pool %s to the file system %s: %w", name, g.want.name, err)
		}
		changed = true
	}
	if !changed {
		return s, nil
	}
	return g.observe(ctx)
}

func (g *gang) make(ctx context.Context, s seen) error {
	if len(s.fsmap.Filesystems) > 0 && !s.fsmap.Multiple {
		if err := g.p.Ceph.FSEnableMultiple(ctx); err != nil {
			return fmt.Errorf("failed to allow a second file system: %w", err)
		}
	}
	meta, data := g.want.metadataPool(), g.want.dataPools()[0]
	err := g.p.Ceph.FSNew(ctx, g.want.name, meta, data)
	if errors.Is(err, ceph.ErrInvalid) && strings.Contains(err.Error(), "already contains some objects") {
		return pass.Refuse(v1.ReasonInvalidSpec,
			"the pool %[2]s holds the metadata of an earlier file system: to have that back, run: ceph fs new %[1]s %[2]s %[3]s --force --recover, and then: ceph fs set %[1]s joinable true; to lose it, remove the pool",
			g.want.name, meta, data)
	}
	if err != nil {
		return fmt.Errorf("failed to make the file system %s: %w", g.want.name, err)
	}
	g.tell("FilesystemCreated", "The file system %s was created", g.want.name)
	return nil
}

// tell says in log and Event what was done.
func (g *gang) tell(reason, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	g.p.Log.Infof("CephFilesystem %s/%s: %s", g.fs.Namespace, g.fs.Name, text)
	g.p.Events.Event(g.fs, door.Normal, reason, text)
}

// settle sets what differs of the file system's settings.
func (g *gang) settle(ctx context.Context, f *ceph.Filesystem, ranks int, follow bool) error {
	for _, c := range settings(f, ranks, follow) {
		var err error
		switch c.what {
		case setRanks:
			err = g.p.Ceph.FSSetMaxMDS(ctx, f.Name, c.ranks)
			g.p.Log.Infof("file system %s: %d active MDS are asked for, there were %d", f.Name, c.ranks, f.MaxMDS)
		case setFollowers:
			err = g.p.Ceph.FSSetStandbyReplay(ctx, f.Name, c.on)
			g.p.Log.Infof("file system %s: MDS that stand by follow one: %v", f.Name, c.on)
		}
		if err != nil {
			return fmt.Errorf("failed to set up the MDS of the file system %s: %w", f.Name, err)
		}
	}
	return nil
}

// wanted says whether an MDS is one of those that the spec asks for.
func (w want) wanted(id string) bool { return slices.Contains(w.ids, id) }
