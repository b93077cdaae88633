package sim

import "time"

// pgWatch is what [World.WatchPGs] has seen.
type pgWatch struct {
	most int
	at   time.Time
}

// WatchPGs counts the placement groups of all clusters from now on that have
// fewer OSDs than they need.
func (w *World) WatchPGs() { w.pgs = &pgWatch{} }

// ShortPGs is how many of them there were at most, and when.
func (w *World) ShortPGs() (int, time.Time) {
	if w.pgs == nil {
		return 0, time.Time{}
	}
	return w.pgs.most, w.pgs.at
}

// observePGs is called whenever all events of an instant have run.
func (w *World) observePGs() {
	if w.pgs == nil {
		return
	}
	if n := w.ceph.ShortPGs(); n > w.pgs.most {
		w.pgs.most, w.pgs.at = n, w.loop.Now()
	}
}
