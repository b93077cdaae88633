package prepare

import (
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// bootstrap is the entity with which ceph-volume registers OSDs, and where it
// looks for its key.
const (
	bootstrap        = "client.bootstrap-osd"
	bootstrapKeyring = "/var/lib/ceph/bootstrap-osd/ceph.keyring"
)

// volumeTimeout is how long a run of ceph-volume may take: big disks are slow
// to be formatted.
const volumeTimeout = 20 * time.Minute

// noKey leaves an OSD without a key until its store is made.
var noKey secret.Value

// Run prepares the node that env names, and reports what became of it. A device
// or directory that cannot be used does not keep the others; its reason is in
// the result. Run fails where nothing can be said: then the result says Failed,
// and another run goes on from there.
func Run(ctx context.Context, doors door.Doors, env Env) error {
	r := &run{doors: doors, env: env, admin: ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{
		Cluster: "ceph", Conf: path.Join(daemon.ConfigDir, "ceph.conf"), Keyring: daemon.KeyringFile,
	}, env.Request.Version)}
	hash := env.Request.Hash()
	doors.Log.Infof("preparing the OSDs of node %s (request %s)", env.Request.Node, hash)
	err := report(ctx, doors.Client, env, func(result *Result) {
		result.Phase, result.Hash, result.Message = Orchestrating, hash, ""
		r.past.found = append(slices.Clone(result.OSDs), result.Lost...)
	})
	if err != nil {
		return err
	}
	osds, unused, err := r.all(ctx)
	if err != nil {
		doors.Log.Errorf("node %s could not be prepared: %v", env.Request.Node, err)
		return errors.Join(err, report(ctx, doors.Client, env, func(result *Result) {
			result.Phase, result.Message = Failed, err.Error()
		}))
	}
	for _, osd := range osds {
		doors.Log.Infof("osd.%d is on %s (%s)", osd.ID, osd.On(), osd.Store)
	}
	for _, u := range unused {
		doors.Log.Infof("%s is not used: %s", u.Name, u.Reason)
	}
	return report(ctx, doors.Client, env, func(result *Result) {
		result.Phase, result.Message, result.OSDs, result.Unused = Completed, "", osds, unused
		result.Lost = r.past.still(osds)
	})
}

type run struct {
	doors door.Doors
	env   Env
	admin *ceph.Admin
	past  past
}

