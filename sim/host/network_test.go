package host_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

func TestNetwork(t *testing.T) {
	n := host.NewNetwork()
	n.Translate = func(ip string, port int) (string, int, bool) {
		switch ip {
		case "10.0.0.1":
			return "192.168.0.1", port + 1, true
		case "10.0.0.2":
			return "", 0, false
		}
		return ip, port, true
	}
	stop, err := n.Listen("192.168.0.1", 80, "one")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := n.Listen("192.168.0.1", 81, "two"); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Listen("192.168.0.1", 80, "other"); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("a port that is taken: %v", err)
	}
	for _, c := range []struct {
		ip   string
		port int
		want any
		err  error
	}{
		{"192.168.0.1", 80, "one", nil},
		{"10.0.0.1", 80, "two", nil},
		{"10.0.0.2", 80, nil, syscall.EHOSTUNREACH},
		{"192.168.0.1", 82, nil, syscall.ECONNREFUSED},
		{"192.168.0.9", 80, nil, syscall.ECONNREFUSED},
	} {
		got, err := n.Dial("192.168.0.7", c.ip, c.port)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s:%d: %v, %v", c.ip, c.port, got, err)
		}
	}

	n.Cut("192.168.0.1", "192.168.0.7")
	for _, ip := range []string{"192.168.0.1", "10.0.0.1"} {
		if _, err := n.Dial("192.168.0.7", ip, 80); !errors.Is(err, syscall.EHOSTUNREACH) {
			t.Errorf("over a cut link to %s: %v", ip, err)
		}
	}
	if _, err := n.Dial("192.168.0.8", "192.168.0.1", 80); err != nil {
		t.Errorf("over another link: %v", err)
	}
	n.Mend("192.168.0.7", "192.168.0.1")
	if _, err := n.Dial("192.168.0.7", "192.168.0.1", 80); err != nil {
		t.Errorf("over the mended link: %v", err)
	}

	stop()
	if _, err := n.Listen("192.168.0.1", 80, "next"); err != nil {
		t.Fatal(err)
	}
	stop() // closed twice: the port is somebody else's now
	if got, err := n.Dial("", "192.168.0.1", 80); got != "next" || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
