package crush

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Compile reads the text form of a map. The error is what crushtool -c prints,
// name being that of the file.
func Compile(name, text string) (*Map, error) {
	c := &compiler{name: name, tokens: tokenize(text), m: &Map{Tunables: profiles[len(profiles)-1].t}}
	for c.at < len(c.tokens) {
		start := c.at
		if err := c.item(); err != nil {
			return nil, err
		}
		if c.bad {
			t := c.tokens[start]
			return nil, refuse("%s:%d error: parse error at '%s'", name, t.line, t.rest)
		}
	}
	for id, b := range c.twins {
		if t := c.m.Bucket(id); t == nil {
			c.m.addBucket(b)
		}
	}
	c.m.rebuild()
	if err := c.takeClasses(); err != nil {
		return nil, err
	}
	slices.SortFunc(c.m.Rules, func(a, b *Rule) int { return cmp.Compare(a.ID, b.ID) })
	return c.m, nil
}

// refusal is an error in crushtool's own words, which are no Go sentence.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

type token struct {
	text string
	line int    // from 1
	rest string // of the line, from this token on
}

var braces = strings.NewReplacer("{", " { ", "}", " } ", "[", " [ ", "]", " ] ")

// tokenize splits a text into words and braces; comments go.
func tokenize(text string) []token {
	var all []token
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(braces.Replace(line))
		for i, w := range words {
			all = append(all, token{w, n + 1, strings.Join(words[i:], " ")})
		}
	}
	return all
}

// compiler reads item by item. bad is set where the text is none of them; an
// item that can be read but makes no sense gives an error.
type compiler struct {
	name   string
	tokens []token
	at     int
	bad    bool
	m      *Map
	twins  map[int]*Bucket
	takes  []take
}

// take is a "step take X class Y", whose bucket is known only at the end.
type take struct {
	rule  *Rule
	step  int
	item  string
	class string
}

func (c *compiler) peek() string {
	if c.at < len(c.tokens) {
		return c.tokens[c.at].text
	}
	return ""
}

func (c *compiler) next() string {
	t := c.peek()
	if t == "" {
		c.bad = true
	}
	c.at++
	return t
}

func (c *compiler) accept(word string) bool {
	if c.peek() == word {
		c.at++
		return true
	}
	return false
}

func (c *compiler) expect(word string) { c.bad = c.next() != word || c.bad }

func (c *compiler) int() int {
	n, err := strconv.Atoi(c.next())
	c.bad = c.bad || err != nil
	return n
}

func (c *compiler) float() float64 {
	f, err := strconv.ParseFloat(c.next(), 64)
	c.bad = c.bad || err != nil || f < 0
	return f
}

func (c *compiler) word() string {
	w := c.next()
	c.bad = c.bad || !ValidName(w)
	return w
}

func (c *compiler) item() error {
	switch c.peek() {
	case "tunable":
		return c.tunable()
	case "device":
		return c.device()
	case "type":
		c.next()
		t := Type{ID: c.int(), Name: c.word()}
		if !c.bad {
			c.m.Types = append(c.m.Types, t)
			slices.SortStableFunc(c.m.Types, func(a, b Type) int { return cmp.Compare(a.ID, b.ID) })
		}
		return nil
	case "rule":
		return c.rule()
	}
	return c.bucket()
}

func (c *compiler) tunable() error {
	c.next()
	name, v := c.word(), c.int()
	if c.bad {
		return nil
	}
	t := &c.m.Tunables
	field := map[string]*int{
		"choose_local_tries": &t.ChooseLocalTries, "choose_local_fallback_tries": &t.ChooseLocalFallbackTries,
		"choose_total_tries": &t.ChooseTotalTries, "chooseleaf_descend_once": &t.ChooseleafDescendOnce,
		"chooseleaf_vary_r": &t.ChooseleafVaryR, "chooseleaf_stable": &t.ChooseleafStable,
		"straw_calc_version": &t.StrawCalcVersion, "allowed_bucket_algs": &t.AllowedBucketAlgs,
	}[name]
	if field == nil {
		return refuse("tunable %s not recognized", name)
	}
	*field = v
	return nil
}

func (c *compiler) device() error {
	c.next()
	d := Device{ID: c.int(), Name: c.word()}
	if c.accept("class") {
		d.Class = c.word()
	}
	if c.bad || d.ID < 0 {
		c.bad = true
		return nil
	}
	if _, twice := c.m.ID(d.Name); twice {
		return refuse("item %s defined twice", d.Name)
	}
	c.m.NameDevice(d.ID, d.Name)
	c.m.Device(d.ID).Class = d.Class
	return nil
}

