package identity

// MonName is the name of the mon with an id: a to z, then aa, ab and so on
// (S86). It is "" for a negative id.
func MonName(id int) string {
	name := ""
	for ; id >= 0; id = id/26 - 1 {
		name = string(rune('a'+id%26)) + name
	}
	return name
}

// MonID is the id of a name that [MonName] gives; ok is false for any other.
func MonID(name string) (id int, ok bool) {
	if name == "" || len(name) > 6 {
		return 0, false
	}
	id = -1
	for _, r := range name {
		if r < 'a' || r > 'z' {
			return 0, false
		}
		id = (id+1)*26 + int(r-'a')
	}
	return id, true
}
