package loop

import (
	"fmt"
	"iter"
	"runtime/debug"
	"slices"
	"time"
)

// process is a goroutine that runs only while the loop waits for it: a coroutine
// of the loop, to which control passes without the scheduler of Go's runtime.
type process struct {
	name    string
	ordinal uint64
	run     func() (struct{}, bool) // until it parks or ends
	yield   func(struct{}) bool     // gives control back
	killed  bool
	done    bool
	group   *Group
}

// ended unwinds a process that was killed.
type ended struct{}

// Go starts fn as a process at this instant of virtual time.
func (l *Loop) Go(name string, fn func()) { l.start(nil, name, fn) }

func (l *Loop) start(g *Group, name string, fn func()) {
	l.ordinal++
	p := &process{name: name, ordinal: l.ordinal, group: g}
	l.live[p] = struct{}{}
	if g != nil {
		g.processes[p] = struct{}{}
	}
	// It is always run to its end, by kill if by nothing else.
	p.run, _ = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		defer func() {
			r := recover()
			if _, killed := r.(ended); r != nil && !killed {
				l.failure = fmt.Sprintf("%v\nin process %q\n%s", r, p.name, debug.Stack())
			}
			p.done = true
			delete(l.live, p)
			if g != nil {
				delete(g.processes, p)
			}
		}()
		if !p.killed {
			fn()
		}
	})
	l.After(0, "start "+name, func() { l.resume(p) })
}

// resume hands control to p until it parks or ends. A panic in p is raised
// here, on the loop's goroutine, where the test that runs the loop sees it.
func (l *Loop) resume(p *process) {
	if p.done {
		return
	}
	before := l.current
	l.current = p
	p.run()
	l.current = before
	if f := l.failure; f != nil {
		l.failure = nil
		panic(f)
	}
}

// park gives control back to whoever resumed the current process, until the
// next resume. A killed process does not come back from it.
func (l *Loop) park() {
	p := l.current
	if p == nil {
		panic("loop: only a process can wait; start it with Go")
	}
	if !p.killed {
		p.yield(struct{}{})
	}
	if p.killed {
		panic(ended{})
	}
}

// kill ends p where it is parked or, if p kills itself, here. Its deferred
// functions run.
func (l *Loop) kill(p *process) {
	if p.done || p.killed {
		return
	}
	p.killed = true
	switch p {
	case l.current:
		panic(ended{})
	default:
		l.resume(p)
	}
}

func (l *Loop) liveInOrder() []*process { return inOrder(l.live) }

func inOrder(set map[*process]struct{}) []*process {
	ps := make([]*process, 0, len(set))
	for p := range set {
		ps = append(ps, p)
	}
	slices.SortFunc(ps, func(a, b *process) int { return int(a.ordinal) - int(b.ordinal) })
	return ps
}

// Sleep lets the calling process wait for d of virtual time.
func (l *Loop) Sleep(d time.Duration) {
	p := l.current
	if p == nil {
		panic("loop: only a process can sleep; start it with Go")
	}
	l.After(d, "wake "+p.name, func() { l.resume(p) })
	l.park()
}

// InProcess says whether the caller runs as a process, and so may wait.
func (l *Loop) InProcess() bool { return l.current != nil }

// Signal is something that processes wait for. The zero value is not usable;
// make one with [Loop.NewSignal].
type Signal struct {
	loop    *Loop
	waiting []*waiter
}

type waiter struct {
	p     *process
	timer *Timer
	fired bool
}

// NewSignal makes a signal that nobody waits for yet.
func (l *Loop) NewSignal() *Signal { return &Signal{loop: l} }

// Wait parks the calling process until Broadcast (true) or until limit has
// passed (false). A limit of zero or less waits without limit.
func (s *Signal) Wait(limit time.Duration) bool {
	l := s.loop
	w := &waiter{p: l.current}
	s.waiting = append(s.waiting, w)
	if limit > 0 {
		w.timer = l.After(limit, "time limit", func() { l.resume(w.p) })
	}
	defer func() { // also when the process is killed while it waits
		w.timer.Stop()
		if !w.fired {
			s.waiting = slices.DeleteFunc(s.waiting, func(x *waiter) bool { return x == w })
		}
	}()
	l.park()
	return w.fired
}

// Broadcast wakes all that wait, each by an event of its own at this instant.
func (s *Signal) Broadcast() {
	for _, w := range s.waiting {
		w.fired = true
		w.timer.Stop()
		s.loop.After(0, "wake "+w.p.name, func() { s.loop.resume(w.p) })
	}
	s.waiting = nil
}
