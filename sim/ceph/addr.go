package ceph

import (
	"cmp"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
)

// Default ports of a monitor.
const (
	portV1 = 6789
	portV2 = 3300
)

// Addr is the address of a daemon for one version of the protocol.
type Addr struct {
	Type  string // "v1", "v2" or "any"
	IP    string
	Port  int
	Nonce uint32
}

// AddrVec is all addresses of a daemon, v2 first.
type AddrVec []Addr

// String is "v2:127.0.0.1:3300/0".
func (a Addr) String() string { return a.Type + ":" + a.legacy() }

// legacy is the address without its type: "127.0.0.1:6789/0".
func (a Addr) legacy() string {
	if a.IP == "" {
		return "(unrecognized address family 0)/0"
	}
	return fmt.Sprintf("%s/%d", a.hostPort(), a.Nonce)
}

func (a Addr) hostPort() string {
	if strings.Contains(a.IP, ":") {
		return fmt.Sprintf("[%s]:%d", a.IP, a.Port)
	}
	return a.IP + ":" + strconv.Itoa(a.Port)
}

// String is "[v2:127.0.0.1:3300/0,v1:127.0.0.1:6789/0]", and without brackets
// if there is but one.
func (v AddrVec) String() string {
	if len(v) == 1 {
		return v[0].String()
	}
	all := make([]string, len(v))
	for i, a := range v {
		all[i] = a.String()
	}
	return "[" + strings.Join(all, ",") + "]"
}

// bracketed is String with brackets also around a single address.
func (v AddrVec) bracketed() string {
	s := v.String()
	if len(v) == 1 {
		return "[" + s + "]"
	}
	return s
}

// of is the first address of that type.
func (v AddrVec) of(kind string) (Addr, bool) {
	for _, a := range v {
		if a.Type == kind {
			return a, true
		}
	}
	return Addr{}, false
}

// legacy is the v1 address, or the first if there is none: what JSON calls
// "addr".
func (v AddrVec) legacy() Addr {
	if a, ok := v.of("v1"); ok {
		return a
	}
	if len(v) > 0 {
		return v[0]
	}
	return Addr{}
}

func (v AddrVec) equal(w AddrVec) bool {
	if len(v) != len(w) {
		return false
	}
	for i := range v {
		if v[i] != w[i] {
			return false
		}
	}
	return true
}

// json is the addrvec of nautilus and later.
func (v AddrVec) json() object {
	return object{{"addrvec", arrayOf(v, func(a Addr) any {
		return object{{"type", a.Type}, {"addr", a.hostPort()}, {"nonce", a.Nonce}}
	})}}
}

// parseAddrVec reads "10.0.0.1", "10.0.0.1:6789", "v1:10.0.0.1:6789/0" or
// "[v2:…,v1:…]". What has no port has port 0, what has no type "any".
func parseAddrVec(text string) (AddrVec, bool) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") && strings.Contains(text, "v") {
		text = text[1 : len(text)-1]
	}
	var all AddrVec
	for part := range strings.SplitSeq(text, ",") {
		a, ok := parseAddr(part)
		if !ok {
			return nil, false
		}
		all = append(all, a)
	}
	return all, len(all) > 0
}

func parseAddr(text string) (Addr, bool) {
	a := Addr{Type: "any"}
	text = strings.TrimSpace(text)
	if kind, rest, ok := strings.Cut(text, ":"); ok && (kind == "v1" || kind == "v2" || kind == "any") {
		a.Type, text = kind, rest
	}
	if before, nonce, ok := strings.Cut(text, "/"); ok {
		n, err := strconv.ParseUint(nonce, 10, 32)
		if err != nil {
			return a, false
		}
		a.Nonce, text = uint32(n), before
	}
	if ip, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		a.IP = ip.String()
		return a, true
	}
	ap, err := netip.ParseAddrPort(text)
	if err != nil {
		return a, false
	}
	a.IP, a.Port = ap.Addr().String(), int(ap.Port())
	return a, true
}

// splitMonHost cuts the value of mon_host at commas, blanks and semicolons
// outside of brackets.
func splitMonHost(text string) []string {
	depth := 0
	return strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case ',', ' ', ';', '\t':
			return depth == 0
		}
		return false
	})
}

// shares says whether the two have an address in common, whatever its nonce.
func (v AddrVec) shares(w AddrVec) bool {
	for _, a := range v {
		for _, b := range w {
			if a.Type == b.Type && a.IP == b.IP && a.Port == b.Port {
				return true
			}
		}
	}
	return false
}

// compare orders addresses by IP and port.
func (a Addr) compare(b Addr) int {
	x, errX := netip.ParseAddr(a.IP)
	y, errY := netip.ParseAddr(b.IP)
	if errX != nil || errY != nil {
		return strings.Compare(a.IP, b.IP)
	}
	return cmp.Or(x.Compare(y), cmp.Compare(a.Port, b.Port))
}

// monAddrs are a monitor's addresses for what its options give: the default
// ports of both protocols if there is no port, v1 on port 6789, else v2; up to
// mimic always v1.
func (r *release) monAddrs(a Addr) AddrVec {
	if !r.atLeast(nautilus) {
		if a.Port == 0 {
			a.Port = portV1
		}
		a.Type = "v1"
		return AddrVec{a}
	}
	switch {
	case a.Type == "v1" && a.Port == 0:
		a.Port = portV1
	case a.Type == "v2" && a.Port == 0:
		a.Port = portV2
	case a.Port == 0:
		return AddrVec{{Type: "v2", IP: a.IP, Port: portV2}, {Type: "v1", IP: a.IP, Port: portV1}}
	case a.Type == "any" && a.Port == portV1:
		a.Type = "v1"
	case a.Type == "any":
		a.Type = "v2"
	}
	return AddrVec{a}
}
