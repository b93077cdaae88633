package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func crushShowCommands() map[string]handler {
	return map[string]handler{
		"osd crush dump":             func(c *call) reply { return reply{out: c.crushJSON()} },
		"osd crush show-tunables":    func(c *call) reply { return reply{out: c.tunablesJSON()} },
		"osd crush get-tunable":      crushGetTunable,
		"osd crush rule ls":          crushRuleLs,
		"osd crush rule list":        crushRuleLs,
		"osd crush rule ls-by-class": crushRuleLsByClass,
		"osd crush rule dump":        crushRuleDump,
		"osd crush class ls":         func(c *call) reply { return c.showNames(c.state.OSDMap.Crush.Classes) },
		"osd crush class ls-osd": func(c *call) reply {
			return c.showIDs(append([]int{}, c.state.OSDMap.Crush.OfClass(c.args.str("class"))...))
		},
		"osd crush get-device-class": crushGetDeviceClass,
		"osd crush ls":               crushLs,
		"osd crush weight-set ls":    func(c *call) reply { return c.showNames(nil) },
		"osd crush weight-set dump":  func(*call) reply { return reply{out: object{}} },
	}
}

func (c *call) showNames(names []string) reply {
	return c.show(append([]string{}, names...), func() string {
		if len(names) == 0 {
			return ""
		}
		return strings.Join(names, "\n") + "\n"
	})
}

func (c *call) crushJSON() object {
	m := c.state.OSDMap.Crush
	return object{
		{"devices", arrayOf(m.Devices, func(d crush.Device) any {
			o := object{{"id", d.ID}, {"name", d.Name}}
			if d.Class != "" {
				o = append(o, field{"class", d.Class})
			}
			return o
		})},
		{"types", arrayOf(m.Types, func(t crush.Type) any { return object{{"type_id", t.ID}, {"name", t.Name}} })},
		{"buckets", arrayOf(m.Buckets, func(b *crush.Bucket) any {
			pos := -1
			return object{
				{"id", b.ID},
				{"name", b.Name},
				{"type_id", b.Type},
				{"type_name", m.TypeName(b.Type)},
				{"weight", int64(b.Weight())},
				{"alg", b.Alg},
				{"hash", "rjenkins1"},
				{"items", arrayOf(b.Items, func(i crush.Item) any {
					pos++
					return object{{"id", i.ID}, {"weight", int64(i.Weight)}, {"pos", pos}}
				})},
			}
		})},
		{"rules", arrayOf(m.Rules, func(r *crush.Rule) any { return c.ruleJSON(r) })},
		{"tunables", c.tunablesJSON()},
		{"choose_args", object{}},
	}
}

func (c *call) ruleJSON(r *crush.Rule) object {
	o := object{{"rule_id", r.ID}, {"rule_name", r.Name}}
	if !c.release.atLeast(quincy) {
		o = append(o, field{"ruleset", r.ID})
	}
	o = append(o, field{"type", r.Type})
	if !c.release.atLeast(quincy) {
		o = append(o, field{"min_size", r.MinSize}, field{"max_size", r.MaxSize})
	}
	m := c.state.OSDMap.Crush
	return append(o, field{"steps", arrayOf(r.Steps, func(s crush.Step) any {
		j := object{{"op", s.Op}}
		switch {
		case s.Op == "take":
			return append(j, field{"item", s.Item}, field{"item_name", m.Name(s.Item)})
		case strings.HasPrefix(s.Op, "choose"):
			return append(j, field{"num", s.Num}, field{"type", m.TypeName(s.Type)})
		case strings.HasPrefix(s.Op, "set_"):
			return append(j, field{"num", s.Num})
		}
		return j
	})})
}

