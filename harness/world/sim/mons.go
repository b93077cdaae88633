package sim

import (
	"fmt"
	"time"
)

// monWatch is what [World.WatchMons] has seen.
type monWatch struct {
	fewest int // -1: none yet
	at     time.Time
	lost   string // the first time that a quorum was impossible
}

// WatchMons counts the mons of all clusters from now on.
func (w *World) WatchMons() {
	w.mons = &monWatch{fewest: -1}
	w.observe()
}

// FewestMons is how few of a cluster's mons ran and reached each other.
func (w *World) FewestMons() (int, time.Time) {
	if w.mons == nil {
		return 0, time.Time{}
	}
	return max(w.mons.fewest, 0), w.mons.at
}

// QuorumLost says when no quorum was possible; "" if there never was such a time.
func (w *World) QuorumLost() string {
	if w.mons == nil {
		return ""
	}
	return w.mons.lost
}

func (w *World) lastEffect() string {
	if len(w.effects) == 0 {
		return "(none)"
	}
	return fmt.Sprintf("%d (%s)", len(w.effects), w.effects[len(w.effects)-1].Text)
}

// observe is called whenever all events of an instant have run.
func (w *World) observe() {
	m := w.mons
	if m == nil {
		return
	}
	for _, c := range w.ceph.Mons() {
		if m.fewest < 0 || c.Together < m.fewest {
			m.fewest, m.at = c.Together, w.loop.Now()
		}
		if c.Members > 2 && c.Together <= c.Members/2 && m.lost == "" {
			m.lost = fmt.Sprintf("at %v no quorum was possible: %d of %d mons ran and reached each other, after the operator's effect %s",
				w.loop.Elapsed(), c.Together, c.Members, w.lastEffect())
		}
	}
}