func (c *compiler) bucket() error {
	level, name := c.word(), c.word()
	c.expect("{")
	if c.bad {
		return nil
	}
	b := &Bucket{Name: name}
	type ref struct {
		name   string
		weight Weight
		given  bool
	}
	var items []ref
	twins := map[int]string{}
	for !c.accept("}") {
		switch c.next() {
		case "id":
			id := c.int()
			c.bad = c.bad || id >= 0
			if c.accept("class") {
				twins[id] = c.word()
			} else {
				b.ID = id
			}
		case "alg":
			b.Alg = c.word()
		case "hash":
			c.word()
		case "item":
			r := ref{name: c.word()}
			for {
				if c.accept("weight") {
					r.weight, r.given = WeightOf(c.float()), true
				} else if c.accept("pos") {
					c.int()
				} else {
					break
				}
			}
			items = append(items, r)
		default:
			c.bad = true
		}
		if c.bad {
			return nil
		}
	}
	t, known := c.m.TypeNamed(level)
	if !known {
		return refuse("bucket type '%s' is not defined", level)
	}
	b.Type = t
	if _, twice := c.m.ID(name); twice {
		return refuse("bucket or device '%s' is already defined", name)
	}
	if !slices.Contains([]string{"uniform", "list", "tree", "straw", "straw2"}, b.Alg) {
		return refuse("unknown bucket alg '%s'\n", b.Alg)
	}
	for _, r := range items {
		id, ok := c.m.ID(r.name)
		if !ok {
			return refuse("item '%s' in bucket '%s' is not defined", r.name, name)
		}
		if !r.given {
			r.weight = One
			if child := c.m.Bucket(id); child != nil {
				r.weight = child.Weight()
			}
		}
		if id >= 0 && r.weight > 10000*One {
			return refuse("device weight limited to %d", 10000)
		}
		b.Items = append(b.Items, Item{id, r.weight})
	}
	if c.m.Bucket(b.ID) != nil && b.ID != 0 {
		return refuse("Duplicate bucket id %d", b.ID)
	}
	c.m.addBucket(b)
	for id, class := range twins {
		if c.twins == nil {
			c.twins = map[int]*Bucket{}
		}
		c.twins[id] = &Bucket{ID: id, Name: name + "~" + class, Type: t, Alg: b.Alg, Class: class, Of: b.ID}
	}
	return nil
}

func (c *compiler) rule() error {
	c.next()
	r := &Rule{MinSize: 1, MaxSize: 10}
	if c.peek() != "{" {
		r.Name = c.word()
	}
	c.expect("{")
	if c.bad {
		return nil
	}
	if r.Name != "" && c.m.RuleNamed(r.Name) != nil {
		return refuse("rule name '%s' already defined\n", r.Name)
	}
	for !c.accept("}") && !c.bad {
		switch c.next() {
		case "id", "ruleset":
			r.ID = c.int()
		case "type":
			switch c.next() {
			case "replicated", "1":
				r.Type = Replicated
			case "erasure", "3":
				r.Type = Erasure
			default:
				c.bad = true
			}
		case "min_size":
			r.MinSize = c.int()
		case "max_size":
			r.MaxSize = c.int()
		case "step":
			if err := c.step(r); err != nil {
				return err
			}
		default:
			c.bad = true
		}
	}
	if c.bad {
		return nil
	}
	if c.m.Rule(r.ID) != nil {
		return refuse("rule %d already exists", r.ID)
	}
	c.m.Rules = append(c.m.Rules, r)
	return nil
}

func (c *compiler) step(r *Rule) error {
	var s Step
	switch op := c.next(); {
	case op == "take":
		s.Op = "take"
		t := take{rule: r, step: len(r.Steps), item: c.word()}
		if c.accept("class") {
			t.class = c.word()
		}
		if c.bad {
			return nil
		}
		id, ok := c.m.ID(t.item)
		if !ok {
			return refuse("in rule '%s' item '%s' not defined", r.Name, t.item)
		}
		s.Item = id
		if t.class != "" {
			c.takes = append(c.takes, t)
		}
	case op == "emit":
		s.Op = "emit"
	case op == "choose" || op == "chooseleaf":
		mode := c.next()
		c.bad = c.bad || mode != "firstn" && mode != "indep"
		s.Op, s.Num = op+"_"+mode, c.int()
		c.expect("type")
		level := c.word()
		if c.bad {
			return nil
		}
		t, ok := c.m.TypeNamed(level)
		if !ok {
			return refuse("in rule '%s' type '%s' not defined", r.Name, level)
		}
		s.Type = t
	case strings.HasPrefix(op, "set_choose"):
		s.Op, s.Num = op, c.int()
	default:
		c.bad = true
	}
	r.Steps = append(r.Steps, s)
	return nil
}

// takeClasses points rules at the shadow trees of the classes that they name.
func (c *compiler) takeClasses() error {
	for _, t := range c.takes {
		id := t.rule.Steps[t.step].Item
		if !slices.ContainsFunc(c.m.Buckets, func(b *Bucket) bool { return b.Shadow() && b.Of == id }) {
			return refuse("in rule '%s' step take %s has no class information", t.rule.Name, t.item)
		}
		s := c.m.shadow(id, t.class)
		if s == nil {
			return refuse("in rule '%s' step take %s no matching bucket for class %s", t.rule.Name, t.item, t.class)
		}
		t.rule.Steps[t.step].Item = s.ID
	}
	return nil
}
