package config

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// soon is when to look again for what another controller of the operator is
// about to write.
const soon = 5 * time.Second

// Admin administers a cluster outside of its own pass, with the files that the
// pass has written and the version that it has detected (S44, S75). What is not
// there yet is a [*pass.Waiting].
func Admin(doors door.Doors, settings pass.Settings, cluster *v1.CephCluster) (*ceph.Admin, error) {
	conn := Conn(&pass.Pass{Doors: doors, Settings: settings, Cluster: cluster})
	if _, err := doors.Files.ReadFile(conn.Conf); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, pass.WaitFor(v1.ReasonClusterNotReady, soon, "%s, which the operator writes", conn.Conf)
		}
		return nil, fmt.Errorf("failed to read %s: %w", conn.Conf, err)
	}
	if cluster.Status.Version == nil {
		return nil, pass.WaitFor(v1.ReasonClusterNotReady, soon, "the version of CephCluster %s/%s to be detected", cluster.Namespace, cluster.Name)
	}
	version, err := ceph.ParseVersion("ceph version " + cluster.Status.Version.Version)
	if err != nil {
		return nil, err
	}
	return ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, conn, version), nil
}
