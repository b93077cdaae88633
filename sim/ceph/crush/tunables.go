package crush

import "slices"

// Tunables steer how items are chosen, and with it which clients can read the
// map.
type Tunables struct {
	ChooseLocalTries         int
	ChooseLocalFallbackTries int
	ChooseTotalTries         int
	ChooseleafDescendOnce    int
	ChooseleafVaryR          int
	ChooseleafStable         int
	StrawCalcVersion         int
	AllowedBucketAlgs        int
}

const (
	legacyAlgs = 1<<1 | 1<<2 | 1<<4 // uniform, list, straw
	hammerAlgs = legacyAlgs | 1<<5  // and straw2
)

var profiles = []struct {
	name string
	t    Tunables
}{
	{"jewel", Tunables{0, 0, 50, 1, 1, 1, 0, hammerAlgs}},
	{"hammer", Tunables{0, 0, 50, 1, 1, 0, 0, hammerAlgs}},
	{"firefly", Tunables{0, 0, 50, 1, 1, 0, 0, legacyAlgs}},
	{"bobtail", Tunables{0, 0, 50, 1, 0, 0, 0, legacyAlgs}},
	{"argonaut", Tunables{2, 5, 19, 0, 0, 0, 0, legacyAlgs}},
}

// With gives the tunables of a profile. "legacy" is argonaut's, "optimal" and
// "default" are jewel's. As in Ceph straw_calc_version stays as it is, except
// that "legacy" clears and "default" sets it.
func (t Tunables) With(profile string) (Tunables, bool) {
	straw := t.StrawCalcVersion
	switch profile {
	case "legacy":
		profile, straw = "argonaut", 0
	case "default":
		profile, straw = "jewel", 1
	case "optimal":
		profile = "jewel"
	}
	for _, p := range profiles {
		if p.name == profile {
			t = p.t
			t.StrawCalcVersion = straw
			return t, true
		}
	}
	return t, false
}

// Profile names the profile that the tunables are, "unknown" if none.
// straw_calc_version and the allowed algorithms do not count.
func (t Tunables) Profile() string {
	i := slices.IndexFunc(profiles, func(p struct {
		name string
		t    Tunables
	},
	) bool {
		return p.t.core() == t.core() && (p.name != "hammer" || t.AllowedBucketAlgs == hammerAlgs) &&
			(p.name != "firefly" || t.AllowedBucketAlgs == legacyAlgs)
	})
	if i < 0 {
		return "unknown"
	}
	return profiles[i].name
}

func (t Tunables) core() Tunables {
	t.StrawCalcVersion, t.AllowedBucketAlgs = 0, 0
	return t
}

// Optimal says whether the tunables are the best that there are.
func (t Tunables) Optimal() bool { return t.core() == profiles[0].t.core() }

// Legacy says whether the tunables are those of argonaut.
func (t Tunables) Legacy() bool { return t.core() == profiles[len(profiles)-1].t.core() }

// Needs says which of the features that came with tunables clients must have:
// those of argonaut+1 (1), bobtail (2), firefly (3) and jewel (5).
func (t Tunables) Needs(generation int) bool {
	switch generation {
	case 1:
		return t.ChooseLocalTries != 2 || t.ChooseLocalFallbackTries != 5 || t.ChooseTotalTries != 19
	case 2:
		return t.ChooseleafDescendOnce != 0
	case 3:
		return t.ChooseleafVaryR != 0
	case 5:
		return t.ChooseleafStable != 0
	}
	return false
}

// MinimumRelease names the oldest release whose clients can read the map.
func (m *Map) MinimumRelease() string {
	straw2 := slices.ContainsFunc(m.Buckets, func(b *Bucket) bool { return b.Alg == "straw2" })
	switch {
	case m.Tunables.Needs(5):
		return "jewel"
	case straw2:
		return "hammer"
	case m.Tunables.Needs(3):
		return "firefly"
	case m.Tunables.Needs(2), m.Tunables.Needs(1):
		return "bobtail"
	}
	return "argonaut"
}
