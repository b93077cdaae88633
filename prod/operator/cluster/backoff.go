package cluster

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Requeue: first at once, then this far apart (Settled 23).
const (
	firstRetry = time.Second
	lastRetry  = 6 * time.Second
)

// longestRest is how long at most nothing is done after a pass because it took
// long.
const longestRest = 30 * time.Second

// backOff spaces the passes that wait for the same. It is the only memory
// between passes, and nothing is lost with it: a restarted operator looks more
// often for a few seconds.
type backOff struct {
	mu    sync.Mutex
	waits map[types.NamespacedName]wait
}

// wait is what a cluster waits for, and since when.
type wait struct {
	what  string
	since time.Time
}

// next is how long to wait before the next look: as long as it has been waited
// for the same, within bounds. An empty what is the end of waiting.
func (b *backOff) next(cluster types.NamespacedName, what string, now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if what == "" {
		delete(b.waits, cluster)
		return 0
	}
	if b.waits == nil {
		b.waits = map[types.NamespacedName]wait{}
	}
	if b.waits[cluster].what != what {
		b.waits[cluster] = wait{what, now}
	}
	return min(max(now.Sub(b.waits[cluster].since), firstRetry), lastRetry)
}
