package ceph

import (
	"context"
	"errors"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// EnableMsgr2 makes every mon listen for msgr2 on the standard port as well. The
// command goes bare, without connection flags (S101); the environment names the
// configuration of this cluster among several. It may be repeated. Releases before nautilus do
// not have it: [ErrUnsupported].
func (a *Admin) EnableMsgr2(ctx context.Context) error {
	if err := a.needs(Msgr2, "mon enable-msgr2"); err != nil {
		return err
	}
	_, err := a.exec.Run(ctx, exec.Command{
		Program: "ceph",
		Args:    []string{"mon", "enable-msgr2"},
		// /etc/ceph/ceph.conf is that of the cluster which was written last.
		Env:     []string{"CEPH_CONF=" + a.conn.Conf},
		Timeout: a.conn.timeout() + runMargin,
	})
	return failure(err)
}

// DaemonVersions says how many daemons of each type run which version text
// (`ceph versions`, S100).
type DaemonVersions struct {
	Mon       map[string]int `json:"mon"`
	Mgr       map[string]int `json:"mgr"`
	OSD       map[string]int `json:"osd"`
	MDS       map[string]int `json:"mds"`
	RBDMirror map[string]int `json:"rbd-mirror"`
	Overall   map[string]int `json:"overall"`
}

// MonVersion asks the cluster which version answers (`ceph version`, S100).
func (a *Admin) MonVersion(ctx context.Context) (Version, error) {
	type answer struct {
		Version string `json:"version"`
	}
	var v Version
	_, err := ask(ctx, a, func(said answer) (err error) { v, err = ParseVersion(said.Version); return err }, "version")
	return v, err
}

// Versions asks which versions the daemons run.
func (a *Admin) Versions(ctx context.Context) (DaemonVersions, error) {
	return ask(ctx, a, func(all DaemonVersions) error {
		if len(all.Overall) == 0 {
			return errors.New("it names no versions")
		}
		return nil
	}, "versions")
}
