package cleanup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

const (
	// volumeTimeout is how long a run of ceph-volume may take.
	volumeTimeout = 20 * time.Minute
	// overwriteTimeout is how long it may take to overwrite one volume: days for
	// big disks, many times over.
	overwriteTimeout = 14 * 24 * time.Hour
)

// wipe is one thing that ceph-volume is told to destroy.
type wipe struct {
	// Target is a device of which all belongs to the cluster, or a volume of it on
	// a device that others use too.
	Target string
	// Volumes are the cluster's volumes in it.
	Volumes []string
}

// planDisks finds what of the devices belongs to the cluster.
func planDisks(fsid string, volumes []prepare.Volume, devices []prepare.Device) (wipes []wipe, left []string) {
	ours := map[string]bool{}   // by their names among the devices
	shared := map[string]bool{} // volume groups that others use too
	for _, v := range volumes {
		if v.FSID == fsid {
			ours[v.LV] = true
			continue
		}
		shared[group(v)] = true
		left = append(left, fmt.Sprintf("%s: it belongs to osd.%d of the cluster with fsid %s", v.Path, v.OSD.ID, v.FSID))
	}
	at := map[string]int{}
	put := func(target, volume string) {
		i, known := at[target]
		if !known {
			i = len(wipes)
			at[target], wipes = i, append(wipes, wipe{Target: target})
		}
		if !slices.Contains(wipes[i].Volumes, volume) {
			wipes[i].Volumes = append(wipes[i].Volumes, volume)
		}
	}
	for _, v := range volumes {
		if v.FSID != fsid {
			continue
		}
		target := v.Path
		// A group that ceph-volume has not made may have volumes that no device shows.
		alone := strings.HasPrefix(group(v), "ceph-") && !shared[group(v)]
		for _, d := range devices {
			if alone && d.Name == v.LV && d.Parent != "" && wholly(d.Parent, ours, devices) {
				target = "/dev/" + d.Parent
			}
		}
		put(target, v.Path)
	}
	return wipes, left
}

// group is the volume group of a volume.
func group(v prepare.Volume) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(v.Path, "/dev/"), "/")
	return name
}

// wholly says whether a disk shows nothing but volumes of the cluster.
func wholly(disk string, ours map[string]bool, devices []prepare.Device) bool {
	for _, d := range devices {
		if d.Name == disk && d.Type != "disk" || d.Parent == disk && !ours[d.Name] {
			return false
		}
	}
	return true
}

// disks wipes the OSDs' disks.
func (r *run) disks(ctx context.Context) error {
	list, err := r.doors.Exec.Run(ctx, exec.Command{Program: "ceph-volume", Args: []string{"lvm", "list", "--format", "json"}, Timeout: volumeTimeout})
	if err != nil {
		return fmt.Errorf("failed to list the OSDs on the devices: %w", err)
	}
	volumes, err := prepare.ParseList(string(list.Stdout))
	if err != nil {
		return err
	}
	devices, err := prepare.ListDevices(ctx, r.doors.Exec)
	if err != nil {
		return err
	}
	wipes, left := planDisks(r.request.FSID, volumes, devices)
	for _, text := range left {
		r.leave("%s", text)
	}
	var failed []error
	for _, w := range wipes {
		failed = append(failed, r.wipe(ctx, w))
	}
	return errors.Join(failed...)
}

// wipe overwrites volumes where that is asked for, and then takes away what says
// that they are there. Until then a further run finds them.
func (r *run) wipe(ctx context.Context, w wipe) error {
	if r.request.Disks.Method == "complete" {
		for _, volume := range w.Volumes {
			if err := r.exec(ctx, overwriteTimeout, "shred", append(overwrite(r.request.Disks.DataSource, int(r.request.Disks.Iteration)), volume)...); err != nil {
				return fmt.Errorf("failed to overwrite %s: %w", volume, err)
			}
		}
	}
	if err := r.exec(ctx, volumeTimeout, "ceph-volume", "lvm", "zap", "--destroy", w.Target); err != nil {
		return fmt.Errorf("failed to wipe %s: %w", w.Target, err)
	}
	r.doors.Log.Infof("wiped %s", w.Target)
	return nil
}

// overwrite are the arguments that have shred write all bytes that many times,
// at last zeros where they are asked for.
func overwrite(source string, times int) []string {
	times = max(times, 1)
	if source == "random" {
		return []string{"--force", "--iterations=" + strconv.Itoa(times)}
	}
	return []string{"--force", "--iterations=" + strconv.Itoa(times-1), "--zero"}
}

func (r *run) exec(ctx context.Context, timeout time.Duration, program string, args ...string) error {
	cmd := exec.Command{Program: program, Args: args, Timeout: timeout}
	r.doors.Log.Infof("EXEC %s", cmd)
	_, err := r.doors.Exec.Run(ctx, cmd)
	return err
}
