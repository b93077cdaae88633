package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// drawer draws what happens next.
type drawer struct {
	rand  *rand.Rand
	run   *run
	steps int
	tries int

	mons, image, mirrors        int
	dashboard, tolerant, modest bool
	storage                     []string
}

// The nodes of a history; the first have a disk.
var (
	diskNodes  = []string{"n1", "n2", "n3", "n4", "n5"}
	plainNodes = []string{"n6", "n7", "n8"}
)

// images are Ceph's releases in the order in which they may follow each other.
var images = []string{"ceph/ceph:v14.2.0-20190410", "ceph/ceph:v14.2.22", "ceph/ceph:v15.2.17"}

func newDrawer(seed uint64, r *run) *drawer {
	d := &drawer{
		rand: rand.New(rand.NewPCG(seed, 0x7469646570)), run: r, mons: 3,
	}
	d.steps = 8 + d.rand.IntN(stepLimit-16)
	return d
}

// first are the steps with which each history begins.
func (d *drawer) first() []Sentence {
	return []Sentence{
		{Text: `nodes ` + quoted(diskNodes) + `, each with disks "sdb" of 100Gi`},
		{Text: `nodes ` + quoted(plainNodes)},
		d.spec(),
	}
}

// last are the steps after which nothing is wrong any more.
func (d *drawer) last() []Sentence {
	var all []Sentence
	say := func(text string) { all = append(all, Sentence{Text: text}) }
	for _, n := range sorted(d.run.down) {
		say(fmt.Sprintf(`the node %q comes back`, n))
	}
	for _, n := range sorted(d.run.cordoned) {
		say(fmt.Sprintf(`the node %q is uncordoned`, n))
	}
	if d.run.slow {
		say(`the operator's "ceph" takes 0s`)
	}
	if d.run.late {
		say(`the operator reads what is there`)
	}
	return all
}

// more says whether the history goes on.
func (d *drawer) more() bool {
	d.tries++
	return len(d.run.done) < d.steps && d.tries < 3*stepLimit
}

// next draws a step.
func (d *drawer) next() Sentence {
	say := func(format string, args ...any) Sentence { return Sentence{Text: fmt.Sprintf(format, args...)} }
	switch d.rand.IntN(20) {
	case 0, 1, 2, 3, 4:
		d.edit()
		return d.spec()
	case 5, 6, 7, 8:
		return say("%s pass", d.pick("2s", "10s", "45s", "2m", "5m", "12m"))
	case 9, 10:
		if len(d.run.down) > 0 {
			n := sorted(d.run.down)[0]
			return say("the node %q comes back", n)
		}
		n := d.node()
		return say("the node %q loses its power", n)
	case 11:
		return say("the node %q reboots", d.node())
	case 12:
		if len(d.run.cordoned) > 1 {
			n := sorted(d.run.cordoned)[0]
			return say("the node %q is uncordoned", n)
		}
		n := d.node()
		return say("the node %q is cordoned", n)
	case 13:
		return say(`the container "mon" of the pod labelled %q is killed`, "mon="+d.mon())
	case 14:
		return say("the operator is restarted")
	case 15:
		return say("the operator is killed %s its effect %q", d.pick("before", "after"), d.pick("create", "update", "patch", "delete", "ceph", "ceph auth", "ceph mon"))
	case 16:
		return say("the operator's effect %q %s", d.pick("create", "update", "patch", "delete", "ceph", "ceph osd", "ceph mon"), d.pick("is refused", "times out", "loses its answer", "meets a conflict", "is garbled"))
	case 17:
		return d.lateness()
	case 18:
		if d.rand.IntN(2) == 0 {
			return say("the operator misses the next event of a %s", d.pick("CephCluster", "Deployment", "ConfigMap", "Node", "Job"))
		}
		return say("the API server refuses the operator to %s a %s %d times", d.pick("create", "update", "patch", "get", "list"), d.pick("Deployment", "ConfigMap", "Secret", "Job", "Service"), 1+d.rand.IntN(3))
	}
	if n := d.node(); len(d.run.want.gone) == 0 && d.rand.IntN(2) == 0 {
		return say("the node %q is removed from Kubernetes", n)
	}
	return say("the operator's next write is answered with a conflict")
}

