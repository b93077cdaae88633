package crush_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// seedMap is the shape of the map of today's releases with classes.
const seedMap = `# begin crush map
tunable choose_local_tries 0
tunable choose_local_fallback_tries 0
tunable choose_total_tries 50
tunable chooseleaf_descend_once 1
tunable chooseleaf_vary_r 1
tunable chooseleaf_stable 1
tunable straw_calc_version 1
tunable allowed_bucket_algs 54

# devices
device 0 osd.0 class hdd
device 1 osd.1 class ssd

# types
type 0 osd
type 1 host
type 2 root

# buckets
host n1 {
	id -3		# do not change unnecessarily
	id -4 class hdd		# do not change unnecessarily
	id -6 class ssd		# do not change unnecessarily
	# weight 3.000
	alg straw2
	hash 0	# rjenkins1
	item osd.0 weight 1.000
	item osd.1 weight 2.000
}
root default {
	id -1		# do not change unnecessarily
	id -2 class hdd		# do not change unnecessarily
	id -5 class ssd		# do not change unnecessarily
	# weight 3.000
	alg straw2
	hash 0	# rjenkins1
	item n1 weight 3.000
}

# rules
rule replicated_rule {
	id 0
	type replicated
	min_size 1
	max_size 10
	step take default
	step chooseleaf firstn 0 type host
	step emit
}
rule fast {
	id 1
	type erasure
	min_size 1
	max_size 10
	step set_chooseleaf_tries 5
	step take default class ssd
	step choose indep 0 type osd
	step emit
}

# end crush map
`

