package identity

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Keys of the ConfigMap rook-ceph-mon-endpoints (S80).
const (
	dataKey     = "data"
	maxMonIDKey = "maxMonId"
	mappingKey  = "mapping"
)

// mapping is where mons run, as it is written down. The field names of a node
// are the seed's.
type mapping struct {
	Node map[string]*pass.MonNode `json:"node"`
	Port map[string]int32         `json:"port"`
}

// Endpoints are the cluster's mons as they are recorded.
type Endpoints struct {
	Mons     map[string]pass.Mon
	MaxMonID int
	Ports    map[string]int32
}

// Sorted are the names of mons in the order in which ids are given out.
func Sorted(mons map[string]pass.Mon) []string {
	return slices.SortedFunc(maps.Keys(mons), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
}

// Encode is the data of the ConfigMap.
func Encode(e Endpoints) (map[string]string, error) {
	var entries []string
	m := mapping{Node: map[string]*pass.MonNode{}, Port: map[string]int32{}}
	for _, name := range Sorted(e.Mons) {
		mon := e.Mons[name]
		if mon.Endpoint != "" {
			if _, err := netip.ParseAddrPort(mon.Endpoint); err != nil {
				return nil, fmt.Errorf("the endpoint of mon %s is no IP address with a port: %w", name, err)
			}
			entries = append(entries, name+"="+mon.Endpoint)
		}
		if mon.Node != nil {
			m.Node[name] = mon.Node
		}
	}
	maps.Copy(m.Port, e.Ports)
	encoded, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return map[string]string{
		dataKey:     strings.Join(entries, ","),
		maxMonIDKey: strconv.Itoa(e.MaxMonID),
		mappingKey:  string(encoded),
	}, nil
}

// Decode reads the data of the ConfigMap. An entry that is not name=ip:port is
// an error, since a mon that is left out might be started a second time. A
// mapping or a maxMonId that does not read is a complaint: what it says can be
// found out otherwise, and ids are never below the highest mon's (S74).
func Decode(data map[string]string) (e Endpoints, complaints []string, err error) {
	e = Endpoints{Mons: map[string]pass.Mon{}, MaxMonID: -1, Ports: map[string]int32{}}
	for entry := range strings.SplitSeq(data[dataKey], ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		mon, err := decodeEntry(entry)
		if err != nil {
			return Endpoints{}, nil, err
		}
		if _, twice := e.Mons[mon.Name]; twice {
			return Endpoints{}, nil, fmt.Errorf("mon %s is listed twice", mon.Name)
		}
		e.Mons[mon.Name] = mon
	}
	if text, ok := data[maxMonIDKey]; ok {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < -1 {
			complaints = append(complaints, fmt.Sprintf("%s is %q, not a number from -1 on", maxMonIDKey, text))
		} else {
			e.MaxMonID = n
		}
	}
	if text := data[mappingKey]; text != "" {
		var m mapping
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			complaints = append(complaints, fmt.Sprintf("%s is not JSON of the expected form: %v", mappingKey, err))
		} else {
			e.adopt(m)
		}
	}
	e.raise()
	return e, complaints, nil
}

// adopt takes over where mons run. A mon that is mapped and has no endpoint was
// never started; its place is forgotten.
func (e *Endpoints) adopt(m mapping) {
	for name, node := range m.Node {
		mon, ok := e.Mons[name]
		if !ok || node == nil || node.Hostname == "" {
			continue
		}
		mon.Node = node
		e.Mons[name] = mon
	}
	if m.Port != nil {
		e.Ports = m.Port
	}
}

// raise makes the highest id at least that of each mon.
func (e *Endpoints) raise() {
	for name := range e.Mons {
		if id, ok := MonID(name); ok {
			e.MaxMonID = max(e.MaxMonID, id)
		}
	}
}

// FromDeployment is a mon as its Deployment tells: its name, its endpoint and the
// node that it is pinned to, by its host name alone. ok is false if the name or
// the endpoint is missing.
func FromDeployment(d *appsv1.Deployment) (m pass.Mon, ok bool) {
	m = pass.Mon{Name: d.Labels[daemon.IDLabel], Endpoint: publicAddr(d)}
	if hostname := d.Spec.Template.Spec.NodeSelector[daemon.HostnameLabel]; hostname != "" {
		m.Node = &pass.MonNode{Name: hostname, Hostname: hostname}
	}
	_, named := MonID(m.Name)
	return m, named && m.Endpoint != ""
}

func decodeEntry(entry string) (pass.Mon, error) {
	name, endpoint, ok := strings.Cut(entry, "=")
	if _, named := MonID(name); !ok || !named {
		return pass.Mon{}, fmt.Errorf("%q is not of the form a=10.0.0.1:6789", entry)
	}
	address, err := netip.ParseAddrPort(endpoint)
	if err != nil || address.Port() == 0 {
		return pass.Mon{}, fmt.Errorf("%q has no address of the form 10.0.0.1:6789", entry)
	}
	return pass.Mon{Name: name, Endpoint: endpoint}, nil
}
