package steps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// patterns are what a scenario writes for text that it cannot know.
func patterns() map[string]string {
	return map[string]string{
		"<any>":  `.*`,
		"<n>":    `\d+`,
		"<ip>":   `\d+\.\d+\.\d+\.\d+`,
		"<uuid>": `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`,
		"<key>":  `[A-Za-z0-9+/]{38}==`,
		"<tmp>":  `/tmp/[0-9A-Za-z._-]+`,
		"<time>": `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`,
	}
}

var pattern = regexp.MustCompile(`<[a-z]+>`)

// matches says whether text is as written, with <any> and the like standing for
// what a scenario cannot know.
func matches(written, text string) bool {
	known := patterns()
	if !pattern.MatchString(written) {
		return written == text
	}
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	rest := written
	for {
		at := pattern.FindStringIndex(rest)
		if at == nil {
			break
		}
		p, ok := known[rest[at[0]:at[1]]]
		if !ok {
			p = regexp.QuoteMeta(rest[at[0]:at[1]])
		}
		b.WriteString(regexp.QuoteMeta(rest[:at[0]]) + p)
		rest = rest[at[1]:]
	}
	b.WriteString(regexp.QuoteMeta(rest) + `\z`)
	return regexp.MustCompile(b.String()).MatchString(text)
}

// sameText compares whole texts, a final newline aside.
func sameText(written, text string) error {
	written, text = strings.TrimSuffix(written, "\n"), strings.TrimSuffix(text, "\n")
	if matches(written, text) {
		return nil
	}
	return fmt.Errorf("is not as written (-written +is):\n%s", cmp.Diff(strings.Split(written, "\n"), strings.Split(text, "\n")))
}

// holdsYAML checks that a value has everything that a YAML document says: the
// fields of a mapping that are written, the elements of a list all and in
// order, null for a field that is not there.
func holdsYAML(doc string, value any) error {
	var want any
	if err := yaml.UnmarshalStrict([]byte(doc), &want); err != nil {
		return fmt.Errorf("the scenario's YAML: %w", err)
	}
	if wrong := differences("", want, value); len(wrong) > 0 {
		return fmt.Errorf("differs:\n%s", strings.Join(wrong, "\n"))
	}
	return nil
}

// only, as a key with the value true, says that a mapping has no other keys than
// those written.
const only = "<only>"

func differences(path string, want, got any) []string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: want fields, is %s", at(path), show(got))}
		}
		var out []string
		keys := make([]string, 0, len(w))
		for k := range w {
			if k != only {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		if w[only] == true {
			for k := range g {
				if !slices.Contains(keys, k) {
					out = append(out, fmt.Sprintf("%s.%s: want no such field, is %s", at(path), k, show(g[k])))
				}
			}
			slices.Sort(out)
		}
		for _, k := range keys {
			out = append(out, differences(path+"."+k, w[k], g[k])...)
		}
		return out
	case []any:
		g, ok := got.([]any)
		if !ok && !(got == nil && len(w) == 0) {
			return []string{fmt.Sprintf("%s: want a list, is %s", at(path), show(got))}
		}
		if len(g) != len(w) {
			return []string{fmt.Sprintf("%s: want %d elements, has %d:\n%s", at(path), len(w), len(g), cmp.Diff(want, got))}
		}
		var out []string
		for i := range w {
			out = append(out, differences(fmt.Sprintf("%s[%d]", path, i), w[i], g[i])...)
		}
		return out
	case nil:
		if got != nil {
			return []string{fmt.Sprintf("%s: want nothing, is %s", at(path), show(got))}
		}
		return nil
	default:
		if !matches(fmt.Sprint(w), plain(got)) {
			return []string{fmt.Sprintf("%s: want %q, is %q", at(path), fmt.Sprint(w), plain(got))}
		}
		return nil
	}
}

func at(path string) string {
	if path == "" {
		return "the object"
	}
	return strings.TrimPrefix(path, ".")
}

func plain(v any) string {
	if v == nil {
		return "(nothing)"
	}
	return fmt.Sprint(v)
}

func show(v any) string {
	b, err := yaml.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSpace(string(b))
}
