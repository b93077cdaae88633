package queue_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestOneTurnForManyAdds(t *testing.T) {
	l := loop.New(1)
	var turns []string
	q := queue.New(l, "test", func(key string) error { turns = append(turns, key); return nil })
	q.Add("a")
	q.Add("a")
	q.AddAfter("a", time.Hour) // an earlier turn stands already
	q.AddAfter("b", time.Minute)
	l.RunFor(time.Second)
	if !slices.Equal(turns, []string{"a"}) {
		t.Errorf("turns %v", turns)
	}
	q.AddAfter("b", time.Second) // brought forward
	l.RunFor(2 * time.Second)
	if !slices.Equal(turns, []string{"a", "b"}) {
		t.Errorf("turns %v", turns)
	}
	l.RunFor(2 * time.Hour)
	if len(turns) != 2 {
		t.Errorf("turns %v", turns)
	}
}

func TestFailedTurnsAreRepeatedLaterEachTime(t *testing.T) {
	l := loop.New(1)
	var at []time.Duration
	q := queue.New(l, "test", func(string) error {
		at = append(at, l.Elapsed())
		if len(at) < 5 {
			return errors.New("not yet")
		}
		return nil
	})
	q.AddAfter("a", 0)
	l.RunFor(time.Hour)
	want := []time.Duration{0, 50 * time.Millisecond, 150 * time.Millisecond, 350 * time.Millisecond, 750 * time.Millisecond}
	if !slices.Equal(at, want) {
		t.Errorf("turns at %v", at)
	}
}
