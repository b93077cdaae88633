package cleanup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
)

// ownDirs are what the cluster's daemons keep below <dataDirHostPath>/<namespace>.
// Only these are taken away: a namespace may be called as another cluster's mon
// is.
var ownDirs = []string{"log", "crash"}

// directories takes away the cluster's directories: of its mons, of its OSDs, and
// its logs.
func (r *run) directories(ctx context.Context) error {
	var failed []error
	names, err := r.names(dataMount)
	if err != nil {
		failed = append(failed, err)
	}
	for _, name := range names {
		if id, ok := strings.CutPrefix(name, "mon-"); ok {
			if _, ok := identity.MonID(id); ok {
				failed = append(failed, r.mon(ctx, id, name))
			}
		}
	}
	for _, name := range ownDirs {
		failed = append(failed, r.remove(path.Join(dataMount, r.request.Namespace, name), path.Join(r.request.DataDir, r.request.Namespace, name), ""))
	}
	failed = append(failed, r.removeEmpty(path.Join(dataMount, r.request.Namespace)))
	for i, directory := range r.request.Directories {
		failed = append(failed, r.osds(directoryMount(i), directory))
	}
	return errors.Join(failed...)
}

// beingWiped is a file with the fsid of the cluster in the directory of a mon
// that is taken away: the store, which knows it too, may be gone already.
const beingWiped = "being-wiped"

// mon takes away the directory of a mon if it is one of the cluster's.
func (r *run) mon(ctx context.Context, id, name string) error {
	dir, shown := path.Join(dataMount, name), path.Join(r.request.DataDir, name)
	if err := errors.Join(r.removeEmpty(path.Join(dir, "data")), r.removeEmpty(dir)); err != nil {
		return err
	}
	mark := path.Join(dir, beingWiped)
	fsid, err := r.doors.Files.ReadFile(mark)
	if err == nil && string(fsid) == r.request.FSID {
		return r.remove(dir, shown, beingWiped)
	}
	if names, err := r.names(path.Join(dir, "data")); err != nil || len(names) == 0 {
		return err
	}
	owner, err := r.mons.FSID(ctx, id, path.Join(dir, "data"))
	switch {
	case err != nil:
		r.leave("%s: it does not say which cluster it belongs to: %v", shown, err)
		return nil
	case owner != r.request.FSID:
		r.leave("%s: it belongs to the cluster with fsid %s", shown, owner)
		return nil
	}
	if err := r.doors.Files.WriteFile(mark, []byte(owner), 0o600); err != nil {
		return err
	}
	return r.remove(dir, shown, beingWiped)
}

// osdOwner is the file of an OSD's directory that holds its cluster's fsid.
const osdOwner = "ceph_fsid"

// osds takes away the stores of the cluster's OSDs in a directory.
func (r *run) osds(mount, shown string) error {
	names, err := r.names(mount)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range names {
		if !strings.HasPrefix(name, "osd") {
			continue
		}
		fsid, err := r.doors.Files.ReadFile(path.Join(mount, name, osdOwner))
		switch owner := strings.TrimSpace(string(fsid)); {
		case err != nil:
			r.leave("%s: it does not say which cluster it belongs to: %v", path.Join(shown, name), err)
		case owner != r.request.FSID:
			r.leave("%s: it belongs to the cluster with fsid %s", path.Join(shown, name), owner)
		default:
			failed = append(failed, r.remove(path.Join(mount, name), path.Join(shown, name), osdOwner))
		}
	}
	return errors.Join(failed...)
}

// names are those in a directory; none if there is no directory.
func (r *run) names(dir string) ([]string, error) {
	names, err := r.doors.Files.ReadDir(dir)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return names, nil
	}
	return nil, err
}

// removeEmpty removes a directory that is empty, and leaves any other.
func (r *run) removeEmpty(dir string) error {
	err := r.doors.Files.Remove(dir)
	if errors.Is(err, fs.ErrNotExist) || notEmpty(err) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	return err
}

func notEmpty(err error) bool { return errors.Is(err, fs.ErrExist) }

// remove takes away a directory with all that is in it, the file named last at
// the very end.
func (r *run) remove(dir, shown, last string) error {
	gone, err := r.removeAll(dir, last)
	if err != nil {
		return fmt.Errorf("failed to remove %s: %w", shown, err)
	}
	if gone {
		r.doors.Log.Infof("removed %s", shown)
	}
	return nil
}

// removeAll first tries each thing as if it were no directory, so that it never
// follows a link.
func (r *run) removeAll(name, last string) (gone bool, err error) {
	err = r.doors.Files.Remove(name)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case !notEmpty(err):
		return false, err
	}
	names, err := r.doors.Files.ReadDir(name)
	if err != nil {
		return false, err
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(rank(a, last), rank(b, last)) })
	for _, n := range names {
		if _, err := r.removeAll(path.Join(name, n), ""); err != nil {
			return false, err
		}
	}
	return true, r.doors.Files.Remove(name)
}

func rank(name, last string) int {
	if name == last {
		return 1
	}
	return 0
}
