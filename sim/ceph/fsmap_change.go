package ceph

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// mdsBlocked is how long an MDS that has failed may not talk to OSDs
// (mds_blocklist_interval).
const mdsBlocked = 24 * time.Hour

func (t *change) fsmap() *FSMap {
	return section(t.old.FSMap, &t.new.FSMap, (*FSMap).clone)
}

// filesystem hands out a copy of a file system that may be written to, and puts
// it into the map.
func (t *change) filesystem(id int) *Filesystem {
	m := t.fsmap()
	i := slices.IndexFunc(m.Filesystems, func(f *Filesystem) bool { return f.ID == id })
	if m.Filesystems[i] == t.old.FSMap.byID(id) {
		m.Filesystems[i] = m.Filesystems[i].clone()
	}
	f := m.Filesystems[i]
	f.Epoch, f.Modified = t.old.FSMap.Epoch+1, t.now
	return f
}

// editMDS changes what is known of an MDS, wherever it is.
func (t *change) editMDS(gid uint64, fn func(i *MDSInfo)) {
	i, f := t.new.FSMap.mds(gid)
	if i == nil {
		return
	}
	c := *i
	fn(&c)
	if f == nil {
		list := t.fsmap().Standbys
		c.Epoch = t.old.FSMap.Epoch + 1
		list[slices.Index(list, i)] = &c
		return
	}
	list := t.filesystem(f.ID).MDS
	list[slices.Index(list, i)] = &c
}

// addStandby puts an MDS that has started into the map.
func (t *change) addStandby(i MDSInfo) {
	m := t.fsmap()
	i.Rank, i.State, i.Seq, i.Epoch = -1, mdsStandby, 1, t.old.FSMap.Epoch+1
	m.Standbys = append(m.Standbys, &i)
	slices.SortFunc(m.Standbys, byGID)
}

// promote gives a rank to a standby, or to the MDS that has followed it.
func (t *change) promote(gid uint64, id, rank int) {
	info, _ := t.new.FSMap.mds(gid)
	f := t.filesystem(id)
	c := *info
	c.Rank, c.Incarnation = rank, t.old.FSMap.Epoch+1
	switch {
	case slices.Contains(f.Stopped, rank):
		c.State = mdsStarting
		f.Stopped = without(f.Stopped, rank)
	case !slices.Contains(f.In, rank):
		c.State = mdsCreating
	default:
		c.State = mdsReplay
	}
	if !slices.Contains(f.In, rank) {
		f.In = sortedWith(f.In, rank)
	}
	f.Failed = without(f.Failed, rank)
	f.Up[rank] = gid
	t.serve(f, info, &c)
}

// follow makes a standby follow a rank.
func (t *change) follow(gid uint64, id, rank int) {
	info, _ := t.new.FSMap.mds(gid)
	c := *info
	c.Rank, c.State = rank, mdsStandbyReplay
	t.serve(t.filesystem(id), info, &c)
}

// serve moves an MDS to a file system.
func (t *change) serve(f *Filesystem, old, now *MDSInfo) {
	m := t.fsmap()
	m.Standbys = slices.DeleteFunc(m.Standbys, func(i *MDSInfo) bool { return i == old })
	f.MDS = slices.DeleteFunc(f.MDS, func(i *MDSInfo) bool { return i == old })
	f.MDS = append(f.MDS, now)
	slices.SortFunc(f.MDS, byGID)
}

// failMDS takes an MDS out of the map, and keeps one that held a rank from
// writing. The rank waits for another one.
func (t *change) failMDS(gid uint64) {
	info, f := t.new.FSMap.mds(gid)
	switch {
	case info == nil:
		return
	case f == nil:
		m := t.fsmap()
		m.Standbys = slices.DeleteFunc(m.Standbys, func(i *MDSInfo) bool { return i == info })
		return
	}
	next := t.filesystem(f.ID)
	next.MDS = slices.DeleteFunc(next.MDS, func(i *MDSInfo) bool { return i == info })
	if info.State == mdsStandbyReplay {
		return
	}
	if info.State == mdsCreating {
		next.In = without(next.In, info.Rank)
	} else {
		next.Failed = sortedWith(next.Failed, info.Rank)
	}
	delete(next.Up, info.Rank)
	m := t.osdmap()
	for _, a := range info.Addrs {
		m.Blocklist = append(m.Blocklist, Blocked{a, t.now.Add(mdsBlocked)})
	}
	slices.SortFunc(m.Blocklist, func(a, b Blocked) int { return strings.Compare(a.Addr.legacy(), b.Addr.legacy()) })
	next.LastFailureEpoch = t.old.OSDMap.Epoch + 1
}

// stopped gives back a rank that has been emptied; its MDS starts anew.
func (t *change) stopped(gid uint64) {
	info, f := t.new.FSMap.mds(gid)
	if info == nil || f == nil {
		return
	}
	next := t.filesystem(f.ID)
	next.MDS = slices.DeleteFunc(next.MDS, func(i *MDSInfo) bool { return i == info })
	next.In = without(next.In, info.Rank)
	next.Stopped = sortedWith(next.Stopped, info.Rank)
	delete(next.Up, info.Rank)
}

// human is an MDS in the cluster log.
func (i *MDSInfo) human() string { return fmt.Sprintf("daemon mds.%s", i.Name) }

func without(list []int, n int) []int {
	return slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x == n })
}

func sortedWith(list []int, n int) []int {
	out := append(without(list, n), n)
	slices.Sort(out)
	return out
}