func compile(t *testing.T, text string) *crush.Map {
	t.Helper()
	m, err := crush.Compile("in", text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTextThereAndBack(t *testing.T) {
	m := compile(t, seedMap)
	if diff := cmp.Diff(seedMap, m.Text(true)); diff != "" {
		t.Errorf("compiled and written again (-want +got):\n%s", diff)
	}
	again, err := crush.Unmarshal(m.Marshal())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("through the binary form (-want +got):\n%s", diff)
	}
	if got := again.Name(again.Rules[1].Steps[1].Item); got != "default~ssd" {
		t.Errorf("the rule of class ssd takes %s", got)
	}
}

func TestCompileRefuses(t *testing.T) {
	types := "type 0 osd\ntype 1 host\ndevice 0 osd.0\n"
	for text, want := range map[string]string{
		"# begin\nnonsense here\n":                                  "in:2 error: parse error at 'nonsense here'",
		types + "host a { # open\nid -1\n":                          "in:4 error: parse error at 'host a {'",
		types + "device x osd.1":                                    "in:4 error: parse error at 'device x osd.1'",
		types + "device 1 osd.0":                                    "item osd.0 defined twice",
		types + "rack a {\n}\n":                                     "bucket type 'rack' is not defined",
		types + "host a { id -1 alg straw hash 0 item b }":          "item 'b' in bucket 'a' is not defined",
		types + "host a { id -1 alg sisal hash 0 }":                 "unknown bucket alg 'sisal'\n",
		types + "host a { alg list hash 0 } host a { alg list }":    "bucket or device 'a' is already defined",
		types + "host a { id -1 alg list } host b {id -1 alg list}": "Duplicate bucket id -1",
		"tunable x 1": "tunable x not recognized",
		types + "rule r { id 0 type replicated step take nosuch }":                          "in rule 'r' item 'nosuch' not defined",
		types + "rule r { id 0 type replicated step choose firstn 0 type nosuch }":          "in rule 'r' type 'nosuch' not defined",
		types + "host a { alg list } rule r { id 0 type replicated step take a class ssd }": "in rule 'r' step take a has no class information",
	} {
		if _, err := crush.Compile("in", text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestUnmarshalRefuses(t *testing.T) {
	good := compile(t, seedMap).Marshal()
	flipped := slices.Clone(good)
	flipped[len(flipped)/2] ^= 1
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"garbage":   {[]byte("this is no crush map"), crush.ErrMagic},
		"short":     {good[:3], crush.ErrBuffer},
		"cut":       {good[:len(good)-1], crush.ErrBuffer},
		"one bit":   {flipped, crush.ErrBuffer},
		"only head": {good[:4], crush.ErrBuffer},
	} {
		if _, err := crush.Unmarshal(c.in); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
}

// TestGrow builds a cluster OSD by OSD as they start, and checks ids as they are
// in real clusters: default -1, default~hdd -2, first host -3.
func TestGrow(t *testing.T) {
	m := crush.New(crush.Options{Zones: true, Leaf: 1})
	for i, host := range []string{"n1", "n2", "n1"} {
		m.NameDevice(i, "osd."+string(rune('0'+i)))
		m.SetClass(i, "hdd")
		if err := m.Put(i, crush.One, crush.Spec{{Type: "host", Name: host}, {Type: "root", Name: "default"}}); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]int{}
	for _, b := range m.Buckets {
		ids[b.Name] = b.ID
	}
	want := map[string]int{"default": -1, "default~hdd": -2, "n1": -3, "n1~hdd": -4, "n2": -5, "n2~hdd": -6}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
	for name, w := range map[string]float64{"default": 3, "n1": 2, "n2": 1, "default~hdd": 3, "n1~hdd": 2} {
		if got := m.BucketNamed(name).Weight().Float(); got != w {
			t.Errorf("weight of %s is %v, want %v", name, got, w)
		}
	}
	if n := m.Reweight(m.BucketNamed("n1").ID, crush.WeightOf(0.5)); n != 2 || m.BucketNamed("default").Weight() != 2*crush.One {
		t.Errorf("reweight of n1 changed %d devices, default is %v", n, m.BucketNamed("default").Weight().Float())
	}
	m.Remove(0)
	m.Remove(2)
	if got := m.BucketNamed("n1").Weight(); got != 0 || m.Device(0) != nil {
		t.Errorf("after removal n1 weighs %v, osd.0 is %v", got, m.Device(0))
	}
	m.SetClass(1, "")
	if len(m.Buckets) != 3 || len(m.Classes) != 0 {
		t.Errorf("without classes there are %d buckets and classes %v", len(m.Buckets), m.Classes)
	}
}

func TestPutRefuses(t *testing.T) {
	m := crush.New(crush.Options{Leaf: 1})
	rack := m.AddBucket("r1", 3)
	if err := m.Put(rack.ID, 0, crush.Spec{{Type: "root", Name: "default"}}); err != nil {
		t.Fatal(err)
	}
	for want, spec := range map[string]crush.Spec{
		"unknown type nosuch":                    {{Type: "nosuch", Name: "x"}},
		"bucket 'default' is a root, not a host": {{Type: "host", Name: "default"}},
		"invalid bucket name 'a b'":              {{Type: "row", Name: "a b"}},
		"no bucket above item -2":                {{Type: "host", Name: "h"}},
	} {
		if err := m.Put(rack.ID, 0, spec); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestTunables(t *testing.T) {
	for profile, want := range map[string]struct {
		name, minimum   string
		optimal, legacy bool
	}{
		"legacy":   {"argonaut", "argonaut", false, true},
		"argonaut": {"argonaut", "argonaut", false, true},
		"bobtail":  {"bobtail", "bobtail", false, false},
		"firefly":  {"firefly", "firefly", false, false},
		"hammer":   {"hammer", "firefly", false, false},
		"jewel":    {"jewel", "jewel", true, false},
		"optimal":  {"jewel", "jewel", true, false},
		"default":  {"jewel", "jewel", true, false},
	} {
		tun, ok := crush.Tunables{}.With(profile)
		m := &crush.Map{Tunables: tun}
		if !ok || tun.Profile() != want.name || tun.Optimal() != want.optimal || tun.Legacy() != want.legacy || m.MinimumRelease() != want.minimum {
			t.Errorf("%s: %v %s optimal %v legacy %v minimum %s", profile, ok, tun.Profile(), tun.Optimal(), tun.Legacy(), m.MinimumRelease())
		}
	}
	kept, _ := crush.Tunables{StrawCalcVersion: 1}.With("firefly")
	gone, _ := crush.Tunables{StrawCalcVersion: 1}.With("legacy")
	if kept.StrawCalcVersion != 1 || gone.StrawCalcVersion != 0 {
		t.Errorf("straw_calc_version: firefly %d, legacy %d", kept.StrawCalcVersion, gone.StrawCalcVersion)
	}
	if _, ok := (crush.Tunables{}).With("nosuch"); ok {
		t.Error("there is a profile nosuch")
	}
}

// spread is a map of hosts with as many OSDs each.
func spread(t *testing.T, hosts, osds int) *crush.Map {
	m := crush.New(crush.Options{Zones: true, Leaf: 1})
	for i := range hosts * osds {
		m.NameDevice(i, "osd")
		if err := m.Put(i, crush.One, crush.Spec{{Type: "root", Name: "default"}, {Type: "host", Name: "h" + string(rune('a'+i/osds))}}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestPlaceSpreadsOverHosts(t *testing.T) {
	const hosts, osds = 4, 3
	m := spread(t, hosts, osds)
	all := func(int) float64 { return 1 }
	without5 := func(d int) float64 {
		if d == 5 {
			return 0
		}
		return 1
	}
	count := make([]int, hosts*osds)
	moved := 0
	for x := range uint64(1200) {
		before := m.NewPlacer(all).Place(m.Rules[0], x, 3)
		seen := map[int]bool{}
		for _, d := range before {
			count[d]++
			seen[d/osds] = true
		}
		if len(before) != 3 || len(seen) != 3 {
			t.Fatalf("input %d lies on %v: not three hosts", x, before)
		}
		after := m.NewPlacer(without5).Place(m.Rules[0], x, 3)
		if slices.Contains(after, 5) || len(after) != 3 {
			t.Fatalf("input %d lies on %v though osd 5 is out", x, after)
		}
		if !slices.Equal(before, after) {
			moved++
		}
	}
	for d, n := range count {
		if n < 200 || n > 400 {
			t.Errorf("device %d has %d of 3600", d, n)
		}
	}
	if moved > 2*count[5] {
		t.Errorf("%d inputs moved when a device with %d went out", moved, count[5])
	}
}

func TestPlaceFindsTooFew(t *testing.T) {
	m := spread(t, 2, 1)
	all := func(int) float64 { return 1 }
	if got := m.NewPlacer(all).Place(m.Rules[0], 1, 3); len(got) != 2 {
		t.Errorf("three replicas on two hosts: %v", got)
	}
	ec, err := m.AddRule("ec", m.BucketNamed("default"), 1, "", crush.Erasure)
	if err != nil {
		t.Fatal(err)
	}
	if got := m.NewPlacer(all).Place(ec, 1, 3); len(got) != 3 || !slices.Contains(got, crush.None) {
		t.Errorf("three shards on two hosts: %v", got)
	}
	if _, err := m.AddRule("ssd", m.BucketNamed("default"), 1, "ssd", crush.Replicated); err == nil {
		t.Error("a rule for a class that no device has")
	}
}

func BenchmarkPut1000(b *testing.B) {
	for b.Loop() {
		m := crush.New(crush.Options{Zones: true, Leaf: 1})
		for i := range 1000 {
			m = m.Clone()
			m.NameDevice(i, "osd")
			m.SetClass(i, "hdd")
			_ = m.Put(i, crush.One, crush.Spec{{Type: "root", Name: "default"}, {Type: "host", Name: "h" + string(rune('a'+i/20))}})
		}
	}
}
