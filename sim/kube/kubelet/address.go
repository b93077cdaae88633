package kubelet

import (
	"fmt"
	"strings"
)

// Addresses are the IP addresses for the pods of one node: the node's share of
// the cluster's pod network, 192.170.n.0/24 for the n-th.
type Addresses struct {
	prefix string
	last   int
	taken  map[string]bool
}

// NewAddresses are those of the index-th node, from 0.
func NewAddresses(index int) *Addresses {
	return &Addresses{prefix: fmt.Sprintf("192.%d.%d", 170+index/256, index%256), last: 1, taken: map[string]bool{}}
}

// CIDR is the whole range.
func (a *Addresses) CIDR() string { return a.prefix + ".0/24" }

// Hold says whether an address is one of the range.
func (a *Addresses) Hold(ip string) bool { return strings.HasPrefix(ip, a.prefix+".") }

// take gives out the address that was free for longest; "" if there is none.
func (a *Addresses) take() string {
	const first, last = 2, 254
	for range last - first + 1 {
		a.last++
		if a.last > last {
			a.last = first
		}
		if ip := fmt.Sprintf("%s.%d", a.prefix, a.last); !a.taken[ip] {
			a.taken[ip] = true
			return ip
		}
	}
	return ""
}

func (a *Addresses) giveBack(ip string) { delete(a.taken, ip) }

// Reset gives all addresses back: nothing runs on a machine that has just booted.
func (a *Addresses) Reset() { clear(a.taken) }
