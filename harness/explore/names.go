package explore

import (
	"fmt"
	"regexp"
	"strings"
)

// names replaces what differs from run to run: the first place at which a value
// is met gives it its name, so that it is seen where else the same value is.
type names struct {
	given map[string]string
	osds  map[string]string // by id: the place of an OSD
}

func newNames(osds map[string]string) *names {
	return &names{given: map[string]string{}, osds: osds}
}

// variable finds what differs. The order of the groups is that of kinds.
var variable = regexp.MustCompile(strings.Join([]string{
	`(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)`,
	`([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})`,
	`([A-Za-z0-9+/]{38}==)`,
	`(\d+\.\d+\.\d+\.\d+)`,
	`\b([0-9a-f]{16,})\b`,
	`(-----BEGIN [A-Z ]+-----.*-----END [A-Z ]+-----)`,
}, "|"))

// The kinds of what differs.
const (
	aTime = iota
	aUUID
	aKey
	anAddress
	aHash
	aCertificate
)

var (
	nonce = regexp.MustCompile(`(:\d+)/\d+`)
	anOSD = regexp.MustCompile(`\b(osd\.|rook-ceph-osd-|ceph-|osd)(\d+)\b`)
)

// replace gives a text in which all that differs has a name.
func (n *names) replace(place, text string) string {
	text = anOSD.ReplaceAllStringFunc(text, func(s string) string {
		m := anOSD.FindStringSubmatch(s)
		if where, ok := n.osds[m[2]]; ok {
			return m[1] + where
		}
		return s
	})
	found := variable.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	var b strings.Builder
	end := 0
	for i, m := range found {
		kind := 0
		for m[2+2*kind] < 0 {
			kind++
		}
		b.WriteString(text[end:m[0]])
		b.WriteString(n.name(kind, place, i, text[m[0]:m[1]]))
		end = m[1]
	}
	b.WriteString(text[end:])
	return nonce.ReplaceAllString(b.String(), "$1")
}

func (n *names) name(kind int, place string, i int, value string) string {
	switch kind {
	case aTime:
		return "<time>"
	case aHash:
		return "<hash>"
	case aCertificate:
		return "<certificate>"
	}
	if known, ok := n.given[value]; ok {
		return known
	}
	what := map[int]string{aUUID: "uuid", aKey: "key", anAddress: "address"}[kind]
	name := fmt.Sprintf("<%s of %s #%d>", what, place, i+1)
	n.given[value] = name
	return name
}
