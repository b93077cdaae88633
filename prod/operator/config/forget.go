package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Forget removes what the operator's container has of a cluster: its directory,
// with the keyring in it, and the copy that bare commands read if it is this
// cluster's (S58, S75).
func Forget(p *pass.Pass) error {
	copied := path.Join(p.EtcCephDir, FileKey)
	own, err := p.Files.ReadFile(Path(p))
	if err == nil {
		if now, err := p.Files.ReadFile(copied); err == nil && bytes.Equal(own, now) {
			if err := p.Files.Remove(copied); err != nil {
				return fmt.Errorf("failed to remove %s: %w", copied, err)
			}
		}
	}
	if err := remove(p.Files, Dir(p)); err != nil {
		return fmt.Errorf("failed to remove %s: %w", Dir(p), err)
	}
	return nil
}

// remove removes a file, or a directory with all that is in it. It follows no
// link: each is first tried as if it were no directory.
func remove(files host.Files, name string) error {
	err := files.Remove(name)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		return err
	}
	names, err := files.ReadDir(name)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := remove(files, path.Join(name, n)); err != nil {
			return err
		}
	}
	return files.Remove(name)
}
