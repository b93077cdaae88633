package prepare

import v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"

// Wants says whether the job of a node with that storage could choose the device
// by its kind, name and paths, whatever state it is in: a change of one that it
// could not choose is no reason to run it. The error is that of a filter which is
// no regular expression.
func Wants(storage v1.Node, d Device, paths []string) (bool, error) {
	s := selector{request: Request{Storage: storage}, devices: []Device{d}, names: map[string]string{}}
	if err := s.compile(); err != nil {
		return false, err
	}
	for _, path := range paths {
		s.names[path] = d.Name
	}
	if len(s.disks()) == 0 {
		return false, nil
	}
	_, why := s.selected(d)
	return why == "", nil
}
