package sim

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Back-off of a request that fails again and again: controller-runtime's own.
const (
	firstBackOff   = 5 * time.Millisecond
	longestBackOff = 1000 * time.Second
)

// manager drives one controller: events in, requests queued without repeats,
// reconciles as processes of the operator's group.
type manager struct {
	loop       *loop.Loop
	group      *loop.Group
	controller controller.Controller

	queue    []reconcile.Request // ready, in order
	queued   map[reconcile.Request]bool
	running  map[reconcile.Request]bool
	again    map[reconcile.Request]bool // asked for while running
	failures map[reconcile.Request]int
	later    map[reconcile.Request]*delayed
}

type delayed struct {
	timer *loop.Timer
	at    time.Time
}

// manage starts c on the events of api.
func manage(l *loop.Loop, g *loop.Group, api *kube.API, c controller.Controller) {
	m := &manager{
		loop: l, group: g, controller: c,
		queued:   map[reconcile.Request]bool{},
		running:  map[reconcile.Request]bool{},
		again:    map[reconcile.Request]bool{},
		failures: map[reconcile.Request]int{},
		later:    map[reconcile.Request]*delayed{},
	}
	for _, w := range c.Watches {
		cancel := api.Subscribe(operatorUser, w.Object, func(e kube.Event) { m.see(w, e) })
		g.OnKill(cancel)
	}
}

func (m *manager) see(w controller.Watch, e kube.Event) {
	if w.Matters != nil && !w.Matters(e.Old, e.New) {
		return
	}
	for _, o := range []client.Object{e.Old, e.New} {
		if o == nil {
			continue
		}
		for _, r := range w.Requests(context.Background(), o.DeepCopyObject().(client.Object)) {
			m.add(r)
		}
	}
}

func (m *manager) add(r reconcile.Request) {
	switch {
	case m.running[r]:
		m.again[r] = true
	case !m.queued[r]:
		m.queued[r] = true
		m.queue = append(m.queue, r)
		m.dispatch()
	}
}

func (m *manager) addAfter(r reconcile.Request, d time.Duration) {
	at := m.loop.Now().Add(d)
	if w, ok := m.later[r]; ok {
		if !w.at.After(at) {
			return
		}
		w.timer.Stop()
	}
	m.later[r] = &delayed{at: at, timer: m.group.After(d, "requeue "+r.String(), func() {
		delete(m.later, r)
		m.add(r)
	})}
}

func (m *manager) dispatch() {
	for len(m.queue) > 0 && len(m.running) < max(m.controller.Parallel, 1) {
		r := m.queue[0]
		m.queue = m.queue[1:]
		delete(m.queued, r)
		m.running[r] = true
		m.group.Go(m.controller.Name+" "+r.String(), func() { m.work(r) })
	}
}

func (m *manager) work(r reconcile.Request) {
	m.loop.Trace("operator", "%s reconciles %s", m.controller.Name, r)
	res, err := m.controller.Reconciler.Reconcile(context.Background(), r)
	delete(m.running, r)
	switch {
	case err != nil:
		m.loop.Trace("operator", "%s failed on %s: %v", m.controller.Name, r, err)
		if !errors.Is(err, reconcile.TerminalError(nil)) {
			m.addAfter(r, m.backOff(r))
		}
	case res.RequeueAfter > 0:
		delete(m.failures, r)
		m.addAfter(r, res.RequeueAfter)
	default:
		delete(m.failures, r)
	}
	if m.again[r] {
		delete(m.again, r)
		m.add(r)
	}
	m.dispatch()
}

func (m *manager) backOff(r reconcile.Request) time.Duration {
	n := m.failures[r]
	m.failures[r]++
	if n > 20 {
		return longestBackOff
	}
	return min(firstBackOff<<n, longestBackOff)
}
