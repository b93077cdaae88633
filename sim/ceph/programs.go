package ceph

// programs are the programs of an image by name.
func programs() map[string]program {
	return map[string]program{
		"ceph":          cephMain,
		"ceph-mon":      monMain,
		"ceph-authtool": authtoolMain,
	}
}