// lateness makes the operator slow or lets it see late, or takes that back.
func (d *drawer) lateness() Sentence {
	switch {
	case d.run.late:
		return Sentence{Text: "the operator reads what is there"}
	case d.run.slow:
		return Sentence{Text: `the operator's "ceph" takes 0s`}
	case d.rand.IntN(2) == 0:
		return Sentence{Text: "the operator reads what was " + d.pick("2s", "15s", "40s") + " ago"}
	}
	return Sentence{Text: `the operator's "ceph" takes ` + d.pick("5s", "14s", "70s")}
}

func (d *drawer) pick(all ...string) string { return all[d.rand.IntN(len(all))] }

// node draws a node that is there and has power.
func (d *drawer) node() string {
	var all []string
	for _, n := range slices.Concat(diskNodes, plainNodes) {
		if !d.run.down[n] && !d.run.want.gone[n] {
			all = append(all, n)
		}
	}
	return d.pick(all...)
}

// mon draws a mon that has a pod.
func (d *drawer) mon() string {
	pods := &corev1.PodList{}
	err := d.run.w.Client().List(context.Background(), pods, client.InNamespace(namespace), client.MatchingLabels{"app": "rook-ceph-mon"})
	if err != nil || len(pods.Items) == 0 {
		return "a"
	}
	return pods.Items[d.rand.IntN(len(pods.Items))].Labels["mon"]
}

// edit changes the spec in one to three ways.
func (d *drawer) edit() {
	for range 1 + d.rand.IntN(3) {
		switch d.rand.IntN(8) {
		case 0, 1:
			d.mons = []int{1, 3, 5}[d.rand.IntN(3)]
		case 2:
			d.image = min(d.image+1, len(images)-1)
		case 3:
			d.dashboard = !d.dashboard
		case 4:
			d.tolerant = !d.tolerant
		case 5:
			d.modest = !d.modest
		case 6:
			d.mirrors = d.rand.IntN(3)
		case 7:
			// Four at least, of which one may go for good: a pool of octopus has three
			// copies.
			d.storage = [][]string{nil, diskNodes[:4], diskNodes[1:]}[d.rand.IntN(3)]
		}
	}
}

// spec is the step that applies the spec as it is now.
func (d *drawer) spec() Sentence {
	s := spec{
		"cephVersion": spec{"image": images[d.image], "allowUnsupported": true},
		"mon":         spec{"count": d.mons},
		// A pool of one copy, as the seed's defaults make it, is for Ceph never ok to
		// stop; a person would say the same.
		"continueUpgradeAfterChecksEvenIfNotHealthy": true,
		"dashboard":    spec{"enabled": d.dashboard},
		"rbdMirroring": spec{"workers": d.mirrors},
		"storage":      spec{"useAllNodes": true, "useAllDevices": true},
	}
	if d.tolerant {
		s["placement"] = spec{"all": spec{"tolerations": []any{spec{"key": "storage", "operator": "Exists"}}}}
	}
	if d.modest {
		s["resources"] = spec{"mon": spec{"requests": spec{"memory": "512Mi"}}, "osd": spec{"requests": spec{"memory": "1Gi"}}}
	}
	if d.storage != nil {
		var list []any
		for _, n := range d.storage {
			list = append(list, spec{"name": n})
		}
		s["storage"] = spec{"useAllNodes": false, "useAllDevices": true, "nodes": list}
	}
	doc, err := yaml.Marshal(map[string]any{"spec": s})
	if err != nil {
		panic(err) // maps of strings and numbers
	}
	return Sentence{Text: fmt.Sprintf(`the CephCluster %q is applied with`, clusterName), Doc: string(doc)}
}

func quoted(names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1:
			b.WriteString(" and ")
		default:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// mayDo forbids what no operator could mend: the loss for good of half of the
// mons or more.
func (r *run) mayDo(s Sentence) error {
	m := aRemoval.FindStringSubmatch(s.Text)
	if m == nil {
		return nil
	}
	names, err := quorumNames(r.w)
	if err != nil {
		return err
	}
	lost := 0
	for _, name := range names {
		if node, err := nodeOfMon(r.w, name); err != nil || node == m[1] {
			lost++
		}
	}
	if lost > (len(names)-1)/2 {
		return errors.New("too many mons would be lost for good")
	}
	if len(names) != r.want.mons {
		return errors.New("the mons are not all there")
	}
	return nil
}
