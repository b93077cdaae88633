package filesystem

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// seen is what Ceph has.
type seen struct {
	fsmap ceph.FSMap
	// pools by number.
	pools map[int]ceph.Pool
}

func (s seen) filesystem(name string) *ceph.Filesystem { return s.fsmap.Named(name) }

// fits refuses a file system of the wanted name that is another one.
func fits(w want, s seen) error {
	f := s.filesystem(w.name)
	if f == nil {
		return nil
	}
	if is := s.pools[f.MetadataPool].Name; is != w.metadataPool() {
		return pass.Refuse(v1.ReasonInvalidSpec,
			"the file system %s is there and keeps its metadata in the pool %s, not %s; name the pool so, or take another name for the file system",
			w.name, is, w.metadataPool())
	}
	return nil
}

// missing are the wanted data pools that the file system does not have.
func missing(w want, s seen) []string {
	f := s.filesystem(w.name)
	return slices.DeleteFunc(w.dataPools(), func(name string) bool {
		return slices.ContainsFunc(f.DataPools, func(id int) bool { return s.pools[id].Name == name })
	})
}

// surplus names the data pools that the file system has and the spec does not
// name; "" for none. They may hold files.
func surplus(w want, s seen) string {
	f := s.filesystem(w.name)
	if f == nil {
		return ""
	}
	var names []string
	for _, id := range f.DataPools {
		if name := s.pools[id].Name; !slices.Contains(w.dataPools(), name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "the file system keeps data pools that the spec does not name, since files may be in them: " + strings.Join(names, ", ")
}

// What a setting of a file system is about.
type setting int

const (
	setRanks setting = iota
	setFollowers
)

// change is a setting that is to change.
type change struct {
	what  setting
	ranks int
	on    bool
}

// settings are the changes that bring a file system to that many ranks, and to
// standbys that follow or do not. Followers are sent home before ranks change:
// one that follows a rank is no standby for another.
func settings(f *ceph.Filesystem, ranks int, follow bool) []change {
	var all []change
	if f.StandbyReplay && !follow {
		all = append(all, change{what: setFollowers, on: false})
	}
	if f.MaxMDS != ranks {
		all = append(all, change{what: setRanks, ranks: ranks})
	}
	if !f.StandbyReplay && follow {
		all = append(all, change{what: setFollowers, on: true})
	}
	return all
}

// unserved says what is still to come until the wanted ranks are active; "" if
// they are.
func unserved(f *ceph.Filesystem, ranks int) string {
	active := len(f.Active())
	var others []string
	for _, m := range f.MDS {
		switch {
		case m.Laggy:
			others = append(others, "mds."+m.Name+" is not heard of")
		case m.State != ceph.MDSActive && m.State != ceph.MDSStandbyReplay:
			others = append(others, "mds."+m.Name+" is "+m.State)
		}
	}
	if len(f.Damaged) > 0 {
		others = append(others, "a rank is damaged: see ceph health detail")
	}
	if active == ranks && len(f.In) == ranks && len(others) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d active MDS, it has %d", ranks, active)
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}
