package crush

import (
	"slices"
	"strings"
)

// Weight is a weight in units of 1/65536, as Ceph keeps it.
type Weight uint32

// One is the weight of 1 TiB.
const One Weight = 0x10000

// WeightOf rounds a weight down as Ceph does.
func WeightOf(f float64) Weight { return Weight(float32(f) * 0x10000) }

// Float is the weight as people write it.
func (w Weight) Float() float64 { return float64(float32(w) / 0x10000) }

// Map is a CRUSH map.
type Map struct {
	Tunables Tunables
	Devices  []Device  // by id
	Types    []Type    // by id; 0 is the device
	Buckets  []*Bucket // by id, -1 first; shadow buckets included
	Rules    []*Rule   // by id
	// Classes names the device classes in the order of their ids.
	Classes []string
}

// Device is a leaf.
type Device struct {
	ID    int
	Name  string
	Class string // "ssd", "hdd"; empty for none
}

// Type is a level of the tree.
type Type struct {
	ID   int
	Name string
}

// Bucket is an inner node.
type Bucket struct {
	ID    int // negative
	Name  string
	Type  int
	Alg   string // "uniform", "list", "tree", "straw", "straw2"
	Items []Item
	// Class and Of are set in a shadow bucket: the class whose devices it holds
	// and the id of the bucket that it mirrors. Its name is that one's, "~" and
	// the class.
	Class string
	Of    int
}

// Item is what a bucket holds: a device or another bucket.
type Item struct {
	ID     int
	Weight Weight
}

// Weight is the sum of the items' weights.
func (b *Bucket) Weight() Weight {
	var w Weight
	for _, i := range b.Items {
		w += i.Weight
	}
	return w
}

func (b *Bucket) index(id int) int {
	return slices.IndexFunc(b.Items, func(i Item) bool { return i.ID == id })
}

// Shadow says whether the bucket mirrors another for a device class.
func (b *Bucket) Shadow() bool { return b.Class != "" }

// Kinds of pools that a rule is for.
const (
	Replicated = 1
	Erasure    = 3
)

// Rule says how devices are chosen.
type Rule struct {
	ID               int
	Name             string
	Type             int // Replicated or Erasure
	MinSize, MaxSize int
	Steps            []Step
}

// Step is one step of a rule.
type Step struct {
	// Op is "take", "emit", "choose_firstn", "choose_indep", "chooseleaf_firstn",
	// "chooseleaf_indep" or "set_…".
	Op   string
	Item int // of take: a bucket, possibly a shadow one, or a device
	Num  int // of choose…: how many, 0 for as many as wanted; of set_…: the value
	Type int // of choose…: the level
}

// Clone copies a map.
func (m *Map) Clone() *Map {
	c := *m
	c.Devices = slices.Clone(m.Devices)
	c.Types = slices.Clone(m.Types)
	c.Classes = slices.Clone(m.Classes)
	c.Buckets = make([]*Bucket, len(m.Buckets))
	for i, b := range m.Buckets {
		n := *b
		n.Items = slices.Clone(b.Items)
		c.Buckets[i] = &n
	}
	c.Rules = make([]*Rule, len(m.Rules))
	for i, r := range m.Rules {
		n := *r
		n.Steps = slices.Clone(r.Steps)
		c.Rules[i] = &n
	}
	return &c
}

// Bucket finds a bucket by id; nil if there is none.
func (m *Map) Bucket(id int) *Bucket {
	i, ok := slices.BinarySearchFunc(m.Buckets, id, func(b *Bucket, id int) int { return id - b.ID })
	if !ok {
		return nil
	}
	return m.Buckets[i]
}

// BucketNamed finds a bucket by name; nil if there is none.
func (m *Map) BucketNamed(name string) *Bucket {
	i := slices.IndexFunc(m.Buckets, func(b *Bucket) bool { return b.Name == name })
	if i < 0 {
		return nil
	}
	return m.Buckets[i]
}

func (m *Map) device(id int) (int, bool) {
	return slices.BinarySearchFunc(m.Devices, id, func(d Device, id int) int { return d.ID - id })
}

// Device finds a device by id; nil if the map has no name for it.
func (m *Map) Device(id int) *Device {
	if i, ok := m.device(id); ok {
		return &m.Devices[i]
	}
	return nil
}

// ID finds a device or bucket by name.
func (m *Map) ID(name string) (int, bool) {
	if b := m.BucketNamed(name); b != nil {
		return b.ID, true
	}
	for _, d := range m.Devices {
		if d.Name == name {
			return d.ID, true
		}
	}
	return 0, false
}

// Name is the name of a device or bucket; empty if there is none.
func (m *Map) Name(id int) string {
	if id >= 0 {
		if d := m.Device(id); d != nil {
			return d.Name
		}
		return ""
	}
	if b := m.Bucket(id); b != nil {
		return b.Name
	}
	return ""
}

// Class is a device's class; empty for none.
func (m *Map) Class(id int) string {
	if d := m.Device(id); d != nil {
		return d.Class
	}
	return ""
}

// TypeOf is the level of a device or bucket.
func (m *Map) TypeOf(id int) int {
	if b := m.Bucket(id); id < 0 && b != nil {
		return b.Type
	}
	return 0
}

// TypeName is the name of a level; empty if the map has none for it.
func (m *Map) TypeName(t int) string {
	for _, x := range m.Types {
		if x.ID == t {
			return x.Name
		}
	}
	return ""
}

// TypeNamed finds a level by name.
func (m *Map) TypeNamed(name string) (int, bool) {
	for _, x := range m.Types {
		if x.Name == name {
			return x.ID, true
		}
	}
	return 0, false
}

// Rule finds a rule by id; nil if there is none.
func (m *Map) Rule(id int) *Rule {
	for _, r := range m.Rules {
		if r.ID == id {
			return r
		}
	}
	return nil
}

// RuleNamed finds a rule by name; nil if there is none.
func (m *Map) RuleNamed(name string) *Rule {
	for _, r := range m.Rules {
		if r.Name == name {
			return r
		}
	}
	return nil
}

// Parent finds the bucket that directly holds an item, not counting shadow
// trees; nil if there is none.
func (m *Map) Parent(id int) *Bucket {
	for _, b := range m.Buckets {
		if !b.Shadow() && b.index(id) >= 0 {
			return b
		}
	}
	return nil
}

// Placed is a pair of level and bucket in which an item stands.
type Placed struct{ Type, Name string }

// Location lists the buckets above an item, the closest first.
func (m *Map) Location(id int) []Placed {
	var at []Placed
	for b := m.Parent(id); b != nil; b = m.Parent(b.ID) {
		at = append(at, Placed{m.TypeName(b.Type), b.Name})
	}
	return at
}

// ItemWeight is the weight that the item has in its parent.
func (m *Map) ItemWeight(id int) (Weight, bool) {
	b := m.Parent(id)
	if b == nil {
		return 0, false
	}
	return b.Items[b.index(id)].Weight, true
}

// Roots lists the buckets that stand in no other, by id from -1 down; shadow
// trees only if asked for.
func (m *Map) Roots(shadows bool) []*Bucket {
	held := map[int]bool{}
	for _, b := range m.Buckets {
		for _, i := range b.Items {
			held[i.ID] = true
		}
	}
	var roots []*Bucket
	for _, b := range m.Buckets {
		if !held[b.ID] && (shadows || !b.Shadow()) {
			roots = append(roots, b)
		}
	}
	return roots
}

// ValidName says whether a name may stand in a map: letters, digits, "-", "_"
// and ".".
func ValidName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r))
	}) < 0
}
