package crush

import (
	"math"
	"slices"
	"strings"
)

// None stands in a result of an erasure-coded pool where no device was found.
const None = math.MaxInt32

// tries is how often another item is drawn where the first cannot be taken.
const tries = 50

// Placer finds devices by the rules of a map, which must not change meanwhile.
type Placer struct {
	m *Map
	// usable is the chance, 0 to 1, that a device is taken: its reweight, 0 for
	// a device that is out or does not exist.
	usable func(device int) float64
}

// NewPlacer makes a placer.
func (m *Map) NewPlacer(usable func(device int) float64) *Placer {
	return &Placer{m, usable}
}

// Place finds up to n devices for the input x, which stands for a placement
// group. Where a rule finds fewer, the result of a replicated rule is shorter
// and that of an erasure rule has [None] there.
func (p *Placer) Place(rule *Rule, x uint64, n int) []int {
	var out, work []int
	for _, s := range rule.Steps {
		mode, choose := strings.CutPrefix(s.Op, "choose_")
		leafMode, leaf := strings.CutPrefix(s.Op, "chooseleaf_")
		switch {
		case s.Op == "take":
			work = []int{s.Item}
		case choose || leaf:
			want := s.Num
			if want <= 0 {
				want += n
			}
			var next []int
			for _, from := range work {
				next = append(next, p.choose(from, x, want, s.Type, leaf, mode == "indep" || leafMode == "indep")...)
			}
			work = next
		case s.Op == "emit":
			out = append(out, work...)
			work = nil
		}
	}
	if len(out) > n {
		out = out[:n]
	}
	return out
}

// choose draws want different items of a level below a bucket, and with leaf a
// device in each.
func (p *Placer) choose(from int, x uint64, want, level int, leaf, indep bool) []int {
	var domains, found []int
	for i := range want {
		domain, device, ok := 0, 0, false
		for try := 0; try < tries && !ok; try++ {
			domain, ok = p.descend(from, mix(x, uint64(i), uint64(try)), level)
			if ok = ok && !slices.Contains(domains, domain); !ok {
				continue
			}
			device = domain
			if leaf && domain < 0 {
				device, ok = p.leaf(domain, mix(x, uint64(i), uint64(try)))
			} else if domain >= 0 {
				ok = p.takes(domain, x)
			}
		}
		switch {
		case ok:
			domains, found = append(domains, domain), append(found, device)
		case indep:
			found = append(found, None)
		}
	}
	return found
}

func (p *Placer) leaf(domain int, x uint64) (int, bool) {
	for try := range tries {
		d, ok := p.descend(domain, mix(x, 1, uint64(try)), 0)
		if ok && p.takes(d, x) {
			return d, true
		}
	}
	return 0, false
}

// takes says whether a device is taken, which depends on its reweight.
func (p *Placer) takes(device int, x uint64) bool {
	u := p.usable(device)
	return u >= 1 || u > 0 && float64(mix(x, uint64(device), 7)>>11)/(1<<53) < u
}

// descend walks from a bucket down to an item of a level, at each bucket drawing
// an item by weight: the one with the highest ln(u)/w, so that a change of one
// weight moves only what that item wins or loses.
func (p *Placer) descend(from int, x uint64, level int) (int, bool) {
	for p.m.TypeOf(from) != level {
		b := p.m.Bucket(from)
		if b == nil {
			return 0, false
		}
		best, bestDraw := 0, math.Inf(-1)
		for _, i := range b.Items {
			if i.Weight == 0 {
				continue
			}
			u := (float64(mix(x, uint64(int64(i.ID)), 3)>>11) + 1) / (1 << 53)
			if draw := math.Log(u) / float64(i.Weight); draw > bestDraw {
				best, bestDraw = i.ID, draw
			}
		}
		if math.IsInf(bestDraw, -1) {
			return 0, false
		}
		from = best
	}
	return from, true
}

// mix hashes three numbers (splitmix64 steps).
func mix(a, b, c uint64) uint64 {
	h := a
	for _, v := range [...]uint64{b, c} {
		h = (h ^ v) + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}
