package conf

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Entry is one entity of a keyring.
type Entry struct {
	Entity string // "client.admin", "mon."
	Key    string // base64; empty if only caps are there
	Caps   map[string]string
}

// Keyring holds entities by name.
type Keyring map[string]Entry

// ErrMalformed is the text that Ceph has for a keyring that is none.
var ErrMalformed = errors.New("cannot parse buffer: Malformed input")

// ParseKeyring reads a keyring. An empty one has no entities. Errors have
// Ceph's own text.
func ParseKeyring(data []byte) (Keyring, error) {
	f, err := Parse(data)
	if err != nil {
		return nil, ErrMalformed
	}
	k := Keyring{}
	for _, name := range f.Sections() {
		if name == "global" {
			if len(f.Options(name)) > 0 {
				return nil, ErrMalformed
			}
			continue
		}
		if !ValidEntity(name) {
			return nil, fmt.Errorf("bad entity name in keyring: %s: Malformed input", name)
		}
		e := Entry{Entity: name, Caps: map[string]string{}}
		for _, o := range f.Options(name) {
			v, _ := f.Get(name, o)
			service, isCap := strings.CutPrefix(o, "caps_")
			switch {
			case o == "key" && validKey(v):
				e.Key = v
			case isCap:
				e.Caps[service] = v
			case o == "auid": // luminous and mimic write it; nobody reads it
			default:
				return nil, fmt.Errorf("error setting modifier for [%s] type=%s val=%s: Malformed input",
					name, strings.ReplaceAll(o, "_", " "), v)
			}
		}
		k[name] = e
	}
	return k, nil
}

// headerSize is what stands before the secret in a key: its type (2 bytes), the
// time of its making (8) and the secret's length (2).
const headerSize = 12

// validKey says whether a text is a cephx key.
func validKey(s string) bool {
	b, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(b) >= headerSize && len(b) == headerSize+int(binary.LittleEndian.Uint16(b[headerSize-2:]))
}

// entityTypes in the order in which Ceph sorts them.
var entityTypes = []string{"auth", "mon", "mds", "osd", "client", "mgr"}

// ValidEntity says whether a text is TYPE.ID with a type that Ceph knows.
func ValidEntity(name string) bool {
	t, _, ok := strings.Cut(name, ".")
	return ok && slices.Contains(entityTypes, t)
}

// CompareEntities orders entities as Ceph does: by type (auth, mon, mds, osd,
// client, mgr), then by id as text.
func CompareEntities(a, b string) int {
	ta, ia, _ := strings.Cut(a, ".")
	tb, ib, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(slices.Index(entityTypes, ta), slices.Index(entityTypes, tb)), cmp.Compare(ia, ib))
}

// Entities are the names in Ceph's order.
func (k Keyring) Entities() []string { return slices.SortedFunc(maps.Keys(k), CompareEntities) }

// String is the keyring as Ceph's programs write it.
func (k Keyring) String() string {
	var b strings.Builder
	for _, name := range k.Entities() {
		b.WriteString(k[name].String())
	}
	return b.String()
}

// String is the entity's section of a keyring.
func (e Entry) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%s]\n", e.Entity)
	if e.Key != "" {
		fmt.Fprintf(&b, "\tkey = %s\n", e.Key)
	}
	for _, service := range slices.Sorted(maps.Keys(e.Caps)) {
		fmt.Fprintf(&b, "\tcaps %s = \"%s\"\n", service, quote(e.Caps[service]))
	}
	return b.String()
}

func quote(s string) string {
	if !strings.ContainsAny(s, `\"`) {
		return s
	}
	return quoted.Replace(s)
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
