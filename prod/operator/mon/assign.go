package mon

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// assignment is what nodes are chosen by.
type assignment struct {
	nodes     []corev1.Node
	placement v1.Placement
	// multiple allows more than one mon on a node.
	multiple bool
	// host says that mons take their node's address, which then has to be one.
	host bool
	// wanted is the mon count that is worked towards.
	wanted int
}

// unplaced says that there is no node for a mon (S88). Its text names how many
// mons are wanted and how many nodes fit.
type unplaced struct{ details string }

func (u *unplaced) Error() string { return "no nodes available for mon placement: " + u.details }

// assign chooses a node for each of the mons in names, beside the mons that are
// placed already, which stay where they are (S88). Nodes with the fewest mons
// come first, then by name.
func (a assignment) assign(placed map[string]pass.Mon, names []string) (map[string]*pass.MonNode, error) {
	if len(names) == 0 {
		return nil, nil
	}
	load := map[string]int{}
	for _, m := range placed {
		if m.Node != nil {
			load[m.Node.Hostname]++
		}
	}
	fitting, before := a.fitting(), maps.Clone(load)
	chosen := map[string]*pass.MonNode{}
	for _, name := range names {
		best := slices.MinFunc(append([]*pass.MonNode{nil}, fitting...), func(x, y *pass.MonNode) int {
			switch {
			case x == nil || y == nil:
				return cmp.Compare(btoi(x == nil), btoi(y == nil))
			default:
				return cmp.Or(cmp.Compare(load[x.Hostname], load[y.Hostname]), cmp.Compare(x.Name, y.Name))
			}
		})
		if best == nil || !a.multiple && load[best.Hostname] > 0 {
			return nil, a.tooFew(fitting, before)
		}
		load[best.Hostname]++
		chosen[name] = best
	}
	return chosen, nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fitting are the nodes that may take a mon.
func (a assignment) fitting() []*pass.MonNode {
	var fitting []*pass.MonNode
	for i := range a.nodes {
		if a.unfit(&a.nodes[i]) == "" {
			fitting = append(fitting, describe(&a.nodes[i]))
		}
	}
	return fitting
}

// unfit is why a node may not take a mon, "" if it may.
func (a assignment) unfit(n *corev1.Node) string {
	if why := node.Fits(n, a.placement); why != "" {
		return why
	}
	if address := node.Address(n); a.host && net.ParseIP(address) == nil {
		return fmt.Sprintf("has no IP address (%q), which a mon on the host's network needs", address)
	}
	return ""
}

// describe is a node as it is recorded (S80).
func describe(n *corev1.Node) *pass.MonNode {
	return &pass.MonNode{Name: n.Name, Hostname: node.Hostname(n), Address: node.Address(n)}
}

func (a assignment) tooFew(fitting []*pass.MonNode, load map[string]int) error {
	var others []string
	for i := range a.nodes {
		if why := a.unfit(&a.nodes[i]); why != "" {
			others = append(others, a.nodes[i].Name+" "+why)
		}
	}
	taken := 0
	for _, n := range fitting {
		if load[n.Hostname] > 0 {
			taken++
		}
	}
	details := fmt.Sprintf("%d mons are wanted and %d nodes fit, of which %d have a mon", a.wanted, len(fitting), taken)
	if len(others) > 0 {
		details += " (" + strings.Join(others, ", ") + ")"
	}
	return &unplaced{details + "; add nodes, lower spec.mon.count, or allow several mons on a node with spec.mon.allowMultiplePerNode"}
}
