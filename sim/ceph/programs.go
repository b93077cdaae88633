package ceph

// programs are the programs of an image by name.
func programs() map[string]program {
	all := storagePrograms()
	all["ceph"], all["ceph-mon"], all["ceph-authtool"] = cephMain, monMain, authtoolMain
	return all
}
