package queue

import (
	"math/rand/v2"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// How long a key waits for its turn: a draw between the first two. A failed
// turn is repeated after RetryFirst, twice that, and so on up to RetryMost.
const (
	turnLeast  = 1 * time.Millisecond
	turnMost   = 5 * time.Millisecond
	RetryFirst = 50 * time.Millisecond
	RetryMost  = 30 * time.Second
)

// Queue calls one function for keys.
type Queue[K comparable] struct {
	loop    *loop.Loop
	name    string
	draw    *rand.Rand
	turn    func(K) error
	waiting map[K]waiting
	failed  map[K]int
}

type waiting struct {
	at    time.Time
	timer *loop.Timer
}

// New makes a queue that calls turn for each key added. The name is that of
// the controller, for the trace.
func New[K comparable](l *loop.Loop, name string, turn func(K) error) *Queue[K] {
	return &Queue[K]{
		loop: l, name: name, draw: l.Rand("turns of " + name), turn: turn,
		waiting: map[K]waiting{}, failed: map[K]int{},
	}
}

// Add asks for a turn soon.
func (q *Queue[K]) Add(key K) {
	q.AddAfter(key, turnLeast+time.Duration(q.draw.Int64N(int64(turnMost-turnLeast))))
}

// AddAfter asks for a turn when d has passed. An earlier turn that is waiting
// already stands, and is taken for this one too; a later one is brought
// forward.
func (q *Queue[K]) AddAfter(key K, d time.Duration) {
	at := q.loop.Now().Add(d)
	if w, ok := q.waiting[key]; ok {
		if !at.Before(w.at) {
			return
		}
		w.timer.Stop()
	}
	q.waiting[key] = waiting{at, q.loop.After(d, q.name, func() {
		delete(q.waiting, key)
		q.run(key)
	})}
}

func (q *Queue[K]) run(key K) {
	err := q.turn(key)
	if err == nil {
		delete(q.failed, key)
		return
	}
	n := q.failed[key]
	q.failed[key] = n + 1
	again := min(RetryFirst<<min(n, 20), RetryMost)
	q.loop.Trace(q.name, "%v: %v; again in %v", key, err, again)
	q.AddAfter(key, again)
}
