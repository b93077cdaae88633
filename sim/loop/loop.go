package loop

import (
	"container/heap"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"time"
)

// Epoch is the virtual time at which every loop starts: the creation time of
// the CephCluster in the seed document.
var Epoch = time.Date(2019, time.May, 23, 6, 46, 46, 0, time.UTC)

// Loop is a queue of events in virtual time. It is used from one goroutine; the
// processes that it starts never run beside it.
type Loop struct {
	seed    uint64
	now     time.Time
	queue   queue
	ordinal uint64
	order   *rand.Rand
	streams map[string]*rand.Rand
	trace   io.Writer
	line    []byte // of the trace, used again and again

	current *process
	live    map[*process]struct{}
	failure any
}

// New makes a loop at [Epoch] whose every choice follows from seed.
func New(seed uint64) *Loop {
	l := &Loop{
		seed:    seed,
		now:     Epoch,
		streams: map[string]*rand.Rand{},
		live:    map[*process]struct{}{},
	}
	l.order = l.Rand("order of events at one instant")
	return l
}

// Seed is the seed that the loop was made with.
func (l *Loop) Seed() uint64 { return l.seed }

// Now is the virtual time.
func (l *Loop) Now() time.Time { return l.now }

// Since is the virtual time that has passed since t.
func (l *Loop) Since(t time.Time) time.Duration { return l.now.Sub(t) }

// Elapsed is the virtual time that has passed since [Epoch].
func (l *Loop) Elapsed() time.Duration { return l.now.Sub(Epoch) }

// Rand is the stream of random numbers of that name. Streams of different
// names do not influence each other.
func (l *Loop) Rand(name string) *rand.Rand {
	if r, ok := l.streams[name]; ok {
		return r
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // a hash never refuses bytes
	r := rand.New(rand.NewPCG(l.seed, h.Sum64()))
	l.streams[name] = r
	return r
}

// TraceTo sends the trace to w from now on; nil turns it off.
func (l *Loop) TraceTo(w io.Writer) { l.trace = w }

// Tracing says whether anybody reads the trace, for callers whose line is
// costly to build.
func (l *Loop) Tracing() bool { return l.trace != nil }

// Trace writes one line: virtual time since [Epoch], subject, text.
func (l *Loop) Trace(subject, format string, args ...any) {
	if l.trace == nil {
		return
	}
	l.line = fmt.Appendf(l.line[:0], "%12.6f %s: ", l.Elapsed().Seconds(), subject)
	l.line = append(fmt.Appendf(l.line, format, args...), '\n')
	_, _ = l.trace.Write(l.line) // who reads the trace knows of its own errors
}

// Timer is an event that has been put into the queue.
type Timer struct{ event }

// Stop takes the event out of the queue and says whether it was still there.
func (t *Timer) Stop() bool {
	if t == nil || t.fn == nil {
		return false
	}
	t.fn = nil // the queue drops it when its time comes
	return true
}

// After runs fn when d has passed. A negative d counts as zero. What names the
// event for people who debug the loop.
func (l *Loop) After(d time.Duration, what string, fn func()) *Timer {
	l.ordinal++
	e := &Timer{event{at: l.now.Add(max(d, 0)), draw: l.order.Uint64(), ordinal: l.ordinal, what: what, fn: fn}}
	heap.Push(&l.queue, &e.event)
	return e
}

// Step runs the next event and says whether there was one.
func (l *Loop) Step() bool {
	if l.current != nil {
		panic("loop: Step called from inside a process")
	}
	for l.queue.Len() > 0 {
		e := heap.Pop(&l.queue).(*event)
		if e.fn == nil {
			continue
		}
		l.now = e.at
		fn := e.fn
		e.fn = nil
		fn()
		return true
	}
	return false
}

// next is the time of the next event.
func (l *Loop) next() (time.Time, bool) {
	for l.queue.Len() > 0 {
		if l.queue[0].fn != nil {
			return l.queue[0].at, true
		}
		heap.Pop(&l.queue)
	}
	return time.Time{}, false
}

// RunFor lets d of virtual time pass.
func (l *Loop) RunFor(d time.Duration) {
	l.RunUntil(func() bool { return false }, d)
}

// RunUntil lets virtual time pass until done holds, at most limit, and says
// whether it holds. done is asked at once and then each time when all events of
// an instant have run; it must only look. When limit passes without it the
// clock stands at exactly limit later.
func (l *Loop) RunUntil(done func() bool, limit time.Duration) bool {
	end := l.now.Add(limit)
	for {
		for {
			at, ok := l.next()
			if !ok || at.After(l.now) {
				break
			}
			l.Step()
		}
		if done() {
			return true
		}
		at, ok := l.next()
		if !ok || at.After(end) {
			l.now = end
			return false
		}
		l.now = at
	}
}

// Close ends all processes, so that a finished world leaves no goroutine.
func (l *Loop) Close() {
	for _, p := range l.liveInOrder() {
		l.kill(p)
	}
	l.queue = nil
}

type event struct {
	at      time.Time
	draw    uint64
	ordinal uint64
	what    string
	fn      func()
}

type queue []*event

func (q queue) Len() int { return len(q) }

func (q queue) Less(i, j int) bool {
	a, b := q[i], q[j]
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	if a.draw != b.draw {
		return a.draw < b.draw
	}
	return a.ordinal < b.ordinal
}

func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *queue) Push(x any) { *q = append(*q, x.(*event)) }

func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return e
}
