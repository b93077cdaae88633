package config

import (
	"fmt"
	"strings"
)

// File is a configuration file of Ceph: sections of settings, in order.
type File struct{ sections []*section }

type section struct {
	name     string
	settings []setting
}

type setting struct {
	key, value string
	canonical  string // the key's canonical form
}

// Set gives a setting its value. Ceph takes a blank, an underscore and a dash in
// a key for the same; a setting that is there keeps its place and its spelling.
func (f *File) Set(sectionName, key, value string) {
	s, same := f.section(sectionName), canonical(key)
	for i := range s.settings {
		if s.settings[i].canonical == same {
			s.settings[i].value = value
			return
		}
	}
	s.settings = append(s.settings, setting{key, value, same})
}

func (f *File) section(name string) *section {
	for _, s := range f.sections {
		if s.name == name {
			return s
		}
	}
	s := &section{name: name}
	f.sections = append(f.sections, s)
	return s
}

// canonical is the form of a key in which all its spellings are equal.
func canonical(key string) string {
	if !strings.ContainsAny(key, " \t_-") {
		return key
	}
	return strings.Join(strings.FieldsFunc(key, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '_' || r == '-'
	}), "_")
}

// Merge sets everything that other sets.
func (f *File) Merge(other *File) {
	for _, s := range other.sections {
		f.section(s.name)
		for _, set := range s.settings {
			f.Set(s.name, set.key, set.value)
		}
	}
}

// String is the file's text: the equals signs of a section stand in one column,
// and an empty line stands between sections (S76).
func (f *File) String() string {
	var b strings.Builder
	for i, s := range f.sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s]\n", s.name)
		width := 0
		for _, set := range s.settings {
			width = max(width, len(set.key))
		}
		for _, set := range s.settings {
			fmt.Fprintf(&b, "%-*s = %s\n", width, set.key, set.value)
		}
	}
	return b.String()
}

// Parse reads a configuration file as Ceph does: comments begin with # or ;
// outside quotes, a backslash at a line's end joins the next line to it. The
// error names the line.
func Parse(text string) (*File, error) {
	f := &File{}
	name := ""
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		number, line := i+1, lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + lines[i]
		}
		line = strings.TrimSpace(uncommented(line))
		if line == "" {
			continue
		}
		if strings.HasPrefix(line, "[") {
			end := strings.IndexByte(line, ']')
			if end < 0 || strings.TrimSpace(line[end+1:]) != "" || strings.TrimSpace(line[1:end]) == "" {
				return nil, fmt.Errorf("line %d: %q is not a section such as [global]", number, line)
			}
			name = strings.TrimSpace(line[1:end])
			f.section(name)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.TrimSpace(key)
		switch {
		case !ok || key == "":
			return nil, fmt.Errorf("line %d: %q is not of the form key = value", number, line)
		case name == "":
			return nil, fmt.Errorf("line %d: %q stands before any section such as [global]", number, line)
		}
		f.Set(name, key, strings.TrimSpace(value))
	}
	return f, nil
}

// uncommented is a line up to its comment.
func uncommented(line string) string {
	var quote rune
	escaped := false
	for i, r := range line {
		switch {
		case escaped:
			escaped = false
		case r == '\\':
			escaped = true
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '#' || r == ';':
			return line[:i]
		}
	}
	return line
}
