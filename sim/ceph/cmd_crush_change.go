package ceph

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func crushChangeCommands() map[string]handler {
	return map[string]handler{
		"osd setcrushmap":                  setCrushMap,
		"osd crush set":                    crushSet,
		"osd crush add":                    crushSet,
		"osd crush create-or-move":         crushCreateOrMove,
		"osd crush add-bucket":             crushAddBucket,
		"osd crush rename-bucket":          crushRenameBucket,
		"osd crush move":                   crushMove,
		"osd crush link":                   crushMove,
		"osd crush rm":                     crushRm,
		"osd crush remove":                 crushRm,
		"osd crush unlink":                 crushRm,
		"osd crush reweight":               crushReweight,
		"osd crush reweight-subtree":       crushReweightSubtree,
		"osd crush reweight-all":           crushReweightAll,
		"osd crush tunables":               crushTunables,
		"osd crush set-tunable":            crushSetTunable,
		"osd crush set-device-class":       crushSetClass,
		"osd crush rm-device-class":        crushRmClass,
		"osd crush rule create-simple":     crushRuleSimple,
		"osd crush rule create-replicated": crushRuleReplicated,
		"osd crush rule create-erasure":    crushRuleErasure,
		"osd crush rule rm":                crushRuleRm,
		"osd crush rule rename":            crushRuleRename,
	}
}

func setCrushMap(c *call) reply {
	m, err := crush.Unmarshal(c.input)
	if err != nil {
		return fail(syscall.EINVAL, "Failed to parse crushmap: %v", err)
	}
	if want, given := c.args.int("prior_version"); given && int(want) != c.state.OSDMap.CrushVersion {
		if bytes.Equal(m.Marshal(), c.state.OSDMap.Crush.Marshal()) && int(want) == c.state.OSDMap.CrushVersion-1 {
			return done("%d", c.state.OSDMap.CrushVersion)
		}
		return fail(syscall.EPERM, "prior_version %d != crush version %d", want, c.state.OSDMap.CrushVersion)
	}
	if bad := c.checkCrush(m); bad != nil {
		return *bad
	}
	n := c.change().osdmap()
	n.Crush, n.CrushVersion = m, n.CrushVersion+1
	return done("%d", n.CrushVersion)
}

// checkCrush refuses a map that existing pools cannot live with.
func (c *call) checkCrush(m *crush.Map) *reply {
	for _, p := range c.state.OSDMap.Pools {
		if m.Rule(p.Rule) == nil {
			r := fail(syscall.EINVAL, "pool %d references crush_rule %d but it is not present", p.ID, p.Rule)
			return &r
		}
	}
	return nil
}

// location reads "root=default host=n1". Where nothing is given it is the root
// "default".
func (c *call) location(args []string) (crush.Spec, *reply) {
	var spec crush.Spec
	for _, a := range args {
		for part := range strings.FieldsSeq(a) {
			level, name, ok := strings.Cut(part, "=")
			if !ok || level == "" || name == "" {
				r := fail(syscall.EINVAL, "malformed location: '%s'", a)
				return nil, &r
			}
			spec = append(spec, crush.Placed{Type: level, Name: name})
		}
	}
	slices.SortFunc(spec, func(a, b crush.Placed) int { return strings.Compare(a.Type, b.Type) })
	return spec, nil
}

