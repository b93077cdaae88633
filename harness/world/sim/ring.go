package sim

import (
	"io"
	"strings"
)

// ringSize is how many lines of the trace a world remembers.
const ringSize = 200

// ring passes a trace on and remembers its last lines.
type ring struct {
	next  io.Writer // may be nil
	lines []string
	begin int
}

// Write takes one line, as [loop.Loop.Trace] writes it.
func (r *ring) Write(p []byte) (int, error) {
	if len(r.lines) < ringSize {
		r.lines = append(r.lines, string(p))
	} else {
		r.lines[r.begin] = string(p)
		r.begin = (r.begin + 1) % ringSize
	}
	if r.next == nil {
		return len(p), nil
	}
	return r.next.Write(p)
}

func (r *ring) tail(n int) string {
	all := append(append([]string{}, r.lines[r.begin:]...), r.lines[:r.begin]...)
	return strings.Join(all[max(len(all)-n, 0):], "")
}