// all prepares devices and directories.
func (r *run) all(ctx context.Context) ([]OSD, []v1.UnusedDevice, error) {
	osds, unused, err := r.devices(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range r.env.Request.Storage.Directories {
		osd, err := r.directory(ctx, d)
		var why refused
		switch {
		case errors.As(err, &why):
			unused = append(unused, v1.UnusedDevice{Name: d.Path, Reason: string(why)})
		case err != nil:
			return nil, nil, err
		default:
			osds = append(osds, osd)
		}
	}
	return osds, unused, nil
}

// devices makes OSDs of the devices that are selected, and finds those that are
// there.
func (r *run) devices(ctx context.Context) ([]OSD, []v1.UnusedDevice, error) {
	plan, err := r.plan(ctx)
	if err != nil || len(plan.Make) == 0 {
		return plan.OSDs, plan.Unused, err
	}
	if err := r.bootstrap(ctx); err != nil {
		return nil, nil, err
	}
	failed := map[string]string{}
	for _, batch := range plan.Make {
		cmd := exec.Command{Program: "ceph-volume", Args: batch.Args(), Timeout: volumeTimeout}
		r.doors.Log.Infof("EXEC %s", cmd)
		_, err := r.doors.Exec.Run(ctx, cmd)
		if err == nil {
			continue
		}
		r.doors.Log.Errorf("ceph-volume failed for %s: %v", strings.Join(batch.Devices, ", "), err)
		for _, device := range batch.Devices {
			failed[device] = fmt.Sprintf("ceph-volume failed: %v", err)
		}
	}
	return r.made(ctx, failed)
}

// plan looks at what is there, and decides.
func (r *run) plan(ctx context.Context) (Plan, error) {
	devices, err := ListDevices(ctx, r.doors.Exec)
	if err != nil {
		return Plan{}, err
	}
	volumes, err := r.list(ctx)
	if err != nil {
		return Plan{}, err
	}
	names, err := r.links(ctx)
	if err != nil {
		return Plan{}, err
	}
	if err := r.look(ctx, volumes); err != nil {
		return Plan{}, err
	}
	r.past.remember(devices, volumes)
	return Select(r.env.Request, devices, volumes, names)
}

// made looks again at what is there after ceph-volume has run. A device for
// which it failed has that as its reason, also where traces of the attempt are
// on it now.
func (r *run) made(ctx context.Context, failed map[string]string) ([]OSD, []v1.UnusedDevice, error) {
	plan, err := r.plan(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, batch := range plan.Make {
		for _, device := range batch.Devices {
			plan.Unused = append(plan.Unused, v1.UnusedDevice{Name: device, Reason: "ceph-volume made no OSD of it"})
		}
	}
	for i, u := range plan.Unused {
		if why, ok := failed[u.Name]; ok {
			plan.Unused[i].Reason = why
		}
	}
	return plan.OSDs, plan.Unused, nil
}

func (r *run) list(ctx context.Context) ([]Volume, error) {
	out, err := r.doors.Exec.Run(ctx, exec.Command{Program: "ceph-volume", Args: []string{"lvm", "list", "--format", "json"}, Timeout: volumeTimeout})
	if err != nil {
		return nil, fmt.Errorf("failed to list the OSDs on the devices: %w", err)
	}
	return ParseList(string(out.Stdout))
}

// linkDirs are where udev keeps the names of devices that stay the same.
var linkDirs = []string{"/dev/disk/by-id", "/dev/disk/by-path"}

// links resolves the paths below /dev/disk that the request needs: those which
// it names, and those that match its devicePathFilter.
func (r *run) links(ctx context.Context) (map[string]string, error) {
	storage := r.env.Request.Storage
	var paths []string
	for _, d := range storage.Devices {
		paths = append(paths, d.Name, string(d.Config[v1.MetadataDevice]))
	}
	paths = append(paths, string(storage.Config[v1.MetadataDevice]))
	if storage.DevicePathFilter != "" {
		filter, err := regexp.Compile(storage.DevicePathFilter)
		if err != nil {
			return nil, fmt.Errorf("devicePathFilter %q is not a regular expression: %w", storage.DevicePathFilter, err)
		}
		for _, dir := range linkDirs {
			for _, name := range r.linksIn(dir) {
				if link := path.Join(dir, name); filter.MatchString(link) {
					paths = append(paths, link)
				}
			}
		}
	}
	names := map[string]string{}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if p == "" || !isLink(p) {
			continue
		}
		out, err := r.doors.Exec.Run(ctx, exec.Command{Program: "lsblk", Args: lsblkArgs("--nodeps", p)})
		if err != nil {
			continue // not a block device, or not there: Select says so
		}
		found, err := ParseDevices(string(out.Stdout))
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			names[p] = found[0].Name
		}
	}
	return names, nil
}

// linksIn lists a directory of links. A node need not have it.
func (r *run) linksIn(dir string) []string {
	names, err := r.doors.Files.ReadDir(dir)
	if err != nil {
		r.doors.Log.Debugf("no device links in %s: %v", dir, err)
		return nil
	}
	return names
}

// bootstrap puts the key with which ceph-volume registers OSDs where it looks
// for it.
func (r *run) bootstrap(ctx context.Context) error {
	entity, err := r.admin.AuthGet(ctx, bootstrap)
	if errors.Is(err, ceph.ErrNotFound) {
		entity.Key, err = r.admin.AuthGetOrCreateKey(ctx, bootstrap, ceph.Cap{Type: "mon", Allow: "allow profile bootstrap-osd"})
	}
	if err != nil {
		return fmt.Errorf("failed to get the key of %s: %w", bootstrap, err)
	}
	if err := r.doors.Files.MkdirAll(path.Dir(bootstrapKeyring), 0o755); err != nil {
		return err
	}
	return r.doors.Files.WriteFile(bootstrapKeyring, []byte(daemon.Keyring(bootstrap, entity.Key).Reveal()), 0o600)
}
