package osd

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// known is an OSD that the operator has to look after, with all that is known of
// it.
type known struct {
	placed
	// Deployment runs it; nil if there is none.
	Deployment *appsv1.Deployment
	// Recorded says that it stands in the ConfigMap of its node, and Lost that
	// the last look at the node's devices did not find it.
	Recorded, Lost bool
	// Exists says that Ceph has it in its map, under its uuid. Up, In and New are
	// what the map says of it.
	Exists, Up, In, New bool
	// Dropped is why its node is no longer a storage node, for good: what people
	// have done, as "which is not in spec.storage.nodes"; "" if it is one.
	Dropped string
	// Away is why its node cannot run it for now, as "is cordoned", which is no
	// reason to take anything away (B19); "" if it can.
	Away string
}

// entry is an OSD in the ConfigMap of a node.
type entry struct {
	placed
	// lost says that the last look at the node's devices did not find it.
	lost bool
}

// entries are what stands in the ConfigMaps, by node. An OSD that one node has
// lost and another has found, as after its disk was moved, is on the latter.
func entries(results map[string]prepare.Result) []entry {
	var all []entry
	type identity struct {
		id   int
		uuid string
	}
	found := map[identity]bool{}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		for _, osd := range results[name].OSDs {
			found[identity{osd.ID, osd.UUID}] = true
			all = append(all, entry{placed: placed{Node: name, OSD: osd}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(results)) {
		for _, osd := range results[name].Lost {
			if !found[identity{osd.ID, osd.UUID}] {
				all = append(all, entry{placed: placed{Node: name, OSD: osd}, lost: true})
			}
		}
	}
	return all
}

// findOSDs puts together what is known of the OSDs: what stands in the ConfigMaps
// of the nodes, which Deployments there are, and Ceph's map. They are in order of
// their ids.
func findOSDs(written []entry, running map[string]*appsv1.Deployment, m osdMap, spec *v1.ClusterSpec, nodes []corev1.Node) []known {
	var all []known
	used := map[string]bool{}
	add := func(e entry, recorded bool) {
		k := known{placed: e.placed, Lost: e.lost, Recorded: recorded}
		if m == nil {
			k.Exists, k.Up, k.In, k.New = true, true, true, true // nothing is known of it yet
		} else if info, ok := m.find(e.OSD); ok {
			k.Exists, k.Up, k.In, k.New = true, info.Up == 1, info.In == 1, slices.Contains(info.State, "new")
		}
		if d := running[Name(e.ID)]; d != nil && !used[d.Name] && runsUUID(d, e.UUID) {
			k.Deployment = d
			used[d.Name] = true
		}
		all = append(all, k)
	}
	for _, e := range written {
		add(e, true)
	}
	for _, name := range slices.Sorted(maps.Keys(running)) {
		d := running[name]
		if id, err := strconv.Atoi(d.Labels[IDLabel]); err == nil && !used[name] {
			add(entry{placed: placed{Node: d.Labels[NodeLabel], OSD: prepare.OSD{ID: id, UUID: uuidOf(d)}}}, false)
		}
	}
	at := map[string]standing{}
	for i, k := range all {
		if _, ok := at[k.Node]; !ok {
			at[k.Node] = stands(spec, nodes, k.Node)
		}
		all[i].Dropped, all[i].Away = at[k.Node].dropped, at[k.Node].away
	}
	slices.SortStableFunc(all, func(a, b known) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// osdMap is Ceph's map of OSDs by their ids; nil if it was not asked for.
type osdMap map[int]ceph.OSDInfo

func newOSDMap(dump ceph.OSDMap) osdMap {
	m := make(osdMap, len(dump.OSDs))
	for _, info := range dump.OSDs {
		m[info.ID] = info
	}
	return m
}

// find is the OSD of that id and uuid. One that was made without a uuid has none
// in the map before it was up; one whose uuid is not known is taken for that of
// the map, so that it is never held for removed.
func (m osdMap) find(osd prepare.OSD) (ceph.OSDInfo, bool) {
	info, ok := m[osd.ID]
	same := info.UUID == osd.UUID || osd.UUID == "" || strings.Trim(info.UUID, "0-") == "" && slices.Contains(info.State, "new")
	return info, ok && same
}

const uuidFlag = "--osd-uuid"

// uuidOf is the uuid of the OSD that a Deployment runs, "" if it does not say.
func uuidOf(d *appsv1.Deployment) string {
	for _, c := range d.Spec.Template.Spec.Containers {
		for i, arg := range c.Args {
			if uuid, ok := strings.CutPrefix(arg, uuidFlag+"="); ok {
				return uuid
			}
			if arg == uuidFlag && i+1 < len(c.Args) {
				return c.Args[i+1]
			}
		}
	}
	return ""
}

func runsUUID(d *appsv1.Deployment, uuid string) bool {
	runs := uuidOf(d)
	return runs == uuid || runs == ""
}

// standing is what has become of a node.
type standing struct{ dropped, away string }

// stands says whether people have taken a node out of the storage nodes, or it is
// only away for a while (B19). A taint is never the former: it may be there for
// an hour.
func stands(spec *v1.ClusterSpec, nodes []corev1.Node, name string) standing {
	at := slices.IndexFunc(nodes, func(n corev1.Node) bool { return node.Hostname(&n) == name })
	if at < 0 {
		return standing{dropped: "which is not in Kubernetes any more"}
	}
	named := slices.ContainsFunc(spec.Storage.Nodes, func(n v1.Node) bool { return n.Name == name })
	if !spec.Storage.UseAllNodes && !named {
		return standing{dropped: "which spec.storage.nodes does not name any more"}
	}
	placement := spec.Placement.For(v1.OSD)
	if matches, err := node.Matches(&nodes[at], placement); err == nil && !matches {
		return standing{dropped: "which the placement of OSDs does not let in any more"}
	}
	return standing{away: node.Fits(&nodes[at], placement)}
}

// settled is how long an OSD that was started or changed, or whose pod went, is
// waited for before it is only reported.
const settled = 2 * time.Minute

// changing says whether something happened to the OSD a short while ago: then it
// is expected to be up soon. One that never was up is always expected.
func (k known) changing(now time.Time) bool {
	if k.Exists && k.New {
		return true
	}
	if k.Deployment == nil {
		return false
	}
	return k.Deployment.Status.ObservedGeneration < k.Deployment.Generation || now.Sub(daemon.LastChange(k.Deployment)) < settled
}

// runs says whether the OSD's pod runs.
func (k known) runs() bool { return k.Deployment != nil && daemon.Ready(k.Deployment) }
