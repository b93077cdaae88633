package pass

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Refused says that a cluster cannot be carried on with until a person changes
// something: its spec, another cluster, or an object that went missing. It is
// tried again when that happens, not by the clock.
type Refused struct {
	// Reason is one CamelCase word for the condition.
	Reason string
	// Message names the object, the value and what to do.
	Message string
	// Detail is what a person gets to read besides, where the seed has fixed the
	// message.
	Detail string
}

func (r *Refused) Error() string {
	if r.Detail == "" {
		return r.Message
	}
	return r.Message + ": " + r.Detail
}

// Refuse makes a Refused.
func Refuse(reason, format string, args ...any) *Refused {
	return &Refused{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Later notes that something is still to come, without ending the pass: the
// steps that follow do not depend on it, and the cluster is not ready before it
// has happened.
func (p *Pass) Later(w *Waiting) { p.pending = append(p.pending, w) }

// Pending is what was noted by Later, in order.
func (p *Pass) Pending() []*Waiting { return slices.Clone(p.pending) }

// Hold notes that something which the spec asks for is not done: err is a
// [*Refused] or a failure. The pass goes on, with the cluster as it is without it.
func (p *Pass) Hold(err error) { p.held = err }

// Held is what was noted by Hold, nil for nothing.
func (p *Pass) Held() error { return p.held }

// LookAgain asks for another pass after that time, although nothing that the
// cluster needs to be ready is missing.
func (p *Pass) LookAgain(after time.Duration) {
	if p.again == 0 || after < p.again {
		p.again = after
	}
}

// Again is the soonest time asked for by LookAgain, 0 for none.
func (p *Pass) Again() time.Duration { return p.again }

// IsWaiting says whether err is a Waiting, and which.
func IsWaiting(err error) (*Waiting, bool) {
	var w *Waiting
	ok := errors.As(err, &w)
	return w, ok
}
