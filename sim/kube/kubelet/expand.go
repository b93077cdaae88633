package kubelet

import "strings"

// expand replaces each $(NAME) by what lookup knows. A name that is not known
// stays as it is written, and $$ is a $ that begins nothing. (Kubernetes API
// reference, Container v1, command.)
func expand(text string, lookup func(name string) (string, bool)) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			break
		}
		b.WriteString(text[:i])
		text = text[i+1:]
		switch text[0] {
		case '$':
			b.WriteByte('$')
			text = text[1:]
		case '(':
			name, rest, closed := strings.Cut(text[1:], ")")
			if !closed {
				b.WriteString("$(")
				text = text[1:]
				continue
			}
			text = rest
			if value, ok := lookup(name); ok {
				b.WriteString(value)
			} else {
				b.WriteString("$(" + name + ")")
			}
		default:
			b.WriteByte('$')
		}
	}
	b.WriteString(text)
	return b.String()
}
