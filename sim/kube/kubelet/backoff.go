package kubelet

import "time"

// The back-off of restarts and of image pulls (Kubernetes documentation, "Pod
// Lifecycle", "Container restart policy").
const (
	backoffFirst = 10 * time.Second
	backoffMost  = 5 * time.Minute
	backoffReset = 10 * time.Minute
)

// backoff is how long the next attempt has to wait.
type backoff struct {
	wait    time.Duration
	counted time.Time
}

// next is the wait before an attempt after a failure at now: nothing the first
// time, then 10 s, doubled each time up to 5 min. Ten minutes without a failure
// begin it anew.
func (b *backoff) next(now time.Time) time.Duration {
	if now.Sub(b.counted) > backoffReset {
		b.wait = 0
	}
	b.counted = now
	wait := b.wait
	b.wait = min(max(2*b.wait, backoffFirst), backoffMost)
	return wait
}