func specText(s crush.Spec) string {
	parts := make([]string, len(s))
	for i, p := range s {
		parts[i] = p.Type + "=" + p.Name
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func crushSet(c *call) reply {
	if !c.args.has("id") {
		return setCrushMap(c)
	}
	id, _ := c.osdArg("id")
	name := fmt.Sprintf("osd.%d", id)
	verb := strings.TrimPrefix(c.desc.prefix, "osd crush ")
	if c.state.OSDMap.osd(id) == nil {
		return fail(syscall.ENOENT, "osd.%d does not exist.  Create it before updating the crush map", id)
	}
	spec, bad := c.location(c.args.list("args"))
	if bad != nil {
		return *bad
	}
	weight, _ := c.args.float("weight")
	if verb == "set" && c.state.OSDMap.Crush.Parent(id) == nil && !c.release.atLeast(luminous) {
		return fail(syscall.ENOENT, "unable to set item id %d name '%s' weight %g at location %s: does not exist", id, name, weight, specText(spec))
	}
	m := c.change().editCrush()
	m.NameDevice(id, name)
	if err := m.Put(id, crush.WeightOf(weight), spec); err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	return done("%s item id %d name '%s' weight %g at location %s to crush map", verb, id, name, weight, specText(spec))
}

func crushCreateOrMove(c *call) reply {
	id, _ := c.osdArg("id")
	if c.state.OSDMap.osd(id) == nil {
		return fail(syscall.ENOENT, "osd.%d does not exist.  Create it before updating the crush map", id)
	}
	spec, bad := c.location(c.args.list("args"))
	if bad != nil {
		return *bad
	}
	weight, _ := c.args.float("weight")
	name := fmt.Sprintf("osd.%d", id)
	old := c.state.OSDMap.Crush
	if w, placed := old.ItemWeight(id); placed {
		weight = w.Float() // an OSD that is there keeps its weight
	}
	if !old.Holds(id, spec) {
		m := c.change().editCrush()
		m.NameDevice(id, name)
		if err := m.Put(id, crush.WeightOf(weight), spec); err != nil {
			return fail(syscall.EINVAL, "%v", err)
		}
	}
	return done("create-or-move updating item name '%s' weight %g at location %s to crush map", name, weight, specText(spec))
}

func crushAddBucket(c *call) reply {
	m := c.state.OSDMap.Crush
	name, level := c.args.str("name"), c.args.str("type")
	if !crush.ValidName(name) {
		return fail(syscall.EINVAL, "Invalid bucket name '%s'", name)
	}
	if _, taken := m.ID(name); taken {
		return done("bucket '%s' already exists", name)
	}
	t, ok := m.TypeNamed(level)
	if !ok {
		return fail(syscall.EINVAL, "type '%s' does not exist", level)
	}
	if t == 0 {
		return fail(syscall.EINVAL, "type '%s' is for devices, not buckets", level)
	}
	spec, bad := c.location(c.args.list("args"))
	if bad != nil {
		return *bad
	}
	n := c.change().editCrush()
	b := n.AddBucket(name, t)
	if len(spec) > 0 {
		if err := n.Put(b.ID, 0, spec); err != nil {
			return fail(syscall.EINVAL, "error moving bucket '%s' to location %s", name, specText(spec))
		}
		return done("added bucket %s type %s to location %s", name, level, specText(spec))
	}
	return done("added bucket %s type %s to crush map", name, level)
}

func crushRenameBucket(c *call) reply {
	m := c.state.OSDMap.Crush
	from, to := c.args.str("srcname"), c.args.str("dstname")
	if m.BucketNamed(from) == nil {
		if m.BucketNamed(to) != nil {
			return done("renamed bucket %s into %s", from, to)
		}
		return fail(syscall.ENOENT, "srcname '%s' does not exist", from)
	}
	if _, taken := m.ID(to); taken || !crush.ValidName(to) {
		return fail(syscall.EEXIST, "dstname '%s' already exists or is no name for a bucket", to)
	}
	n := c.change().editCrush()
	n.Rename(n.BucketNamed(from), to)
	return done("renamed bucket %s into %s", from, to)
}

func crushMove(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	id, ok := crushID(m, name)
	if !ok {
		return fail(syscall.ENOENT, "item %s does not exist", name)
	}
	spec, bad := c.location(c.args.list("args"))
	if bad != nil {
		return *bad
	}
	if m.Holds(id, spec) {
		return done("no need to move item id %d name '%s' to location %s in crush map", id, name, specText(spec))
	}
	w, _ := m.ItemWeight(id)
	if b := m.Bucket(id); b != nil {
		w = b.Weight()
	}
	n := c.change().editCrush()
	if err := n.Put(id, w, spec); err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	return done("moved item id %d name '%s' to location %s in crush map", id, name, specText(spec))
}

func crushRm(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	id, ok := crushID(m, name)
	if !ok {
		return done("device '%s' does not appear in the crush map", name)
	}
	if b := m.Bucket(id); b != nil {
		if len(b.Items) > 0 {
			return fail(syscall.ENOTEMPTY, "bucket '%s' is not empty", name)
		}
		for _, r := range m.Rules {
			if slices.ContainsFunc(r.Steps, func(s crush.Step) bool { return s.Op == "take" && s.Item == id }) {
				return fail(syscall.EBUSY, "bucket '%s' is in use by rule '%s'", name, r.Name)
			}
		}
	}
	n := c.change().editCrush()
	if c.desc.prefix == "osd crush unlink" {
		n.Unlink(id)
	} else {
		n.Remove(id)
	}
	return done("removed item id %d name '%s' from crush map", id, name)
}

func crushReweight(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	id, ok := m.ID(name)
	if !ok {
		return fail(syscall.ENOENT, "device '%s' does not appear in the crush map", name)
	}
	if id < 0 {
		return fail(syscall.EINVAL, "device '%s' is not a leaf in the crush map", name)
	}
	w, _ := c.args.float("weight")
	if w < 0 || w > 10000 {
		return fail(syscall.EINVAL, "weight %g out of range", w)
	}
	c.change().editCrush().Reweight(id, crush.WeightOf(w))
	return done("reweighted item id %d name '%s' to %g in crush map", id, name, w)
}

func crushReweightSubtree(c *call) reply {
	name := c.args.str("name")
	id, ok := c.state.OSDMap.Crush.ID(name)
	if !ok {
		return fail(syscall.ENOENT, "device '%s' does not appear in the crush map", name)
	}
	w, _ := c.args.float("weight")
	c.change().editCrush().Reweight(id, crush.WeightOf(w))
	return done("reweighted subtree id %d name '%s' to %g in crush map", id, name, w)
}

func crushReweightAll(c *call) reply {
	c.change().editCrush().ReweightAll()
	return done("reweighted crush hierarchy")
}

func crushTunables(c *call) reply {
	profile := c.args.str("profile")
	t, ok := c.state.OSDMap.Crush.Tunables.With(profile)
	if !ok {
		return fail(syscall.EINVAL, "unrecognized profile '%s'", profile)
	}
	c.change().editCrush().Tunables = t
	return done("adjusted tunables profile to %s", profile)
}

func crushSetTunable(c *call) reply {
	v, _ := c.args.int("value")
	if v < 0 || v > 2 {
		return fail(syscall.EINVAL, "value must be 0 or 1; got %d", v)
	}
	c.change().editCrush().Tunables.StrawCalcVersion = int(v)
	return done("adjusted tunable %s to %d", c.args.str("tunable"), v)
}

// classTargets are the OSDs of the argument "ids".
func (c *call) classTargets() ([]int, *reply) {
	var ids []int
	for _, text := range c.args.list("ids") {
		if text == "all" || text == "any" || text == "*" {
			for _, o := range c.state.OSDMap.existing() {
				ids = append(ids, o.ID)
			}
			continue
		}
		id, ok := osdID(text)
		if !ok {
			r := fail(syscall.EINVAL, "unable to parse osd id:\"%s\". ", text)
			return nil, &r
		}
		ids = append(ids, id)
	}
	return ids, nil
}

func crushSetClass(c *call) reply {
	class := c.args.str("class")
	ids, bad := c.classTargets()
	if bad != nil {
		return *bad
	}
	m := c.change().editCrush()
	var set []string
	for _, id := range ids {
		if c.state.OSDMap.osd(id) == nil {
			continue
		}
		name := fmt.Sprintf("osd.%d", id)
		if old := m.Class(id); old != "" && old != class {
			return fail(syscall.EBUSY, "%s has already bound to class '%s', can not reset class to '%s'; "+
				"use 'ceph osd crush rm-device-class <id>' to remove old class first", name, old, class)
		}
		m.NameDevice(id, name)
		m.SetClass(id, class)
		set = append(set, fmt.Sprint(id))
	}
	return done("set osd(s) %s to class '%s'", strings.Join(set, ","), class)
}

func crushRmClass(c *call) reply {
	ids, bad := c.classTargets()
	if bad != nil {
		return *bad
	}
	m := c.change().editCrush()
	var gone []string
	for _, id := range ids {
		if c.state.OSDMap.osd(id) == nil {
			continue
		}
		m.SetClass(id, "")
		gone = append(gone, fmt.Sprint(id))
	}
	return done("done removing class of osd(s): %s", strings.Join(gone, ","))
}

func crushRuleSimple(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	if m.RuleNamed(name) != nil {
		return done("rule %s already exists", name)
	}
	return c.newRule(name, c.args.str("root"), c.args.str("type"), "", crush.Replicated, c.args.str("mode") == "indep")
}

func crushRuleReplicated(c *call) reply {
	name := c.args.str("name")
	if c.state.OSDMap.Crush.RuleNamed(name) != nil {
		return done("rule %s already exists", name)
	}
	return c.newRule(name, c.args.str("root"), c.args.str("type"), c.args.str("class"), crush.Replicated, false)
}

func (c *call) newRule(name, root, level, class string, kind int, indep bool) reply {
	m := c.state.OSDMap.Crush
	b := m.BucketNamed(root)
	if b == nil {
		return fail(syscall.ENOENT, "root item %s does not exist", root)
	}
	t, ok := m.TypeNamed(level)
	if !ok {
		return fail(syscall.EINVAL, "unknown type %s", level)
	}
	n := c.change().editCrush()
	r, err := n.AddRule(name, n.Bucket(b.ID), t, class, kind)
	if err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	c.sizeRule(r)
	if indep {
		for i := range r.Steps {
			r.Steps[i].Op = strings.Replace(r.Steps[i].Op, "_firstn", "_indep", 1)
		}
	}
	return done("")
}

// sizeRule gives a rule the sizes that it has in older releases.
func (c *call) sizeRule(r *crush.Rule) {
	switch {
	case c.release.atLeast(quincy):
	case r.Type == crush.Erasure:
		r.MinSize, r.MaxSize = 3, 20
	default:
		r.MinSize, r.MaxSize = 1, 10
	}
}

func crushRuleErasure(c *call) reply {
	name := c.args.str("name")
	profile := c.args.str("profile")
	if profile == "" {
		profile = "default"
	}
	if r := c.state.OSDMap.Crush.RuleNamed(name); r != nil {
		return done("rule %s already exists", name)
	}
	return c.erasureRule(name, profile)
}

// erasureRule makes the rule that a profile asks for.
func (c *call) erasureRule(name, profile string) reply {
	p, ok := c.state.OSDMap.ECProfiles[profile]
	if !ok {
		return fail(syscall.ENOENT, "unknown erasure code profile '%s'", profile)
	}
	get := func(key, otherwise string) string {
		if v := p[key]; v != "" {
			return v
		}
		return otherwise
	}
	r := c.newRule(name, get("crush-root", "default"), get("crush-failure-domain", "host"), p["crush-device-class"], crush.Erasure, true)
	if r.errno != 0 {
		return r
	}
	rule := c.change().editCrush().RuleNamed(name)
	if !c.release.atLeast(quincy) {
		k, m := ecCounts(p)
		rule.MinSize, rule.MaxSize = 3, k+m
	}
	return done("created rule %s at %d", name, rule.ID)
}

func crushRuleRm(c *call) reply {
	m := c.state.OSDMap
	name := c.args.str("name")
	r := m.Crush.RuleNamed(name)
	if r == nil {
		return done("rule %s does not exist", name)
	}
	if slices.ContainsFunc(m.Pools, func(p *Pool) bool { return p.Rule == r.ID }) {
		if c.release.atLeast(quincy) {
			return fail(syscall.EBUSY, "crush rule %s (%d) is in use", name, r.ID)
		}
		return fail(syscall.EBUSY, "crush ruleset %s %d is in use", name, r.ID)
	}
	c.change().editCrush().RemoveRule(r.ID)
	return done("")
}

func crushRuleRename(c *call) reply {
	m := c.state.OSDMap.Crush
	from, to := c.args.str("srcname"), c.args.str("dstname")
	if m.RuleNamed(from) == nil {
		if m.RuleNamed(to) != nil {
			return done("already renamed to '%s'", to)
		}
		return fail(syscall.ENOENT, "unable to rename crush rule '%s': does not exist", from)
	}
	if m.RuleNamed(to) != nil {
		return fail(syscall.EEXIST, "dst rule '%s' already exists", to)
	}
	c.change().editCrush().RuleNamed(from).Name = to
	return done("")
}
