package crush

// types are the levels of a new map. "zone" came with mimic's successor.
var types = []string{
	"osd", "host", "chassis", "rack", "row", "pdu", "pod", "room", "datacenter", "zone", "region", "root",
}

// Options are what the map of a new cluster depends on.
type Options struct {
	// Zones says whether there is the level "zone" between datacenter and region
	// (from nautilus on: levels 0-11; before: 0-10).
	Zones bool
	// Leaf is the level over which replicas are spread; 0 is the device itself,
	// 1 the host, which is the default of osd_crush_chooseleaf_type.
	Leaf int
	// RuleSizes says whether rules carry the sizes 1 to 10 (until pacific; later
	// they have none).
	RuleSizes bool
}

// New makes the map of a new cluster: the root "default" and the rule
// "replicated_rule".
func New(o Options) *Map {
	m := &Map{}
	m.Tunables, _ = m.Tunables.With("default")
	for _, name := range types {
		if name != "zone" || o.Zones {
			m.Types = append(m.Types, Type{len(m.Types), name})
		}
	}
	root := m.Types[len(m.Types)-1].ID
	m.Buckets = []*Bucket{{ID: -1, Name: "default", Type: root, Alg: "straw2"}}
	r := m.replicated("replicated_rule", -1, o.Leaf, "firstn", Replicated)
	if o.RuleSizes {
		r.MinSize, r.MaxSize = 1, 10
	}
	m.Rules = []*Rule{r}
	return m
}

// replicated is a rule that spreads over a level below a bucket.
func (m *Map) replicated(name string, root, leaf int, mode string, kind int) *Rule {
	choose := "chooseleaf_" + mode
	if leaf == 0 {
		choose = "choose_" + mode
	}
	r := &Rule{Name: name, Type: kind}
	if kind == Erasure {
		r.Steps = []Step{{Op: "set_chooseleaf_tries", Num: 5}, {Op: "set_choose_tries", Num: 100}}
	}
	r.Steps = append(r.Steps, Step{Op: "take", Item: root}, Step{Op: choose, Type: leaf}, Step{Op: "emit"})
	return r
}
