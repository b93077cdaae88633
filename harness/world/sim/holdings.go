package sim

import (
	"crypto/sha256"
	"fmt"
	"path"

	"github.com/tidepool-ceph/tidepool/sim/ceph/volume"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// kubeletDir is the kubelet's own.
const kubeletDir = "/var/lib/kubelet"

// NodeHolds lists what a node holds: its files and directories by path, those of
// the kubelet aside, and its disks with what lies on them.
func (w *World) NodeHolds(node string) ([]string, error) {
	m, err := w.machine(node)
	if err != nil {
		return nil, err
	}
	held, err := filesBelow(m.Files, "/")
	if err != nil {
		return nil, err
	}
	for _, d := range m.Devices {
		held = append(held, holdings("disk ", d)...)
	}
	return held, nil
}

// MoveNodeFile gives a file or directory of a node another path.
func (w *World) MoveNodeFile(node, from, to string) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	return m.Files.Rename(from, to)
}

// ProtectDevice makes a disk one that cannot be written any more.
func (w *World) ProtectDevice(node, device string) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	i := deviceAt(m, device)
	if i < 0 {
		return fmt.Errorf("the node %q has no disk %q", node, device)
	}
	m.Devices[i].ReadOnly = true
	return nil
}

// filesBelow lists a directory and those in it, files with the hash of their
// content and directories with a slash at the end.
func filesBelow(files *host.FS, dir string) ([]string, error) {
	names, err := files.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var held []string
	for _, name := range names {
		at := path.Join(dir, name)
		if at == kubeletDir {
			continue
		}
		info, err := files.Stat(at)
		if err != nil {
			return nil, err
		}
		if info.Dir {
			below, err := filesBelow(files, at)
			if err != nil {
				return nil, err
			}
			line := at + "/"
			if files.State(at) != nil {
				line += " (a store)"
			}
			held = append(append(held, line), below...)
			continue
		}
		data, err := files.ReadFile(at)
		if err != nil {
			return nil, err
		}
		held = append(held, fmt.Sprintf("%s %x", at, sha256.Sum256(data)))
	}
	return held, nil
}

// holdings are a device and what lies on it; one that carries nothing is only
// named.
func holdings(prefix string, d *host.Device) []string {
	line := prefix + d.Name
	if d.Filesystem != "" {
		line += " " + d.Filesystem
	}
	if s := volume.StoreOn(d); s != nil {
		line += fmt.Sprintf(" osd.%d of %s", s.OSD, s.ClusterFSID)
	}
	held := []string{line}
	for _, part := range d.Partitions {
		held = append(held, holdings(line+"/", part)...)
	}
	if len(d.Partitions) > 0 && d.Filesystem == "" {
		held[0] += " in parts"
	}
	return held
}
