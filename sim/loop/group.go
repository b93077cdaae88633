package loop

import (
	"slices"
	"time"
)

// Group is a set of processes and timers that die together.
type Group struct {
	loop      *Loop
	name      string
	dead      bool
	processes map[*process]struct{}
	onKill    []func()
	parent    *Group
	children  []*Group
}

// NewGroup makes an empty group.
func (l *Loop) NewGroup(name string) *Group {
	return &Group{loop: l, name: name, processes: map[*process]struct{}{}}
}

// NewGroup makes a group that dies with this one, if not before.
func (g *Group) NewGroup(name string) *Group {
	c := g.loop.NewGroup(name)
	c.dead = g.dead
	c.parent = g
	g.children = append(g.children, c)
	return c
}

// Name is what the group was made with.
func (g *Group) Name() string { return g.name }

// Dead says whether the group was killed.
func (g *Group) Dead() bool { return g.dead }

// Go starts a process of the group. A dead group starts nothing.
func (g *Group) Go(name string, fn func()) {
	if !g.dead {
		g.loop.start(g, name, fn)
	}
}

// After is [Loop.After] for an event that does not happen if the group is dead
// by then.
func (g *Group) After(d time.Duration, what string, fn func()) *Timer {
	return g.loop.After(d, what, func() {
		if !g.dead {
			fn()
		}
	})
}

// OnKill runs fn when the group is killed, last registered first.
func (g *Group) OnKill(fn func()) { g.onKill = append(g.onKill, fn) }

// Kill ends the group and those made from it. A process of the group may call
// it: it ends there.
func (g *Group) Kill() {
	if g.dead {
		return
	}
	g.dead = true
	if g.parent != nil {
		g.parent.children = slices.DeleteFunc(g.parent.children, func(c *Group) bool { return c == g })
	}
	for _, c := range slices.Clone(g.children) {
		c.Kill()
	}
	for _, fn := range slices.Backward(g.onKill) {
		fn()
	}
	var self *process
	for _, p := range inOrder(g.processes) {
		if p == g.loop.current {
			self = p
			continue
		}
		g.loop.kill(p)
	}
	if self != nil {
		g.loop.kill(self)
	}
}
