package kube

import (
	"math/rand/v2"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Event is a change of one object. What is in it is shared and read-only.
type Event struct {
	// Old is the object before; nil when it was added.
	Old client.Object
	// New is the object now; nil when it was deleted. Old is its last state then.
	New client.Object
}

// How long a change takes to reach a subscriber.
const (
	soonest = time.Millisecond
	latest  = 10 * time.Millisecond
)

// watcher is told of each change of a kind at the moment it happens.
type watcher interface {
	changed(e Event)
}

func (a *API) notify(k *kind, e Event) {
	for _, w := range k.watchers {
		w.changed(e)
	}
}

// subscription carries events to one subscriber, in order, each a drawn time
// after it happened.
type subscription struct {
	user    string
	loop    *loop.Loop
	draw    *rand.Rand
	what    string
	fn      func(Event)
	queue   []pending
	running bool // deliver is in the loop's queue
}

type pending struct {
	due   time.Time
	event Event
}

// Subscribe calls fn for each change of an object of the kind of object, in
// order, from an event of the loop 1 to 10 ms after the change: first an added
// Event for each object that is there. It is the watch of a controller of the
// simulation. cancel ends it at once; what was still on its way is lost. A kind
// that is not served panics.
func (a *API) Subscribe(user string, object client.Object, fn func(Event)) (cancel func()) {
	k := a.mustKindOf(object)
	s := &subscription{
		user: user, loop: a.loop, draw: a.loop.Rand("kube: watch of " + user + " on " + k.gvk.String()),
		what: "watch event of " + k.gvk.Kind + " for " + user, fn: fn,
	}
	k.table.each("", func(r *record) bool {
		s.changed(Event{New: r.obj})
		return true
	})
	k.watchers = append(slices.Clone(k.watchers), s)
	return func() {
		s.queue = nil
		k.watchers = slices.DeleteFunc(slices.Clone(k.watchers), func(w watcher) bool { return w == s })
	}
}

// Watched are the kinds whose changes a user is told of, one for each
// subscription and each informer of a [Cache], sorted.
func (a *API) Watched(user string) []string {
	var kinds []string
	for _, k := range a.order {
		for _, w := range k.watchers {
			s, subscribed := w.(*subscription)
			i, cached := w.(*informer)
			if subscribed && s.user == user || cached && i.cache.user == user {
				kinds = append(kinds, k.gvk.Kind)
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

func (s *subscription) changed(e Event) {
	due := s.loop.Now().Add(soonest + time.Duration(s.draw.Int64N(int64(latest-soonest)+1)))
	s.queue = append(s.queue, pending{due, e})
	if !s.running {
		s.running = true
		s.loop.After(due.Sub(s.loop.Now()), s.what, s.deliver)
	}
}

// deliver hands over what is due and asks to be called again for the rest.
func (s *subscription) deliver() {
	for len(s.queue) > 0 && !s.queue[0].due.After(s.loop.Now()) {
		e := s.queue[0].event
		s.queue = s.queue[1:]
		s.fn(e)
	}
	if s.running = len(s.queue) > 0; s.running {
		s.loop.After(s.queue[0].due.Sub(s.loop.Now()), s.what, s.deliver)
	}
}

// stream is a watch as client-go knows it: a channel. Events are there at once.
type stream struct {
	k       *kind
	events  chan watch.Event
	matches func(client.Object) bool
	render  func(client.Object) (client.Object, error)
	stopped bool
}

// A watcher that falls further behind than this is cut off, as a slow one is by
// the real server; it lists and watches again.
const streamLength = 4096

func (s *stream) ResultChan() <-chan watch.Event { return s.events }

func (s *stream) Stop() {
	if s.stopped {
		return
	}
	s.stopped = true
	s.k.watchers = slices.DeleteFunc(slices.Clone(s.k.watchers), func(w watcher) bool { return w == s })
	close(s.events)
}

// changed turns a change into what a watch with selectors says of it: an object
// that begins to match is added, one that ceases to is deleted.
func (s *stream) changed(e Event) {
	before := e.Old != nil && s.matches(e.Old)
	after := e.New != nil && s.matches(e.New)
	switch {
	case before && after:
		s.send(watch.Modified, e.New)
	case after:
		s.send(watch.Added, e.New)
	case before && e.New == nil:
		s.send(watch.Deleted, e.Old)
	case before:
		s.send(watch.Deleted, e.New)
	}
}

func (s *stream) send(t watch.EventType, obj client.Object) {
	out, err := s.render(obj)
	if err != nil || len(s.events) == cap(s.events) {
		s.Stop()
		return
	}
	s.events <- watch.Event{Type: t, Object: out}
}

// stream is a watch on a kind: what is there as added, then what changes.
func (a *API) stream(k *kind, opts client.ListOptions, render func(client.Object) (client.Object, error)) (watch.Interface, error) {
	matches, err := k.matcher(opts)
	if err != nil {
		return nil, err
	}
	s := &stream{k: k, matches: func(obj client.Object) bool {
		return (opts.Namespace == "" || obj.GetNamespace() == opts.Namespace) && matches(obj)
	}, render: render}
	s.events = make(chan watch.Event, streamLength+len(k.table.sorted))
	if opts.Raw == nil || opts.Raw.ResourceVersion == "" || opts.Raw.ResourceVersion == "0" {
		k.table.each(opts.Namespace, func(r *record) bool {
			s.changed(Event{New: r.obj})
			return true
		})
	}
	k.watchers = append(slices.Clone(k.watchers), s)
	return s, nil
}
