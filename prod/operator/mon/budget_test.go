package mon

import "testing"

func TestDisposable(t *testing.T) {
	for _, c := range []struct{ wanted, out, want int }{
		{3, 0, 1}, {3, 1, 0}, {3, 2, 0}, {4, 0, 1}, {5, 0, 2}, {5, 1, 1}, {5, 2, 0}, {5, 3, 0}, {7, 0, 2},
	} {
		if got := disposable(c.wanted, c.out); got != c.want {
			t.Errorf("%d of %d out: got %d, want %d", c.out, c.wanted, got, c.want)
		}
	}
}
