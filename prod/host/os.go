package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// OS is the real file system.
type OS struct{}

// ReadFile returns a file's whole content.
func (OS) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// WriteFile puts data under path in one step, also where the machine loses power
// in the middle: it writes a file beside it, brings that to the disk, and
// renames it. What stood under path before stays as it was if that fails. The
// mode is exact, whatever the umask.
func (OS) WriteFile(path string, data []byte, mode fs.FileMode) error {
	dir := filepath.Dir(path)
	temp, err := writeTemp(dir, "."+filepath.Base(path)+".*", data, mode)
	if err != nil {
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(dir)
}

// writeTemp brings data to the disk in a new file and returns its path. Until it
// has its mode, the owner alone can read it.
func writeTemp(dir, pattern string, data []byte, mode fs.FileMode) (string, error) {
	temp, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err == nil {
		err = temp.Chmod(mode)
	}
	if err == nil {
		err = temp.Sync()
	}
	if err = errors.Join(err, temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return temp.Name(), nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// MkdirAll makes a directory and those above it. The mode of one that it makes
// is exact, those above have it less the umask; one that is there stays as it is.
func (OS) MkdirAll(path string, mode fs.FileMode) error {
	_, err := os.Stat(path)
	missing := errors.Is(err, fs.ErrNotExist)
	if err := os.MkdirAll(path, mode); err != nil {
		return err
	}
	if missing {
		return os.Chmod(path, mode)
	}
	return nil
}

// ReadDir returns the names in a directory, sorted.
func (OS) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// Remove takes away a file or an empty directory.
func (OS) Remove(path string) error { return os.Remove(path) }
