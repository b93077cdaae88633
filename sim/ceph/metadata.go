package ceph

// values is the metadata by the names that `ceph … metadata` shows.
func (m Metadata) values() map[string]string {
	v := map[string]string{
		"addrs": m.Addrs.bracketed(), "arch": "x86_64", "ceph_version": m.Release.long(), "cpu": "Tidepool virtual CPU",
		"distro": "centos", "distro_description": "CentOS Stream 9", "distro_version": "9", "hostname": m.Hostname,
		"kernel_description": "#1 SMP", "kernel_version": "5.14.0", "mem_swap_kb": "0", "mem_total_kb": "16777216", "os": "Linux",
	}
	if m.Release.atLeast(nautilus) {
		v["ceph_version_short"], v["ceph_release"] = m.Release.version, m.Release.name
	}
	if m.PodName != "" {
		v["pod_name"], v["pod_namespace"] = m.PodName, m.PodNamespace
	}
	if m.ContainerHostname != "" {
		v["container_hostname"] = m.ContainerHostname
	}
	if m.Image != "" {
		v["container_image"] = m.Image
	}
	return v
}
