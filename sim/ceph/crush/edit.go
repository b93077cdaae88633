package crush

import (
	"cmp"
	"fmt"
	"slices"
)

// Spec is where something belongs: pairs of level and bucket, such as
// root=default host=n1.
type Spec []Placed

// Get is the bucket given for a level.
func (s Spec) Get(level string) (string, bool) {
	for _, p := range s {
		if p.Type == level {
			return p.Name, true
		}
	}
	return "", false
}

func (m *Map) addBucket(b *Bucket) *Bucket {
	if b.ID == 0 {
		b.ID = -1
		for m.Bucket(b.ID) != nil {
			b.ID--
		}
	}
	i, _ := slices.BinarySearchFunc(m.Buckets, b.ID, func(x *Bucket, id int) int { return id - x.ID })
	m.Buckets = slices.Insert(m.Buckets, i, b)
	return b
}

// alg is what a new bucket uses: the best that is allowed.
func (m *Map) alg() string {
	if m.Tunables.AllowedBucketAlgs&(1<<5) != 0 {
		return "straw2"
	}
	return "straw"
}

// AddBucket makes a bucket that stands nowhere yet. The caller has checked that
// the name is free.
func (m *Map) AddBucket(name string, level int) *Bucket {
	b := m.addBucket(&Bucket{Name: name, Type: level, Alg: m.alg()})
	m.rebuild()
	return b
}

// NameDevice makes a device known. Its class, if it has one, stays.
func (m *Map) NameDevice(id int, name string) {
	i, ok := m.device(id)
	if ok {
		m.Devices[i].Name = name
		return
	}
	m.Devices = slices.Insert(m.Devices, i, Device{ID: id, Name: name})
}

// Put puts an item of that weight into the lowest bucket that spec names;
// buckets that are not there yet are made. Where it stood before does not
// matter. The error says what is wrong with spec.
func (m *Map) Put(id int, w Weight, spec Spec) error {
	if err := m.check(id, spec); err != nil {
		return err
	}
	m.detach(id)
	child, childWeight := id, w
	for _, level := range m.levels() {
		name, ok := spec.Get(level.Name)
		if !ok || level.ID <= m.TypeOf(id) {
			continue
		}
		b := m.BucketNamed(name)
		existed := b != nil
		if !existed {
			b = m.addBucket(&Bucket{Name: name, Type: level.ID, Alg: m.alg()})
		}
		b.Items = append(b.Items, Item{child, childWeight})
		m.adjust(b.ID)
		if existed {
			break
		}
		child, childWeight = b.ID, b.Weight()
	}
	m.rebuild()
	return nil
}

// check refuses a spec that would put something below itself, or into a bucket
// of another level.
func (m *Map) check(id int, spec Spec) error {
	lowest := false
	for _, p := range spec {
		level, ok := m.TypeNamed(p.Type)
		if !ok {
			return fmt.Errorf("unknown type %s", p.Type)
		}
		if !ValidName(p.Name) {
			return fmt.Errorf("invalid bucket name '%s'", p.Name)
		}
		if b := m.BucketNamed(p.Name); b != nil {
			if b.Type != level {
				return fmt.Errorf("bucket '%s' is a %s, not a %s", p.Name, m.TypeName(b.Type), p.Type)
			}
			if m.Below(b.ID, id) {
				return fmt.Errorf("item %d is above '%s'", id, p.Name)
			}
		}
		lowest = lowest || level > m.TypeOf(id)
	}
	if !lowest {
		return fmt.Errorf("no bucket above item %d in its location", id)
	}
	return nil
}

func (m *Map) levels() []Type {
	return slices.SortedFunc(slices.Values(m.Types), func(a, b Type) int { return cmp.Compare(a.ID, b.ID) })
}

// Below says whether item is root or stands somewhere below it.
func (m *Map) Below(item, root int) bool {
	for item != root {
		b := m.Parent(item)
		if b == nil {
			return false
		}
		item = b.ID
	}
	return true
}

// Holds says whether the item stands directly in one of the spec's buckets, the
// lowest that it names above the item.
func (m *Map) Holds(id int, spec Spec) bool {
	for _, level := range m.levels() {
		name, ok := spec.Get(level.Name)
		if !ok || level.ID <= m.TypeOf(id) {
			continue
		}
		b := m.BucketNamed(name)
		return b != nil && b.index(id) >= 0
	}
	return false
}

// detach takes an item out of its bucket; weights above follow.
func (m *Map) detach(id int) {
	for b := m.Parent(id); b != nil; b = m.Parent(id) {
		i := b.index(id)
		b.Items = slices.Delete(b.Items, i, i+1)
		m.adjust(b.ID)
	}
}

// adjust sets the weight that a bucket has in those above.
func (m *Map) adjust(id int) {
	for {
		child := m.Bucket(id)
		parent := m.Parent(id)
		if parent == nil {
			return
		}
		parent.Items[parent.index(id)].Weight = child.Weight()
		id = parent.ID
	}
}

// Reweight sets an item's weight: a device's own, or that of all devices below
// a bucket. It says how many devices changed.
func (m *Map) Reweight(id int, w Weight) int {
	n := m.reweight(id, w)
	m.rebuild()
	return n
}

func (m *Map) reweight(id int, w Weight) int {
	if id >= 0 {
		b := m.Parent(id)
		if b == nil {
			return 0
		}
		b.Items[b.index(id)].Weight = w
		m.adjust(b.ID)
		return 1
	}
	n := 0
	for _, item := range slices.Clone(m.Bucket(id).Items) {
		n += m.reweight(item.ID, w)
	}
	return n
}

// ReweightAll makes each bucket's weight the sum of what it holds.
func (m *Map) ReweightAll() {
	for _, d := range m.Devices {
		if b := m.Parent(d.ID); b != nil {
			m.adjust(b.ID)
		}
	}
	m.rebuild()
}

// Remove takes a device or an empty bucket out of the map, name and class
// included.
func (m *Map) Remove(id int) {
	m.Unlink(id)
	if id < 0 {
		m.Buckets = slices.DeleteFunc(m.Buckets, func(b *Bucket) bool { return b.ID == id || b.Of == id && b.Shadow() })
	} else if i, ok := m.device(id); ok {
		m.Devices = slices.Delete(m.Devices, i, i+1)
	}
	m.rebuild()
}

// Unlink takes an item out of its bucket; the map still knows it.
func (m *Map) Unlink(id int) {
	m.detach(id)
	m.rebuild()
}

// Rename gives a bucket another name.
func (m *Map) Rename(b *Bucket, name string) {
	b.Name = name
	m.rebuild()
}

// AddRule makes a rule that spreads over level below the bucket root, and only
// over devices of a class if one is given. indep is for erasure-coded pools. It
// gets the lowest free id.
func (m *Map) AddRule(name string, root *Bucket, level int, class string, kind int) (*Rule, error) {
	take := root.ID
	if class != "" {
		shadow := m.shadow(root.ID, class)
		if shadow == nil {
			return nil, fmt.Errorf("device class %s does not exist", class)
		}
		take = shadow.ID
	}
	mode := "firstn"
	if kind == Erasure {
		mode = "indep"
	}
	r := m.replicated(name, take, level, mode, kind)
	for m.Rule(r.ID) != nil {
		r.ID++
	}
	m.Rules = append(m.Rules, r)
	slices.SortFunc(m.Rules, func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
	return r, nil
}

// RemoveRule takes a rule out.
func (m *Map) RemoveRule(id int) {
	m.Rules = slices.DeleteFunc(m.Rules, func(r *Rule) bool { return r.ID == id })
}
