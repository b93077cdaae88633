package ceph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/google/uuid"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
)

// MonStore reads the data directories of mons that do not run.
type MonStore struct {
	Exec  exec.Executor
	Files host.Files
	// Temp is a directory for what the programs hand on to each other.
	Temp string
}

// FSID is that of the cluster which a mon's data directory belongs to: it stands
// in the monmap of its store, which nothing but the mon's own program reads. A
// directory without a store is an error, and so is a store that a mon has open.
func (s MonStore) FSID(ctx context.Context, id, dataDir string) (fsid string, err error) {
	file := path.Join(s.Temp, "monmap."+id)
	_, err = s.Exec.Run(ctx, exec.Command{Program: "ceph-mon", Args: []string{"--extract-monmap", file, "-i", id, "--mon-data", dataDir}})
	if err != nil {
		return "", failure(err)
	}
	defer func() {
		if removed := s.Files.Remove(file); removed != nil && !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}()
	cmd := exec.Command{Program: "monmaptool", Args: []string{"--print", file}}
	res, err := s.Exec.Run(ctx, cmd)
	if err != nil {
		return "", failure(err)
	}
	for line := range strings.Lines(string(res.Stdout)) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), "fsid ")
		if !ok {
			continue
		}
		if _, err := uuid.Parse(text); err != nil {
			return "", garbled(cmd, res.Stdout, fmt.Errorf("the fsid is %q", text))
		}
		return text, nil
	}
	return "", garbled(cmd, res.Stdout, errors.New("it names no fsid"))
}
