package filesystem

import (
	"strconv"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
)

// findings are what the status tells of a file system.
type findings struct {
	filesystem *ceph.Filesystem // nil: nothing is known of one
	// remarks are what the spec asks for and was not done on purpose.
	remarks []string
}

// report puts into the status what the file system is and what is to say of the
// spec.
func report(s *v1.DependentStatus, at dependent.Scene, spec *v1.FilesystemSpec, found findings) {
	if found.filesystem != nil {
		s.Info = map[string]string{v1.FilesystemInfoID: strconv.Itoa(found.filesystem.ID)}
		dependent.Note(s, at, v1.ConditionSpecAdjusted, v1.ReasonNotDone, strings.Join(found.remarks, "; "))
	}
	dependent.NoteUnserved(s, at, v1.UnservedFilesystemFields(*spec))
}
