package cleanup

import (
	"context"
	"errors"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

// LeftAlone begins a line of the job's log that tells of something that it has
// not taken away, and why.
const LeftAlone = "left alone: "

// Run wipes what the cluster has on this node. What fails does not keep the rest:
// another run goes on from there.
func Run(ctx context.Context, doors door.Doors, request Request) error {
	r := &run{doors: doors, request: request, mons: ceph.MonStore{Exec: doors.Exec, Files: doors.Files, Temp: "/tmp"}}
	doors.Log.Infof("wiping what the cluster %s (fsid %s) has on node %s", request.Namespace, request.FSID, request.Node)
	return errors.Join(r.disks(ctx), r.directories(ctx))
}

type run struct {
	doors   door.Doors
	request Request
	mons    ceph.MonStore
}

func (r *run) leave(format string, args ...any) {
	r.doors.Log.Warningf(LeftAlone+format, args...)
}
