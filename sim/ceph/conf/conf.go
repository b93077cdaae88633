package conf

import (
	"fmt"
	"slices"
	"strings"
)

// File is a ceph.conf.
type File struct{ sections []*section }

type section struct {
	name    string
	options []option
}

type option struct{ name, value string }

// SyntaxError says where a file is no ceph.conf.
type SyntaxError struct {
	Line int // from 1
	Text string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %q is neither a section nor an option (name = value)", e.Line, e.Text)
}

// Name is an option's name in its usual spelling: lower case, words joined by
// one underscore.
func Name(s string) string {
	if usual(s) {
		return s
	}
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r == ' ' || r == '\t' || r == '-' || r == '_'
	})
	return strings.Join(words, "_")
}

// usual says whether a name stands in its usual spelling already, as most do.
func usual(s string) bool {
	if strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '_':
			if s[i-1] == '_' {
				return false
			}
		case c >= 'A' && c <= 'Z' || c >= 0x80 || c == ' ' || c == '\t' || c == '-':
			return false
		}
	}
	return true
}

// Parse reads a ceph.conf. Options before the first section are [global]'s, a
// later value of an option replaces an earlier one, and a line that ends with a
// backslash goes on in the next. The error is a [*SyntaxError].
func Parse(data []byte) (*File, error) {
	f := &File{}
	current := "global"
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number, line := i+1, lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + lines[i]
		}
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			name, rest, ok := strings.Cut(line[1:], "]")
			if rest = strings.TrimSpace(uncomment(rest)); !ok || rest != "" || strings.TrimSpace(name) == "" {
				return nil, &SyntaxError{number, line}
			}
			current = strings.Join(strings.Fields(name), " ")
			f.section(current, true)
		default:
			name, value, ok := strings.Cut(line, "=")
			if name = strings.TrimSpace(name); !ok || name == "" {
				return nil, &SyntaxError{number, line}
			}
			value, ok = unquote(strings.TrimSpace(value))
			if !ok {
				return nil, &SyntaxError{number, line}
			}
			f.Set(current, name, value)
		}
	}
	return f, nil
}

// uncomment cuts a comment off; "\#" and "\;" are no comments.
func uncomment(s string) string {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '#', ';':
			return s[:i]
		}
	}
	return s
}

func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return unescaped.Replace(s)
}

var unescaped = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\'`, `'`, `\#`, `#`, `\;`, `;`)

// unquote is a value without quotes, escapes and comment.
func unquote(s string) (string, bool) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		return unescape(strings.TrimSpace(uncomment(s))), true
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			rest := strings.TrimSpace(uncomment(s[i+1:]))
			return unescape(s[1:i]), rest == ""
		}
	}
	return "", false
}

func (f *File) section(name string, create bool) *section {
	for _, s := range f.sections {
		if s.name == name {
			return s
		}
	}
	if !create {
		return nil
	}
	s := &section{name: name}
	f.sections = append(f.sections, s)
	return s
}

// Set gives an option of a section a value.
func (f *File) Set(sectionName, name, value string) {
	s := f.section(sectionName, true)
	name = Name(name)
	for i := range s.options {
		if s.options[i].name == name {
			s.options[i].value = value
			return
		}
	}
	s.options = append(s.options, option{name, value})
}

// Get is the value of an option in one section as it is written, metavariables
// not expanded.
func (f *File) Get(sectionName, name string) (string, bool) {
	if f == nil {
		return "", false
	}
	s := f.section(sectionName, false)
	if s == nil {
		return "", false
	}
	name = Name(name)
	for _, o := range s.options {
		if o.name == name {
			return o.value, true
		}
	}
	return "", false
}

// Sections names the sections in the order of the file.
func (f *File) Sections() []string {
	if f == nil {
		return nil
	}
	var names []string
	for _, s := range f.sections {
		names = append(names, s.name)
	}
	return names
}

// Options names the options of a section in the order of the file.
func (f *File) Options(sectionName string) []string {
	var names []string
	if f == nil {
		return nil
	}
	if s := f.section(sectionName, false); s != nil {
		for _, o := range s.options {
			names = append(names, o.name)
		}
	}
	return names
}

// Who asks for options.
type Who struct {
	Cluster string // "ceph" unless the program was told otherwise
	Type    string // "mon", "osd", "mgr", "mds", "client"
	ID      string // "a", "0", "admin"
	Host    string // short host name
}

// Name is type and id, such as "client.admin".
func (w Who) Name() string { return w.Type + "." + w.ID }

// Sections are those that hold for w, the closest first.
func (w Who) Sections() []string { return []string{w.Name(), w.Type, "global"} }

// Lookup is the value of an option for who, metavariables expanded.
func (f *File) Lookup(who Who, name string) (string, bool) {
	for _, s := range who.Sections() {
		if v, ok := f.Get(s, name); ok {
			return f.Expand(who, v), true
		}
	}
	return "", false
}

// Names are all options that hold for who, sorted.
func (f *File) Names(who Who) []string {
	var names []string
	for _, s := range who.Sections() {
		names = append(names, f.Options(s)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Expand replaces metavariables and names of other options ($name, ${name}) in
// a value. What is not known stays as it is.
func (f *File) Expand(who Who, value string) string { return f.expand(who, value, 0) }

// maxDepth ends options that name each other in a circle.
const maxDepth = 8

func (f *File) expand(who Who, value string, depth int) string {
	if !strings.Contains(value, "$") || depth > maxDepth {
		return value
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(value, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest := variable(after)
		if v, ok := f.variable(who, name, depth); ok && name != "" {
			b.WriteString(v)
		} else {
			b.WriteString("$" + after[:len(after)-len(rest)])
		}
		value = rest
	}
}

// variable splits the name of a variable off the text behind a "$".
func variable(s string) (name, rest string) {
	if strings.HasPrefix(s, "{") {
		if name, rest, ok := strings.Cut(s[1:], "}"); ok {
			return name, rest
		}
		return "", s
	}
	n := 0
	for n < len(s) && (s[n] == '_' || s[n] >= 'a' && s[n] <= 'z' || s[n] >= 'A' && s[n] <= 'Z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return s[:n], s[n:]
}

func (f *File) variable(who Who, name string, depth int) (string, bool) {
	switch name {
	case "cluster":
		return who.Cluster, true
	case "type":
		return who.Type, true
	case "id":
		return who.ID, true
	case "name":
		return who.Name(), true
	case "host":
		return who.Host, true
	}
	for _, s := range who.Sections() {
		if v, ok := f.Get(s, name); ok {
			return f.expand(who, v, depth+1), true
		}
	}
	return "", false
}
