package steps

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cucumber/godog"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// operatorNamespace is where the operator runs, and where discover daemons write.
const operatorNamespace = "rook-ceph-system"

func eventSteps() []Step {
	return []Step{
		{
			Pattern: `^in the next (\S+) the operator makes (at most |at least )?(\d+) pass(?:es)? over the CephCluster ` + name + `$`,
			Example: `in the next 10s the operator makes 0 passes over the CephCluster "rook-ceph"`,
			Meaning: "lets time pass and counts the operator's orchestrations of the cluster in it",
			Do:      passesOver,
		},
		{
			Pattern: `^the operator watches nothing$`,
			Example: `the operator watches nothing`,
			Meaning: "the API server tells the operator of no kind",
			Do: func(ctx context.Context) error {
				if kinds := in(ctx).OperatorWatches(); len(kinds) > 0 {
					return fmt.Errorf("the operator watches %q", kinds)
				}
				return nil
			},
		},
		{
			Pattern: `^the operator watches each of (.+) once$`,
			Example: `the operator watches each of CephClusters, Nodes and ConfigMaps once`,
			Meaning: "the API server tells the operator of these kinds, and of no kind twice",
			Do:      watchesOnce,
		},
		{
			Pattern: `^the operator is handed the ` + kind + ` ` + name + ` where it watches ` + kind + `s$`,
			Example: `the operator is handed the ConfigMap "rook-ceph/x" where it watches Nodes`,
			Meaning: "an event of a watch that brings an object of another kind, as only a fault of the client can",
			Do: func(ctx context.Context, kind, named, watched string) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				return in(ctx).HandOperator(watched, u)
			},
		},
		{
			Pattern: `^the operator logs (debug|info|warning|error) ` + name + ` (no|\d+) more times? within (\S+)$`,
			Example: `the operator logs info "device lists are equal" no more time within 10s`,
			Meaning: "lets time pass and counts the lines of this severity and text in it",
			Do:      logsMore,
		},
		{
			Pattern: `^(\d+) nodes join at once$`,
			Example: `100 nodes join at once`,
			Meaning: "adds that many machines, named m1, m2 and so on, with a disk each",
			Do: func(ctx context.Context, count string) error {
				n, err := strconv.Atoi(count)
				for i := range n {
					node := world.Node{Name: fmt.Sprintf("m%d", i+1), Devices: []world.Device{{Name: "sdb", Size: "10Gi"}}}
					err = errors.Join(err, in(ctx).AddNode(node))
				}
				return err
			},
		},
		{
			Pattern: `^the node ` + name + ` sends a heartbeat$`,
			Example: `the node "n1" sends a heartbeat`,
			Meaning: "the kubelet writes the node's status: the time, and the images that it has",
			Do:      heartbeat,
		},
		{
			Pattern: `^the node ` + name + ` gets the annotation ` + name + `$`,
			Example: `the node "n1" gets the annotation "a=b"`,
			Meaning: "annotates a node, as many controllers do",
			Do: func(ctx context.Context, node, annotation string) error {
				return writeNode(ctx, node, func(n *corev1.Node) {
					key, value, _ := strings.Cut(annotation, "=")
					metav1.SetMetaDataAnnotation(&n.ObjectMeta, key, value)
				}, func(n *corev1.Node) error { return in(ctx).Client().Update(ctx, n) })
			},
		},
		{
			Pattern: `^the discover daemon of the node ` + name + ` lists$`,
			Example: `the discover daemon of the node "n1" lists`,
			Meaning: "writes the node's ConfigMap as Rook's discover daemon does, from a table with a column name and any of size, type, serial, wwn, uuid, links, filesystem, parent, partitions, readonly, volumes",
			Do: func(ctx context.Context, node string, t *godog.Table) error {
				var devices []map[string]any
				for _, row := range rows(t) {
					d, err := discovered(row)
					if err != nil {
						return err
					}
					devices = append(devices, d)
				}
				text, err := json.Marshal(devices)
				if err != nil {
					return err
				}
				return writeDevices(ctx, node, string(text))
			},
		},
		{
			Pattern: `^the discover daemon of the node ` + name + ` writes ` + name + `$`,
			Example: `the discover daemon of the node "n1" writes "[{]"`,
			Meaning: "writes the node's ConfigMap with that text in place of a list of devices",
			Do:      writeDevices,
		},
		{
			Pattern: `^` + within + `the node ` + name + ` has been prepared (\d+) times?$`,
			Example: `within 2m the node "n1" has been prepared 1 time`,
			Meaning: "counts the OSD jobs that the operator has started on the node so far",
			Do: func(ctx context.Context, limit, node, count string) error {
				return soon(ctx, limit, func() error { return prepared(ctx, node, count) })
			},
		},
		{
			Pattern: `^there are (\d+) ([A-Z]\w+?)s? labelled ` + name + ` in the namespace ` + name + `$`,
			Example: `there are 0 Deployments labelled "app=rook-ceph-mon" in the namespace "rook"`,
			Meaning: "counts objects in another namespace by labels",
			Do: func(ctx context.Context, count, kind, labels, namespace string) error {
				items, err := find(ctx, kind, namespace, labels)
				if err == nil && strconv.Itoa(len(items)) != count {
					err = fmt.Errorf("there are %d %ss labelled %q, want %s", len(items), kind, labels, count)
				}
				return err
			},
		},
	}
}

// orchestration is the name of the controller whose passes are counted.
const orchestration = "cephcluster"

