package ceph

import (
	"bytes"
	"compress/gzip"
	_ "embed" // of the descriptions
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
)

//go:embed descriptions/pacific.json.gz
var pacificDescriptions []byte

// Flags of a description, as in Ceph's MonCommand.
const (
	flagObsolete   = 2
	flagDeprecated = 4
	flagMgr        = 8
	flagHidden     = 32 // answers only to `ceph tell` and the admin socket
)

// description is a command as the monitors describe it to the command line.
type description struct {
	prefix string // "osd pool create"
	sig    []param
	help   string
	module string // what caps are asked for
	perm   string // "r", "rw", "rx", …
	flags  int
	need   int // number of required words and arguments
}

// param is one word of a signature or one argument.
type param struct {
	word     string // a fixed word; the rest is empty then
	name     string
	kind     string // "CephString", …
	many     bool   // once or more
	required bool
	choices  []string
	limits   []float64 // of numbers: lowest, highest
	limitsAs string    // the limits as Python prints them
	class    string    // of the characters that a string may have, as "[A-Za-z]"; empty for any
	good     string    // those characters
}

// commandSet is all commands of a release.
type commandSet struct {
	all    []*description
	byWord map[string][]*description // by first word
}

// writes says whether the command may change something.
func (d *description) writes() bool { return strings.ContainsAny(d.perm, "w") }

type jsonDescription struct {
	Sig    []json.RawMessage
	Help   string
	Module string
	Perm   string
	Flags  int
}

// parseDescriptions reads the embedded list.
var parseDescriptions = sync.OnceValue(func() []*description {
	z, err := gzip.NewReader(bytes.NewReader(pacificDescriptions))
	if err != nil {
		panic(fmt.Sprintf("ceph: embedded descriptions: %v", err))
	}
	var list []jsonDescription
	if err := json.NewDecoder(z).Decode(&list); err != nil {
		panic(fmt.Sprintf("ceph: embedded descriptions: %v", err))
	}
	all := make([]*description, len(list))
	for i, j := range list {
		all[i] = j.description()
	}
	return all
})

func (j jsonDescription) description() *description {
	d := &description{help: j.Help, module: j.Module, perm: j.Perm, flags: j.Flags}
	var words []string
	for _, s := range j.Sig {
		p := parseParam(s)
		if p.word != "" {
			words = append(words, p.word)
		}
		if p.required {
			d.need++
		}
		d.sig = append(d.sig, p)
	}
	d.prefix = strings.Join(words, " ")
	return d
}

func parseParam(text json.RawMessage) param {
	var word string
	if json.Unmarshal(text, &word) == nil {
		return param{word: word, required: true}
	}
	var j map[string]string
	if err := json.Unmarshal(text, &j); err != nil {
		panic(fmt.Sprintf("ceph: embedded descriptions: %s: %v", text, err))
	}
	return param{name: j["name"], kind: j["type"], many: j["n"] == "N", required: j["req"] == "" || j["req"] == "true" || j["req"] == "True"}.bounded(j)
}

// bounded takes over what restricts the values of a param.
func (p param) bounded(j map[string]string) param {
	if s, ok := j["strings"]; ok {
		p.choices = strings.Split(s, "|")
	}
	if r := j["range"]; r != "" {
		var shown []string
		for s := range strings.SplitSeq(r, "|") {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil {
				f = math.NaN()
			}
			p.limits = append(p.limits, f)
			if p.kind == "CephFloat" && !strings.Contains(s, ".") {
				s += ".0"
			}
			shown = append(shown, s)
		}
		p.limitsAs = "[" + strings.Join(shown, ", ") + "]"
	}
	if g := j["goodchars"]; g != "" {
		p.class, p.good = g, expandClass(g)
	}
	return p
}

// expandClass lists the characters of a class like "[A-Za-z0-9-_.]".
func expandClass(class string) string {
	c := strings.TrimSuffix(strings.TrimPrefix(class, "["), "]")
	var b strings.Builder
	for i := 0; i < len(c); i++ {
		if i+2 < len(c) && c[i+1] == '-' && c[i] < c[i+2] && isAlphanumeric(c[i]) && isAlphanumeric(c[i+2]) {
			for ch := c[i]; ch <= c[i+2]; ch++ {
				b.WriteByte(ch)
			}
			i += 2
			continue
		}
		if c[i] != '\\' {
			b.WriteByte(c[i])
		}
	}
	return b.String()
}

func isAlphanumeric(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// usage is a param as the usage line shows it.
func (p param) usage() string {
	var s string
	switch p.kind {
	case "":
		return p.word
	case "CephBool":
		s = "--" + strings.ReplaceAll(p.name, "_", "-")
	case "CephChoices":
		s = strings.Join(p.choices, "|")
		if p.name == "format" {
			s = "--format {" + s + "}"
		}
	case "CephOsdName":
		s = "<id|osd.id>"
	case "CephName":
		s = "<type.id>"
	case "CephInt":
		s = "<" + p.name + ":int>"
	case "CephFloat":
		s = "<" + p.name + ":float>"
	default:
		s = "<" + p.name + ">"
	}
	return p.decorate(s)
}

func (p param) decorate(s string) string {
	if p.many {
		s += "..."
	}
	if !p.required {
		s = "[" + s + "]"
	}
	return s
}

// typeNames are the types as error messages name them.
var typeNames = map[string]string{
	"CephString": "<string>", "CephPoolname": "<poolname>", "CephObjectname": "<objectname>", "CephPgid": "<pgid>",
	"CephName": "<name (type.id)>", "CephOsdName": "<osdname (id|osd.id)>", "CephBool": "<bool>", "CephUUID": "<uuid>",
	"CephIPAddr": "<IPaddr[:port]>", "CephEntityAddr": "<EntityAddr>", "CephFilepath": "<outfilename>",
	"CephFragment": "<CephFS fragment ID (0xvvv/bbb)>", "CephSocketpath": "<admin-socket-path>",
}

// described is a param as error messages name it: name and type.
func (p param) described() string {
	if p.kind == "" {
		return p.word
	}
	if p.kind == "CephChoices" && len(p.choices) == 1 {
		s := p.choices[0]
		if !p.required {
			s = "[" + s + "]"
		}
		return s
	}
	t := typeNames[p.kind]
	switch p.kind {
	case "CephChoices":
		t = strings.Join(p.choices, "|")
	case "CephInt", "CephFloat":
		t = "<" + strings.ToLower(strings.TrimPrefix(p.kind, "Ceph")) + p.rangeText() + ">"
	case "CephString":
		if p.class != "" {
			t = "<string(goodchars " + p.class + ")>"
		}
	}
	return p.decorate(p.name + "(" + t + ")")
}

func (p param) rangeText() string {
	parts := strings.Split(strings.Trim(p.limitsAs, "[]"), ", ")
	switch {
	case len(p.limits) == 0:
		return ""
	case len(p.limits) == 1:
		return "[" + parts[0] + "-]"
	}
	return "[" + parts[0] + "-" + parts[1] + "]"
}

// usage is the command's usage line.
func (d *description) usage() string {
	parts := make([]string, len(d.sig))
	for i, p := range d.sig {
		parts[i] = p.usage()
	}
	return strings.Join(parts, " ")
}
