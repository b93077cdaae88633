package host

import (
	"fmt"
	"slices"
	"syscall"
)

// Network knows who listens where.
type Network struct {
	// Translate turns the address of a Kubernetes service into that of one of
	// its endpoints: ok is false if the service has none. Any other address
	// comes back as it is.
	Translate func(ip string, port int) (toIP string, toPort int, ok bool)

	listeners map[address]*listener
	cut       map[[2]string]bool
	parts     []part
}

// part is a piece of the network that is cut off from all else.
type part struct {
	name   string
	inside func(ip string) bool
}

type listener struct{ server any }

type address struct {
	ip   string
	port int
}

// NewNetwork makes a network on which nobody listens.
func NewNetwork() *Network {
	return &Network{listeners: map[address]*listener{}, cut: map[[2]string]bool{}}
}

// Listen makes server reachable at an address until close is called. An
// address in use gives EADDRINUSE.
func (n *Network) Listen(ip string, port int, server any) (closeFn func(), err error) {
	a := address{ip, port}
	if _, taken := n.listeners[a]; taken {
		return nil, fmt.Errorf("bind %s:%d: %w", ip, port, syscall.EADDRINUSE)
	}
	own := &listener{server}
	n.listeners[a] = own
	return func() {
		if n.listeners[a] == own { // closed twice, it may be somebody else's by now
			delete(n.listeners, a)
		}
	}, nil
}

// Dial finds the server at an address as seen from another. Nobody listening
// gives ECONNREFUSED, a cut link or a service without endpoints EHOSTUNREACH.
func (n *Network) Dial(fromIP, ip string, port int) (any, error) {
	if n.Translate != nil {
		toIP, toPort, ok := n.Translate(ip, port)
		if !ok {
			return nil, fmt.Errorf("connect %s:%d: %w", ip, port, syscall.EHOSTUNREACH)
		}
		ip, port = toIP, toPort
	}
	if !n.Reaches(fromIP, ip) {
		return nil, fmt.Errorf("connect %s:%d: %w", ip, port, syscall.EHOSTUNREACH)
	}
	s, ok := n.listeners[address{ip, port}]
	if !ok {
		return nil, fmt.Errorf("connect %s:%d: %w", ip, port, syscall.ECONNREFUSED)
	}
	return s.server, nil
}

// Cut breaks the link between two addresses, in both directions; Mend makes it
// whole.
func (n *Network) Cut(a, b string) { n.cut[link(a, b)] = true }

// Mend undoes Cut.
func (n *Network) Mend(a, b string) { delete(n.cut, link(a, b)) }

func link(a, b string) [2]string {
	if a > b {
		a, b = b, a
	}
	return [2]string{a, b}
}

// Part cuts the addresses that are inside off from all others; what is inside
// still reaches itself. Join makes the part of that name whole again.
func (n *Network) Part(name string, inside func(ip string) bool) {
	n.Join(name)
	n.parts = append(n.parts, part{name, inside})
}

// Join undoes Part.
func (n *Network) Join(name string) {
	n.parts = slices.DeleteFunc(n.parts, func(p part) bool { return p.name == name })
}

// Reaches says whether the link between two addresses is whole.
func (n *Network) Reaches(a, b string) bool {
	if n.cut[link(a, b)] {
		return false
	}
	for _, p := range n.parts {
		if p.inside(a) != p.inside(b) {
			return false
		}
	}
	return true
}
