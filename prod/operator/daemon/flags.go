package daemon

import (
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// Flags are the arguments that every daemon starts with, up to --id, in the
// seed's order (S117), with the keyring that [KeyringMount] shows. From 14.2.1 on
// two more keep it from logging to files (S118). The blank at the end of the log
// prefix counts.
func Flags(fsid string, v ceph.Version, id string) []string {
	return FlagsWithKeyring(fsid, KeyringFile, v, id)
}

// FlagsWithKeyring are the flags of a daemon that has its keyring elsewhere.
func FlagsWithKeyring(fsid, keyring string, v ceph.Version, id string) []string {
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
		"--id="+id,
	)
}