func passesOver(ctx context.Context, limit, bound, count, named string) error {
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	want, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	before := len(in(ctx).OperatorPasses())
	in(ctx).Pass(d)
	passes := slices.DeleteFunc(slices.Clone(in(ctx).OperatorPasses()[before:]), func(p world.Pass) bool {
		return p.Controller != orchestration || p.Key != objectKey(named)
	})
	if len(passes) > want && bound != "at least " || len(passes) < want && bound != "at most " {
		return fmt.Errorf("the operator made %d passes, want %s%d:\n%v", len(passes), bound, want, passes)
	}
	return nil
}

func heartbeat(ctx context.Context, node string) error {
	return writeNode(ctx, node, func(n *corev1.Node) {
		for i := range n.Status.Conditions {
			n.Status.Conditions[i].LastHeartbeatTime = metav1.NewTime(in(ctx).Now())
		}
		n.Status.Images = append(n.Status.Images, corev1.ContainerImage{Names: []string{"some/image"}, SizeBytes: 1})
	}, func(n *corev1.Node) error { return in(ctx).Client().Status().Update(ctx, n) })
}

func writeNode(ctx context.Context, node string, change func(*corev1.Node), write func(*corev1.Node) error) error {
	var n corev1.Node
	if err := in(ctx).Client().Get(ctx, client.ObjectKey{Name: node}, &n); err != nil {
		return err
	}
	change(&n)
	return write(&n)
}

func watchesOnce(ctx context.Context, kinds string) error {
	watched := in(ctx).OperatorWatches()
	for i, kind := range watched {
		if i > 0 && watched[i-1] == kind {
			return fmt.Errorf("the operator watches %ss more than once: %q", kind, watched)
		}
	}
	for _, kind := range commaList(strings.ReplaceAll(kinds, " and ", ", ")) {
		if !slices.Contains(watched, strings.TrimSuffix(kind, "s")) {
			return fmt.Errorf("the operator does not watch %s; it watches %q", kind, watched)
		}
	}
	return nil
}

func logsMore(ctx context.Context, severity, text, count, limit string) error {
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	want := 0
	if count != "no" {
		if want, err = strconv.Atoi(count); err != nil {
			return err
		}
	}
	before := len(in(ctx).OperatorLog())
	in(ctx).Pass(d)
	got := 0
	for _, l := range in(ctx).OperatorLog()[before:] {
		if l.Severity == severity && matches(text, l.Text) {
			got++
		}
	}
	if got != want {
		return fmt.Errorf("the operator logged it %d times", got)
	}
	return nil
}

// discovered is a row as the discover daemon writes a device.
func discovered(row map[string]string) (map[string]any, error) {
	d := map[string]any{
		"name": "", "parent": "", "hasChildren": false, "devLinks": "", "size": 100 << 30, "uuid": "", "serial": "", "type": "disk",
		"rotational": true, "readOnly": false, "Partitions": nil, "filesystem": "", "vendor": "", "model": "", "wwn": "",
		"wwnVendorExtension": "", "empty": true, "cephVolumeData": "", "real-path": "/dev/" + row["name"], "kernel-name": row["name"],
	}
	empty := true
	for column, value := range row {
		if value == "" {
			continue
		}
		switch column {
		case "name", "type", "serial", "wwn", "uuid":
			d[column] = value
		case "size":
			size, err := strconv.Atoi(value)
			if err != nil {
				return nil, fmt.Errorf("the size of %s: %w", row["name"], err)
			}
			d["size"] = size
		case "links":
			d["devLinks"] = value
		case "filesystem":
			d["filesystem"], empty = value, false
		case "parent":
			d["parent"], empty = value, false
		case "partitions":
			var parts []map[string]any
			for _, name := range strings.Fields(value) {
				parts = append(parts, map[string]any{"Name": name, "Size": 1 << 30, "Label": "", "Filesystem": ""})
			}
			d["Partitions"], empty = parts, false
		case "readonly":
			d["readOnly"] = true
		case "volumes":
			d["cephVolumeData"] = `{"path":"/dev/` + row["name"] + `","available":false,"rejected_reasons":["locked"],"lvs":[{"name":"` + value + `"}]}`
		default:
			return nil, fmt.Errorf("a table of devices has no column %q", column)
		}
	}
	d["empty"] = empty
	return d, nil
}

// writeDevices writes a node's ConfigMap.
func writeDevices(ctx context.Context, node, text string) error {
	c := in(ctx).Client()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: operatorNamespace}}
	if err := c.Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: operatorNamespace, Name: "local-device-" + node,
		Labels: map[string]string{"app": "rook-discover", "rook.io/node": node},
	}}
	switch err := c.Get(ctx, client.ObjectKeyFromObject(cm), cm); {
	case apierrors.IsNotFound(err):
		cm.Data = map[string]string{"devices": text}
		return c.Create(ctx, cm)
	case err != nil:
		return err
	}
	cm.Data = map[string]string{"devices": text}
	return c.Update(ctx, cm)
}

func prepared(ctx context.Context, node, count string) error {
	want, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	got := 0
	for _, w := range in(ctx).OperatorWrites() {
		if w.Verb == "create" && w.Kind == "Job" && w.Key.Name == "rook-ceph-osd-prepare-"+node {
			got++
		}
	}
	if got != want {
		return errors.New("node " + node + " has been prepared " + strconv.Itoa(got) + " times, want " + count)
	}
	return nil
}
