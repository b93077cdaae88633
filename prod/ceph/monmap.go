package ceph

import (
	"encoding/json"
	"fmt"
	"strings"
)

// MonMap is the map of the mons, as `mon dump` prints it and as it stands in
// `mon_status` and `quorum_status` (S96, S108).
type MonMap struct {
	Epoch    int    `json:"epoch"`
	FSID     string `json:"fsid"`
	Modified Time   `json:"modified"`
	Created  Time   `json:"created"`
	// MinMonRelease is the release that every mon has at least; it is missing
	// (0, "") up to mimic.
	MinMonRelease     int       `json:"min_mon_release"`
	MinMonReleaseName string    `json:"min_mon_release_name"`
	Features          MonFlags  `json:"features"`
	Mons              []MonInfo `json:"mons"`
}

// MonFlags are the features of a monmap.
type MonFlags struct {
	Persistent []string `json:"persistent"`
	Optional   []string `json:"optional"`
}

// MonInfo is one mon of a monmap.
type MonInfo struct {
	Rank int    `json:"rank"`
	Name string `json:"name"`
	// PublicAddrs is empty up to mimic.
	PublicAddrs Addrs `json:"public_addrs"`
	// Addr and PublicAddr are the address of the first protocol with its nonce,
	// "10.0.0.1:6789/0"; for a mon that speaks msgr2 alone, that of the second.
	Addr       string `json:"addr"`
	PublicAddr string `json:"public_addr"`
}

// Mon finds a mon by its name.
func (m MonMap) Mon(name string) (MonInfo, bool) {
	for _, mon := range m.Mons {
		if mon.Name == name {
			return mon, true
		}
	}
	return MonInfo{}, false
}

// Endpoint is the mon's "ip:port" under a version of the wire protocol ("v1" or
// "v2"), and "" if it does not speak that.
func (m MonInfo) Endpoint(protocol string) string {
	for _, a := range m.PublicAddrs {
		if a.Type == protocol {
			return a.Addr
		}
	}
	if len(m.PublicAddrs) > 0 || protocol != "v1" {
		return ""
	}
	addr, _, _ := strings.Cut(m.Addr, "/")
	return addr
}

// Addr is an address of a daemon under one protocol.
type Addr struct {
	// Type is "v1", "v2", "any" or "none".
	Type string `json:"type"`
	// Addr is "ip:port", an IPv6 address in brackets.
	Addr  string `json:"addr"`
	Nonce uint64 `json:"nonce"`
}

// Addrs are the addresses of one daemon.
type Addrs []Addr

// UnmarshalJSON reads `{"addrvec": [...]}` (from nautilus on) and the text
// "ip:port/nonce" of before.
func (a *Addrs) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		one := Addr{Type: "v1"}
		addr, nonce, _ := strings.Cut(text, "/")
		one.Addr = addr
		if nonce != "" {
			if _, err := fmt.Sscan(nonce, &one.Nonce); err != nil {
				return fmt.Errorf("%q is not an address", text)
			}
		}
		*a = Addrs{one}
		return nil
	}
	var vector struct {
		AddrVec []Addr `json:"addrvec"`
	}
	if err := json.Unmarshal(data, &vector); err != nil {
		return err
	}
	*a = vector.AddrVec
	return nil
}
