package daemon

import (
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// GlobalFlags are the arguments that every daemon starts with, in the seed's order
// (S117); from 14.2.1 on two more keep it from logging to files (S118). The blank
// at the end of the log prefix counts. keyring is the path of the daemon's own.
func GlobalFlags(fsid, keyring string, v ceph.Version) []string {
	flags := []string{
		"--fsid=" + fsid,
		"--keyring=" + keyring,
		"--log-to-stderr=true",
		"--err-to-stderr=true",
		"--mon-cluster-log-to-stderr=true",
		"--log-stderr-prefix=debug ",
	}
	if v.Has(ceph.DefaultLogFlags) {
		flags = append(flags, "--default-log-to-file=false", "--default-mon-cluster-log-to-file=false")
	}
	return append(flags,
		"--mon-host=$(ROOK_CEPH_MON_HOST)",
		"--mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)",
	)
}

// Flags are the global flags with the keyring that [KeyringMount] shows, and the
// daemon's id.
func Flags(fsid string, v ceph.Version, id string) []string {
	return append(GlobalFlags(fsid, KeyringFile, v), "--id="+id)
}
