package ceph

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func crushChangeCommands() map[string]handler {
	return map[string]handler{
		"osd setcrushmap":                           setCrushMap,
		"osd crush set":                             crushSet,
		"osd crush add":                             crushSet,
		"osd crush create-or-move":                  crushCreateOrMove,
		"osd crush add-bucket":                      crushAddBucket,
		"osd crush rename-bucket":                   crushRenameBucket,
		"osd crush move":                            crushMove,
		"osd crush link":                            crushMove,
		"osd crush rm":                              crushRm,
		"osd crush remove":                          crushRm,
		"osd crush unlink":                          crushRm,
		"osd crush reweight":                        crushReweight,
		"osd crush reweight-subtree":                crushReweightSubtree,
		"osd crush reweight-all":                    crushReweightAll,
		"osd crush tunables":                        crushTunables,
		"osd crush set-tunable":                     crushSetTunable,
		"osd crush set-device-class":                crushSetClass,
		"osd crush rm-device-class":                 crushRmClass,
		"osd crush rule create-simple":              crushRuleSimple,
		"osd crush rule create-replicated":          crushRuleReplicated,
		"osd crush rule create-erasure":             crushRuleErasure,
		"osd crush rule rm":                         crushRuleRm,
		"osd crush rule rename":                     crushRuleRename,
		"osd crush class rename":                    crushClassRename,
		"osd crush class rm":                        crushClassRm,
		"osd crush set-all-straw-buckets-to-straw2": crushStraw2,
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

// number is a number with the six digits that Ceph prints.
func number(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

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
	m := c.change().editCrush()
	m.NameDevice(id, name)
	if err := m.Put(id, crush.WeightOf(weight), spec); err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	return done("%s item id %d name '%s' weight %s at location %s to crush map", verb, id, name, number(weight), specText(spec))
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
	done := func(how string) reply {
		return done("create-or-move %s item name '%s' weight %s at location %s to crush map", how, name, number(weight), specText(spec))
	}
	if old.Holds(id, spec) {
		return done("updated")
	}
	w := crush.WeightOf(weight)
	if had, placed := old.ItemWeight(id); placed {
		w = had // an OSD that is there keeps its weight
	}
	m := c.change().editCrush()
	m.NameDevice(id, name)
	if err := m.Put(id, w, spec); err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	return done("updating")
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
	return done("reweighted item id %d name '%s' to %s in crush map", id, name, number(w))
}

func crushReweightSubtree(c *call) reply {
	name := c.args.str("name")
	id, ok := c.state.OSDMap.Crush.ID(name)
	if !ok {
		return fail(syscall.ENOENT, "device '%s' does not appear in the crush map", name)
	}
	w, _ := c.args.float("weight")
	c.change().editCrush().Reweight(id, crush.WeightOf(w))
	return done("reweighted subtree id %d name '%s' to %s in crush map", id, name, number(w))
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

func crushStraw2(c *call) reply {
	n := c.change().editCrush()
	for _, b := range n.Buckets {
		if b.Alg == "straw" {
			b.Alg = "straw2"
		}
	}
	return done("")
}
