package crush

import "slices"

// SetClass gives a device a class.
func (m *Map) SetClass(id int, class string) {
	if d := m.Device(id); d != nil {
		d.Class = class
	}
	m.rebuild()
}

func (m *Map) shadow(of int, class string) *Bucket {
	for _, b := range m.Buckets {
		if b.Class == class && b.Of == of && b.Shadow() {
			return b
		}
	}
	return nil
}

// rebuild brings the shadow trees in line with the tree and the classes of its
// devices: for each class that a device has or a rule takes, every bucket has a
// twin that holds the devices of that class only. A twin keeps its id.
func (m *Map) rebuild() {
	m.forgetClasses()
	if len(m.Classes) == 0 && !slices.ContainsFunc(m.Buckets, (*Bucket).Shadow) {
		return
	}
	old := map[twin]*Bucket{}
	plain := make([]*Bucket, 0, len(m.Buckets))
	for _, b := range m.Buckets {
		if b.Shadow() {
			old[twin{b.Of, b.Class}] = b
		} else {
			plain = append(plain, b)
		}
	}
	m.Buckets = plain
	roots := m.Roots(false)
	// Twins that were there go in first, so that no new one takes their ids.
	made := map[twin]*Bucket{}
	for _, b := range plain {
		for _, class := range m.Classes {
			if o := old[twin{b.ID, class}]; o != nil {
				made[twin{b.ID, class}] = m.addBucket(&Bucket{ID: o.ID, Class: class})
			}
		}
	}
	for _, root := range roots {
		for _, class := range m.Classes {
			m.mirror(root, class, made)
		}
	}
}

// twin names a shadow bucket by what it mirrors.
type twin struct {
	of    int
	class string
}

func (m *Map) mirror(b *Bucket, class string, made map[twin]*Bucket) Item {
	s := made[twin{b.ID, class}]
	if s == nil {
		s = m.addBucket(&Bucket{Class: class})
		made[twin{b.ID, class}] = s
	}
	*s = Bucket{ID: s.ID, Name: b.Name + "~" + class, Type: b.Type, Alg: b.Alg, Class: class, Of: b.ID}
	for _, i := range b.Items {
		switch {
		case i.ID < 0:
			s.Items = append(s.Items, m.mirror(m.Bucket(i.ID), class, made))
		case m.Class(i.ID) == class:
			s.Items = append(s.Items, i)
		}
	}
	return Item{s.ID, s.Weight()}
}

// forgetClasses lists the classes in use: what nobody uses goes, what is new
// comes last.
func (m *Map) forgetClasses() {
	used := map[string]bool{}
	for _, d := range m.Devices {
		if d.Class != "" {
			used[d.Class] = true
			if !slices.Contains(m.Classes, d.Class) {
				m.Classes = append(m.Classes, d.Class)
			}
		}
	}
	for _, r := range m.Rules {
		for _, s := range r.Steps {
			if b := m.Bucket(s.Item); s.Op == "take" && b != nil && b.Shadow() {
				used[b.Class] = true
			}
		}
	}
	m.Classes = slices.DeleteFunc(m.Classes, func(c string) bool { return !used[c] })
}

// OfClass lists the devices of a class.
func (m *Map) OfClass(class string) []int {
	var ids []int
	for _, d := range m.Devices {
		if d.Class == class {
			ids = append(ids, d.ID)
		}
	}
	return ids
}
