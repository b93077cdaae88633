package world

import (
	"fmt"
	"strings"
	"time"
)

// Effect is one thing that the operator did, or tried to do, outside itself: a
// write to Kubernetes or a program that it ran.
type Effect struct {
	At time.Time
	// Text names it: "create Secret rook-ceph/rook-ceph-mon", or a command line
	// without its secrets.
	Text string
	// Command says that it is a program, not a write.
	Command bool
}

// Event is one change in Kubernetes that the operator was told of by a watch.
type Event struct {
	At time.Time
	// Text names it: "modified Node n1".
	Text string
}

// FaultKind is what goes wrong with an effect, or with an event.
type FaultKind int

const (
	// KillBefore kills the operator instead of the effect.
	KillBefore FaultKind = iota
	// KillAfter kills the operator after the effect, before it knows the answer.
	KillAfter
	// Refuse answers with an error, without the effect: an internal error for a
	// write, exit code 1 for a command.
	Refuse
	// Conflict answers a write with 409, without the effect: for a create, as one
	// whose resource quota was written by somebody else at that moment. Nothing
	// happens to a command.
	Conflict
	// TimeOut answers after the deadline, without the effect.
	TimeOut
	// LoseAnswer has the effect, and answers as TimeOut does.
	LoseAnswer
	// Garble has the effect of a command, and cuts its answer off in the middle.
	// Nothing happens to a write.
	Garble
	// LoseEvent keeps an event from the operator, until a list 5 minutes later
	// shows what it missed.
	LoseEvent

	kinds // how many there are
)

// FaultKinds are all kinds.
func FaultKinds() []FaultKind {
	var all []FaultKind
	for k := range kinds {
		all = append(all, k)
	}
	return all
}

func (k FaultKind) String() string {
	return [...]string{
		"killed before", "killed after", "refused", "conflict", "timed out", "answer lost", "garbled", "event lost",
	}[k]
}

// ParseFaultKind reads what String writes, with "-" for blanks.
func ParseFaultKind(s string) (FaultKind, error) {
	var all []string
	for _, k := range FaultKinds() {
		name := strings.ReplaceAll(k.String(), " ", "-")
		if name == strings.ReplaceAll(s, " ", "-") {
			return k, nil
		}
		all = append(all, name)
	}
	return 0, fmt.Errorf("there is no kind of fault %q; there are %s", s, strings.Join(all, ", "))
}

// OfEvents says that the kind is one of events, not of effects.
func (k FaultKind) OfEvents() bool { return k == LoseEvent }

// Touches says whether an effect can go wrong in that way.
func (k FaultKind) Touches(e Effect) bool {
	switch k {
	case Conflict:
		return !e.Command
	case Garble:
		return e.Command
	}
	return !k.OfEvents()
}

// Fault is one fault, which happens once.
type Fault struct {
	Kind FaultKind
	// Number is that of the effect, or event, from 1 on; 0 takes the first from
	// now on that Words name.
	Number int
	// Words are part of the text.
	Words string
}

// Hits says whether the fault is one of that effect or event.
func (f Fault) Hits(number int, text string) bool {
	if f.Number > 0 {
		return f.Number == number
	}
	return strings.Contains(text, f.Words)
}
