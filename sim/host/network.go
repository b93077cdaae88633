package host

import (
	"fmt"
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
	if n.cut[link(fromIP, ip)] {
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

// Reaches says whether the link between two addresses is whole.
func (n *Network) Reaches(a, b string) bool { return !n.cut[link(a, b)] }
