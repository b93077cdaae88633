package prepare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
)

// DataDir is the directory in which the OSD of a directory keeps its store.
func DataDir(directory string, id int) string { return path.Join(directory, fmt.Sprintf("osd%d", id)) }

// DirectoryUUID is the uuid of the OSD of a directory. It follows from cluster,
// node and path, so that a run after a crash asks Ceph for the same OSD again.
func DirectoryUUID(fsid, node, directory string) (string, error) {
	space, err := uuid.Parse(fsid)
	if err != nil {
		return "", fmt.Errorf("the cluster's fsid %q is no UUID: %w", fsid, err)
	}
	return uuid.NewSHA1(space, []byte(node+":"+path.Clean(directory))).String(), nil
}

// store is the object store of a directory's OSD: filestore unless the spec says
// otherwise (S13), or why there can be none.
func store(config v1.Config, v ceph.Version) (v1.Setting, string) {
	wanted := config[v1.StoreType]
	if wanted == "" {
		wanted = v1.Filestore
	}
	if wanted == v1.Filestore && !v.Has(ceph.Filestore) {
		return "", fmt.Sprintf("directories become filestore OSDs, which %s does not support: set storeType bluestore, or use devices", v)
	}
	return wanted, ""
}

// refused is the reason why a directory is not used.
type refused string

func (r refused) Error() string { return string(r) }

// directory makes the OSD of a directory, or finds the one that is there.
func (r *run) directory(ctx context.Context, d v1.Directory) (OSD, error) {
	kind, why := store(d.Config, r.env.Request.Version)
	if why != "" {
		return OSD{}, refused(why)
	}
	id, err := DirectoryUUID(r.env.Request.FSID, r.env.Request.Node, d.Path)
	if err != nil {
		return OSD{}, err
	}
	if err := r.ours(d.Path); err != nil {
		return OSD{}, err
	}
	osd := OSD{UUID: id, Store: kind, Directory: d.Path}
	if osd.ID, err = r.admin.OSDNew(ctx, id, noKey); err != nil {
		return OSD{}, fmt.Errorf("failed to get an id for the OSD of %s: %w", d.Path, err)
	}
	data := DataDir(d.Path, osd.ID)
	made, err := r.exists(path.Join(data, "ready"))
	if err != nil || made {
		return osd, err
	}
	if err := r.fresh(ctx, osd); err != nil {
		return OSD{}, err
	}
	return osd, r.mkfs(ctx, osd, data, d.Config)
}

// ours refuses a directory that holds an OSD of another cluster.
func (r *run) ours(directory string) error {
	names, err := r.doors.Files.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that is not there is made
		return err
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "osd") {
			continue
		}
		fsid, err := r.doors.Files.ReadFile(path.Join(directory, name, "ceph_fsid"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if other := strings.TrimSpace(string(fsid)); other != r.env.Request.FSID {
			return refused(fmt.Sprintf("it holds %s of another cluster (fsid %s)", name, other))
		}
	}
	return nil
}

// fresh refuses to make a store anew for an OSD that has been up: its data is
// missing, as when a file system is not mounted.
func (r *run) fresh(ctx context.Context, osd OSD) error {
	dump, err := r.admin.OSDDump(ctx)
	if err != nil {
		return fmt.Errorf("failed to look for osd.%d in the osdmap: %w", osd.ID, err)
	}
	for _, known := range dump.OSDs {
		if known.ID == osd.ID && !slices.Contains(known.State, "new") {
			return refused(fmt.Sprintf("osd.%d has had its data here, and it is gone: mount the file system again, or purge the OSD", osd.ID))
		}
	}
	return nil
}

// mkfs makes the store of a directory's OSD and its keyring.
func (r *run) mkfs(ctx context.Context, osd OSD, data string, config v1.Config) error {
	name := fmt.Sprintf("osd.%d", osd.ID)
	caps := []ceph.Cap{{Type: "mon", Allow: "allow profile osd"}, {Type: "mgr", Allow: "allow profile osd"}, {Type: "osd", Allow: "allow *"}}
	key, err := r.admin.AuthGetOrCreateKey(ctx, name, caps...)
	if err != nil {
		return fmt.Errorf("failed to create the key of %s: %w", name, err)
	}
	if err := r.doors.Files.MkdirAll(data, 0o755); err != nil {
		return err
	}
	keyring := path.Join(data, "keyring")
	if err := r.doors.Files.WriteFile(keyring, []byte(daemon.Keyring(name, key).Reveal()), 0o600); err != nil {
		return err
	}
	args, err := MkfsArgs(r.env.Request.FSID, osd, data, config)
	if err != nil {
		return err
	}
	cmd := exec.Command{Program: "ceph-osd", Args: args, Timeout: 10 * time.Minute}
	r.doors.Log.Infof("EXEC %s", cmd)
	if _, err := r.doors.Exec.Run(ctx, cmd); err != nil {
		return fmt.Errorf("failed to make the store of %s: %w", name, err)
	}
	return nil
}

// MkfsArgs are the arguments of ceph-osd that make the store of a directory's
// OSD.
func MkfsArgs(fsid string, osd OSD, data string, config v1.Config) ([]string, error) {
	args := []string{
		"--mkfs",
		"--fsid=" + fsid,
		fmt.Sprintf("--id=%d", osd.ID),
		"--osd-uuid=" + osd.UUID,
		"--osd-data=" + data,
		"--keyring=" + path.Join(data, "keyring"),
		"--osd-objectstore=" + string(osd.Store),
	}
	if osd.Store == v1.Filestore {
		size, err := config.Number(v1.JournalSizeMB, 0)
		if err != nil {
			return nil, err
		}
		args = append(args, "--osd-journal="+path.Join(data, "journal"))
		if size > 0 {
			args = append(args, fmt.Sprintf("--osd-journal-size=%d", size))
		}
	}
	return args, nil
}

// exists says whether a file is there; what cannot be known is an error.
func (r *run) exists(file string) (bool, error) {
	_, err := r.doors.Files.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
