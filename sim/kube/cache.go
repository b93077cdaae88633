package kube

import (
	"math/rand/v2"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// relistAfter is how long a [Cache] goes without an event that was lost: the
// real server ends a watch after 5 to 10 minutes, and the list that follows shows
// what is really there.
const relistAfter = 5 * time.Minute

// Cache is what a controller knows of the server: for each kind that it watches
// an informer, whose events all its handlers get. An event comes 1 to 10 ms after
// the change. Reads of [Cache.Client] see what is there now, as long as nothing
// goes wrong; while events are late ([Cache.Delay]) or one was lost
// ([Cache.Lose]), they see what the informer has heard of.
type Cache struct {
	api       *API
	user      string
	informers map[*kind]*informer
	order     []*informer
	uncached  map[*kind]bool
	delay     time.Duration
	lose      func(kind string, e Event) bool
	closed    bool
}

// NewCache makes the cache of a user. Kinds that are uncached are always read as
// they are.
func (a *API) NewCache(user string, uncached ...client.Object) *Cache {
	c := &Cache{api: a, user: user, informers: map[*kind]*informer{}, uncached: map[*kind]bool{}}
	for _, o := range uncached {
		c.uncached[a.mustKindOf(o)] = true
	}
	return c
}

// informer keeps the events of one kind in order.
type informer struct {
	cache    *Cache
	kind     *kind
	loop     *loop.Loop
	draw     *rand.Rand
	what     string
	handlers []func(Event)
	queue    []pending
	listed   int // events at the head of the queue that stand for objects of the first list
	timer    *loop.Timer
	// seen is what was heard of; nil as long as it is what is there, give or
	// take what is in the queue.
	seen   map[client.ObjectKey]client.Object
	missed bool
	relist *loop.Timer
}

// Watch calls fn for each change of an object of the kind of object, first as
// added for each that is there: all handlers of a kind are to be named before time
// passes. A kind that is not served panics.
func (c *Cache) Watch(object client.Object, fn func(Event)) {
	i := c.informer(c.api.mustKindOf(object))
	i.handlers = append(i.handlers, fn)
}

func (c *Cache) informer(k *kind) *informer {
	if i := c.informers[k]; i != nil {
		return i
	}
	i := &informer{
		cache: c, kind: k, loop: c.api.loop, draw: c.api.loop.Rand("kube: watch of " + c.user + " on " + k.gvk.String()),
		what: "watch event of " + k.gvk.Kind + " for " + c.user,
	}
	k.table.each("", func(r *record) bool {
		i.push(Event{New: r.obj}, 0)
		i.listed++
		return true
	})
	if c.delay > 0 {
		i.remember()
	}
	k.watchers = append(slices.Clone(k.watchers), i)
	c.informers[k] = i
	c.order = append(c.order, i)
	return i
}

// Lose asks lost of each event that is about to be delivered whether it is lost
// on the way instead; what a first list shows is never lost. A list 5 minutes
// later repairs it: the handlers get the difference.
func (c *Cache) Lose(lost func(kind string, e Event) bool) { c.lose = lost }

// Delay makes events that much later from now on, and lets reads see what has
// been delivered alone. With 0 all that is late comes at once.
func (c *Cache) Delay(d time.Duration) {
	c.delay = d
	for _, i := range c.order {
		if d > 0 {
			i.remember()
			continue
		}
		now := i.loop.Now()
		for n := range i.queue {
			if i.queue[n].due.After(now.Add(latest)) {
				i.queue[n].due = now.Add(latest)
			}
		}
		i.wake()
		i.forget()
	}
}

// Close ends the watches; what was on its way is lost.
func (c *Cache) Close() {
	c.closed = true
	for _, i := range c.order {
		i.queue = nil
		i.timer.Stop()
		i.relist.Stop()
		i.kind.watchers = slices.DeleteFunc(slices.Clone(i.kind.watchers), func(w watcher) bool { return w == i })
	}
}

// Client reads from the cache and writes to the server.
func (c *Cache) Client() client.WithWatch { return &apiClient{API: c.api, user: c.user, cache: c} }

// table is what reads of a kind see.
func (c *Cache) table(k *kind) *table {
	if c == nil || c.closed || c.uncached[k] {
		return &k.table
	}
	i := c.informers[k]
	if i == nil && c.delay > 0 {
		i = c.informer(k)
	}
	if i == nil || i.seen == nil {
		return &k.table
	}
	return tableOf(i.seen)
}

func tableOf(objects map[client.ObjectKey]client.Object) *table {
	t := &table{byKey: make(map[client.ObjectKey]*record, len(objects))}
	for key, obj := range objects {
		r := &record{key: key, obj: obj}
		t.byKey[key] = r
		t.sorted = append(t.sorted, r)
	}
	slices.SortFunc(t.sorted, func(a, b *record) int { return compareKeys(a.key, b.key) })
	return t
}

// changed is a change at the moment at which it happens.
func (i *informer) changed(e Event) { i.push(e, i.cache.delay) }

func (i *informer) push(e Event, delay time.Duration) {
	due := i.loop.Now().Add(delay + soonest + time.Duration(i.draw.Int64N(int64(latest-soonest)+1)))
	i.queue = append(i.queue, pending{due, e})
	if len(i.queue) == 1 {
		i.wake()
	}
}

// wake sets the timer for the head of the queue.
func (i *informer) wake() {
	i.timer.Stop()
	if i.timer = nil; len(i.queue) > 0 {
		i.timer = i.loop.After(i.queue[0].due.Sub(i.loop.Now()), i.what, i.deliver)
	}
}

// deliver hands over what is due.
func (i *informer) deliver() {
	for len(i.queue) > 0 && !i.queue[0].due.After(i.loop.Now()) {
		e := i.queue[0].event
		i.queue = i.queue[1:]
		lost := i.cache.lose
		switch {
		case i.listed > 0:
			i.listed--
			i.call(e)
		case lost != nil && lost(i.kind.gvk.Kind, e):
			i.lost(e)
		default:
			i.hand(e)
		}
	}
	i.wake()
	i.forget()
}

// hand gives an event to the handlers, as one of what they have heard of.
func (i *informer) hand(e Event) {
	if i.seen != nil {
		key := keyOf(e)
		if e.Old = i.seen[key]; e.New != nil {
			i.seen[key] = e.New
		} else {
			delete(i.seen, key)
		}
		if e.Old == nil && e.New == nil {
			return
		}
	}
	i.call(e)
}

func (i *informer) call(e Event) {
	for _, fn := range i.handlers {
		fn(e)
	}
}

// lost begins the time in which the cache is behind.
func (i *informer) lost(e Event) {
	if i.seen == nil {
		i.remember()
		i.restore(keyOf(e), e.Old) // it has left the queue, unseen
	}
	i.missed = true
	if i.relist == nil {
		i.relist = i.loop.After(relistAfter, "relist of "+i.kind.gvk.Kind+" for "+i.cache.user, i.list)
	}
}

// list compares what was seen with what is there.
func (i *informer) list() {
	i.relist, i.missed = nil, false
	before := tableOf(i.seen)
	i.queue, i.listed = nil, 0
	i.wake()
	for _, r := range before.sorted {
		if i.kind.table.byKey[r.key] == nil {
			i.hand(Event{Old: r.obj})
		}
	}
	i.kind.table.each("", func(r *record) bool {
		if i.seen[r.key] != r.obj {
			i.hand(Event{Old: i.seen[r.key], New: r.obj})
		}
		return true
	})
	i.forget()
}

// remember makes seen: what is there, without what is in the queue.
func (i *informer) remember() {
	if i.seen != nil {
		return
	}
	i.seen = make(map[client.ObjectKey]client.Object, len(i.kind.table.sorted))
	for _, r := range i.kind.table.sorted {
		i.seen[r.key] = r.obj
	}
	for n := len(i.queue) - 1; n >= i.listed; n-- {
		i.restore(keyOf(i.queue[n].event), i.queue[n].event.Old)
	}
}

func (i *informer) restore(key client.ObjectKey, old client.Object) {
	if old == nil {
		delete(i.seen, key)
		return
	}
	i.seen[key] = old
}

// forget lets reads see what is there, once nothing is late or lost.
func (i *informer) forget() {
	if i.seen != nil && i.cache.delay == 0 && !i.missed && len(i.queue) == 0 {
		i.seen = nil
	}
}

func keyOf(e Event) client.ObjectKey {
	if e.New != nil {
		return client.ObjectKeyFromObject(e.New)
	}
	return client.ObjectKeyFromObject(e.Old)
}
