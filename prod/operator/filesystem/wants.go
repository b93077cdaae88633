package filesystem

import (
	"fmt"
	"slices"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/pool"
)

// application is what the pools of a file system are for.
const application = "cephfs"

// want is what a CephFilesystem asks for.
type want struct {
	name string
	// pools, that of the metadata first, then the default one for files.
	pools []pool.Asked
	// ranks is how many MDS serve; as many again stand by.
	ranks int
	// follow is whether those that stand by follow a rank.
	follow bool
	// ids are the names of all MDS.
	ids []string
	// remark is what the spec asks for and this release cannot do, "" for nothing.
	remark string
}

// wants reads what a CephFilesystem asks for. An error is a [*pass.Refused] that
// names the field.
func wants(fs *v1.CephFilesystem) (want, error) {
	w := want{name: fs.Name, ranks: fs.Spec.MetadataServer.ActiveCount, follow: fs.Spec.MetadataServer.ActiveStandby}
	refuse := func(format string, args ...any) (want, error) {
		return want{}, pass.Refuse(v1.ReasonInvalidSpec, format, args...)
	}
	if len(fs.Spec.DataPools) == 0 {
		return refuse("spec.dataPools is empty: a file system needs a pool for its files")
	}
	if first := fs.Spec.DataPools[0]; first.IsErasureCoded() {
		return refuse("spec.dataPools[0] is erasure coded, and Ceph keeps what must be found fast in the first data pool: put a replicated one before it")
	}
	add := func(name string, spec v1.PoolSpec, field string) error {
		asked := pool.Asked{Name: name, Application: application, Spec: spec}
		if slices.ContainsFunc(w.pools, func(p pool.Asked) bool { return p.Name == name }) {
			return pass.Refuse(v1.ReasonInvalidSpec, "spec.%s would be the pool %s, which another one is already: give it another name", field, name)
		}
		if err := asked.Check(); err != nil {
			return pass.Refuse(v1.ReasonInvalidSpec, "spec.%s.%v", field, err)
		}
		w.pools = append(w.pools, asked)
		return nil
	}
	if err := add(fs.MetadataPoolName(), fs.Spec.MetadataPool.PoolSpec, "metadataPool"); err != nil {
		return want{}, err
	}
	for i, name := range fs.DataPoolNames() {
		if err := add(name, fs.Spec.DataPools[i].PoolSpec, fmt.Sprintf("dataPools[%d]", i)); err != nil {
			return want{}, err
		}
	}
	if w.ranks < 1 {
		return refuse("spec.metadataServer.activeCount is %d: a file system needs at least 1 MDS", w.ranks)
	}
	for i := range 2 * w.ranks {
		w.ids = append(w.ids, fs.Name+"-"+identity.MonName(i))
	}
	return w, nil
}

// on is what of it a release can do.
func (w want) on(v ceph.Version) want {
	if w.follow && !v.Has(ceph.StandbyReplay) {
		w.follow = false
		w.remark = fmt.Sprintf("activeStandby needs Ceph 14; with %s the MDS stand by without following one", v.Number())
	}
	return w
}

func (w want) metadataPool() string { return w.pools[0].Name }

func (w want) dataPools() []string {
	var names []string
	for _, p := range w.pools[1:] {
		names = append(names, p.Name)
	}
	return names
}
