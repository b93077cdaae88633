package kube

import "fmt"

// addresses gives out the ClusterIPs of Services: 10.200.x.y, in order, so that a
// scenario can name them.
type addresses struct {
	used map[string]bool
	last int
}

func newAddresses() addresses { return addresses{used: map[string]bool{}} }

// next is an address that is free. It is not taken yet.
func (s *addresses) next() (string, error) {
	const size = 1<<16 - 2
	for range size {
		s.last = s.last%size + 1
		if ip := fmt.Sprintf("10.200.%d.%d", s.last>>8, s.last&0xff); !s.used[ip] {
			return ip, nil
		}
	}
	return "", fmt.Errorf("failed to allocate a serviceIP: range is full")
}
