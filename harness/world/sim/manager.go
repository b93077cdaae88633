package sim

import (
	"context"
	"errors"
	"time"

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
	began      func(controller string, r reconcile.Request) // told of each pass

	queue    []reconcile.Request // ready, in order
	queued   map[reconcile.Request]bool
	running  map[reconcile.Request]bool
	again    map[reconcile.Request]bool // asked for while running
	failures map[reconcile.Request]int
	later    map[reconcile.Request]*delayed
	rests    map[reconcile.Request]time.Time // until when, after a pass
}

type delayed struct {
	timer *loop.Timer
	at    time.Time
}

// manage starts c on the events of the API server.
func (w *World) manage(g *loop.Group, c controller.Controller) error {
	m := &manager{
		loop: w.loop, group: g, controller: c, began: w.passed,
		queued:   map[reconcile.Request]bool{},
		running:  map[reconcile.Request]bool{},
		again:    map[reconcile.Request]bool{},
		failures: map[reconcile.Request]int{},
		later:    map[reconcile.Request]*delayed{},
		rests:    map[reconcile.Request]time.Time{},
	}
	for _, watch := range c.Watches {
		served, err := watch.Serves(context.Background(), w.api.Client(operatorUser), w.api.Scheme())
		if err != nil {
			return err
		}
		if served {
			w.cache.Watch(watch.Object, func(e kube.Event) { m.see(watch, e) })
		}
	}
	w.managers = append(w.managers, m)
	return nil
}

func (m *manager) see(w controller.Watch, e kube.Event) {
	for _, r := range w.RequestsFor(context.Background(), e.Old, e.New) {
		m.add(r)
	}
}

func (m *manager) add(r reconcile.Request) {
	switch {
	case m.running[r]:
		m.again[r] = true
	case m.rests[r].After(m.loop.Now()):
		m.addAfter(r, m.rests[r].Sub(m.loop.Now()))
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
	m.began(m.controller.Name, r)
	res, err := m.controller.Reconciler.Reconcile(context.Background(), r)
	delete(m.running, r)
	m.rests[r] = m.loop.Now().Add(m.controller.Rest)
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
