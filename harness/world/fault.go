package world

import (
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
}

// FaultKind is what goes wrong with an effect.
type FaultKind int

const (
	// KillBefore kills the operator instead of the effect.
	KillBefore FaultKind = iota
	// KillAfter kills the operator after the effect, before it knows the answer.
	KillAfter
	// Refuse answers with an error, without the effect: a conflict for a write of
	// something that exists, an internal error for one that is to be made, exit
	// code 1 for a command.
	Refuse
	// TimeOut answers after the deadline, without the effect.
	TimeOut
	// LoseAnswer has the effect, and answers as TimeOut does.
	LoseAnswer
)

func (k FaultKind) String() string {
	return [...]string{"killed before", "killed after", "refused", "timed out", "answer lost"}[k]
}

// Fault is one fault, which happens once.
type Fault struct {
	Kind FaultKind
	// Number is that of the effect, from 1 on; 0 takes the first from now on that
	// Words name.
	Number int
	// Words are part of the effect's text.
	Words string
}

// Hits says whether the fault is one of that effect.
func (f Fault) Hits(number int, text string) bool {
	if f.Number > 0 {
		return f.Number == number
	}
	return strings.Contains(text, f.Words)
}