func (c *call) tunablesJSON() object {
	m := c.state.OSDMap.Crush
	t := m.Tunables
	straw2 := slices.ContainsFunc(m.Buckets, func(b *crush.Bucket) bool { return b.Alg == "straw2" })
	rules := func(prefix string) int {
		return bit(slices.ContainsFunc(m.Rules, func(r *crush.Rule) bool {
			return slices.ContainsFunc(r.Steps, func(s crush.Step) bool { return strings.HasPrefix(s.Op, prefix) && prefix != "" })
		}))
	}
	return object{
		{"choose_local_tries", t.ChooseLocalTries},
		{"choose_local_fallback_tries", t.ChooseLocalFallbackTries},
		{"choose_total_tries", t.ChooseTotalTries},
		{"chooseleaf_descend_once", t.ChooseleafDescendOnce},
		{"chooseleaf_vary_r", t.ChooseleafVaryR},
		{"chooseleaf_stable", t.ChooseleafStable},
		{"straw_calc_version", t.StrawCalcVersion},
		{"allowed_bucket_algs", t.AllowedBucketAlgs},
		{"profile", t.Profile()},
		{"optimal_tunables", bit(t.Optimal())},
		{"legacy_tunables", bit(t.Legacy())},
		{"minimum_required_version", m.MinimumRelease()},
		{"require_feature_tunables", bit(t.Needs(1))},
		{"require_feature_tunables2", bit(t.Needs(2))},
		{"has_v2_rules", rules("set_choose_")},
		{"require_feature_tunables3", bit(t.Needs(3))},
		{"has_v3_rules", rules("set_chooseleaf_vary_r")},
		{"has_v4_buckets", bit(straw2)},
		{"require_feature_tunables5", bit(t.Needs(5))},
		{"has_v5_rules", rules("set_chooseleaf_stable")},
	}
}

func crushGetTunable(c *call) reply {
	v := c.state.OSDMap.Crush.Tunables.StrawCalcVersion
	return c.show(object{{"straw_calc_version", v}}, func() string { return fmt.Sprintln(v) })
}

func (m *OSDMap) ruleNames() []string {
	var names []string
	for _, r := range m.Crush.Rules {
		names = append(names, r.Name)
	}
	return names
}

func crushRuleLs(c *call) reply { return c.showNames(c.state.OSDMap.ruleNames()) }

func crushRuleLsByClass(c *call) reply {
	m, class := c.state.OSDMap.Crush, c.args.str("class")
	if !slices.Contains(m.Classes, class) {
		return fail(syscall.ENOENT, "failed to get rules by class '%s'", class)
	}
	var names []string
	for _, r := range m.Rules {
		if slices.ContainsFunc(r.Steps, func(s crush.Step) bool {
			b := m.Bucket(s.Item)
			return s.Op == "take" && b != nil && b.Class == class
		}) {
			names = append(names, r.Name)
		}
	}
	return c.showNames(names)
}

func crushRuleDump(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	if name == "" {
		return reply{out: arrayOf(m.Rules, func(r *crush.Rule) any { return c.ruleJSON(r) })}
	}
	r := m.RuleNamed(name)
	if r == nil {
		return fail(syscall.ENOENT, "unknown crush rule '%s'", name)
	}
	return reply{out: c.ruleJSON(r)}
}

func crushGetDeviceClass(c *call) reply {
	m := c.state.OSDMap
	list := array{}
	var text strings.Builder
	for _, s := range c.args.list("ids") {
		id, ok := osdID(s)
		if !ok || m.osd(id) == nil {
			return fail(syscall.EINVAL, "osd.%s does not exist", strings.TrimPrefix(s, "osd."))
		}
		class := m.Crush.Class(id)
		list = append(list, object{{"osd", id}, {"device_class", class}})
		fmt.Fprintln(&text, class)
	}
	return c.show(list, text.String)
}

func crushLs(c *call) reply {
	m := c.state.OSDMap.Crush
	id, ok := m.ID(c.args.str("node"))
	if !ok {
		return fail(syscall.ENOENT, "node '%s' does not exist", c.args.str("node"))
	}
	var names []string
	if b := m.Bucket(id); b != nil {
		for _, i := range b.Items {
			names = append(names, m.Name(i.ID))
		}
	} else {
		names = []string{m.Name(id)}
	}
	return c.showNames(names)
}

// crushID finds an item by name, or by "3" and "osd.3" where that is a device.
func crushID(m *crush.Map, name string) (int, bool) {
	if id, ok := m.ID(name); ok {
		return id, true
	}
	if n, err := strconv.Atoi(name); err == nil && m.Name(n) != "" {
		return n, true
	}
	return 0, false
}
