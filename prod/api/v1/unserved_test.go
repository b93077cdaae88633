package v1_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// manifest returns the first document of a file in testdata as JSON.
func manifest(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ := strings.Cut(string(data), "\n---\n")
	text, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// readSpec reads a spec of YAML.
func readSpec(t *testing.T, text string) v1.ClusterSpec {
	t.Helper()
	var spec v1.ClusterSpec
	if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

// tree returns JSON as maps and lists.
func tree(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	if err := kjson.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// writeSpec returns the spec as it is written, as maps and lists.
func writeSpec(t *testing.T, spec v1.ClusterSpec) any {
	t.Helper()
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return tree(t, data)
}

func TestUnservedFieldsOfManifests(t *testing.T) {
	tests := map[string][]string{
		"seed/second.yaml":                        nil,
		"corpus/rook-v1.0.0/cluster.yaml":         nil,
		"corpus/rook-v1.0.0/cluster-minimal.yaml": nil,
		"corpus/rook-v1.0.0/cluster-test.yaml":    nil,
		"corpus/rook-v1.20.6/cluster.yaml": {
			"crashCollector", "csi", "healthCheck.livenessProbe", "healthCheck.startupProbe",
			"logCollector", "mgr", "monitoring", "network.connections", "priorityClassNames", "security",
			"storage.allowDeviceClassUpdate", "storage.allowOsdCrushWeightUpdate", "storage.onlyApplyOSDPlacement",
			"storage.scheduleAlways",
		},
		"corpus/rook-v1.20.6/cluster-test.yaml": {
			"cephConfig", "crashCollector", "mgr", "monitoring", "priorityClassNames", "security",
			"storage.allowDeviceClassUpdate", "storage.allowOsdCrushWeightUpdate",
		},
	}
	for path, want := range tests {
		t.Run(path, func(t *testing.T) {
			var cluster v1.CephCluster
			if err := json.Unmarshal(manifest(t, path), &cluster); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, v1.UnservedFields(cluster.Spec)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnservedFields(t *testing.T) {
	tests := map[string]struct {
		spec string
		want []string
	}{
		"nothing":                  {`{}`, nil},
		"a misspelt field":         {`{mon: {cuont: 3}}`, []string{"mon.cuont"}},
		"another letter case":      {`{storage: {useallnodes: true}}`, []string{"storage.useallnodes"}},
		"the name of a Go field":   {`{Unserved: 1}`, []string{"Unserved"}},
		"the tag of a Go field":    {`{"-": 1}`, []string{"-"}},
		"the name of a Go struct":  {`{storage: {Selection: {deviceFilter: a}}}`, []string{"storage.Selection"}},
		"false and 0 are set":      {`{a: false, b: 0}`, []string{"a", "b"}},
		"nothing is not set":       {`{a: null, b: "", c: {}, d: [], e: {f: {g: null}, h: [""]}}`, nil},
		"a part that is set":       {`{e: {f: {g: null}, h: ["", x]}}`, []string{"e"}},
		"in each section":          {`{cephVersion: {a: 1}, mon: {a: 1}, dashboard: {a: 1}, network: {a: 1}, rbdMirroring: {a: 1}, storage: {a: 1}}`, []string{"cephVersion.a", "dashboard.a", "mon.a", "network.a", "rbdMirroring.a", "storage.a"}},
		"in lists, by name":        {`{storage: {nodes: [{name: n1, devices: [{name: sdb, fullpath: /dev/sdb}], directories: [{path: /data, a: 1}]}], directories: [{path: /d, a: 1}]}}`, []string{"storage.directories[/d].a", "storage.nodes[n1].devices[sdb].fullpath", "storage.nodes[n1].directories[/data].a"}},
		"in a placement":           {`{placement: {all: {topologySpreadConstraints: [{maxSkew: 1}]}}}`, []string{"placement.all.topologySpreadConstraints"}},
		"keys that are not read":   {`{placement: {arbiter: {}, mon: {}}, annotations: {all: {}, cleanup: {}}, resources: {osd-hdd: {}, mgr: {}, rbdmirror: {}, prepareosd: {}}}`, []string{"annotations.cleanup", "placement.arbiter", "resources.osd-hdd"}},
		"settings of each level":   {`{storage: {config: {deviceClass: a, storeType: bluestore, metadataDevice: a, databaseSizeMB: "1", journalSizeMB: "1", osdsPerDevice: "1", encryptedDevice: "true"}, devices: [{name: sda, config: {b: a}}], directories: [{path: /d, config: {b: a}}], nodes: [{name: n1, config: {b: a}, devices: [{name: sdb, config: {b: a}}], directories: [{path: /e, config: {b: a}}]}]}}`, []string{"storage.config.deviceClass", "storage.devices[sda].config.b", "storage.directories[/d].config.b", "storage.nodes[n1].config.b", "storage.nodes[n1].devices[sdb].config.b", "storage.nodes[n1].directories[/e].config.b"}},
		"a provider not served":    {`{network: {provider: multus}}`, []string{"network.provider"}},
		"a provider that is":       {`{network: {provider: host}}`, nil},
		"embedded Kubernetes type": {`{resources: {mon: {limits: {cpu: 1}}}, placement: {mon: {tolerations: [{key: a, tolerationSeconds: 1}]}}}`, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, v1.UnservedFields(readSpec(t, test.spec))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// S17, S5, S6: a spec that has been through the Go types, as the second sample
// has, is written as it was read.
func TestSecondSampleRoundTrips(t *testing.T) {
	want := tree(t, manifest(t, "seed/second.yaml")).(map[string]any)["spec"]
	var cluster v1.CephCluster
	if err := json.Unmarshal(manifest(t, "seed/second.yaml"), &cluster); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, writeSpec(t, cluster.Spec)); diff != "" {
		t.Errorf("(-read +written):\n%s", diff)
	}
}

// What today's manifests set is there again after a round trip.
func TestManifestsRoundTrip(t *testing.T) {
	paths, err := filepath.Glob("testdata/corpus/*/cluster*.yaml")
	if err != nil || len(paths) != 5 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			path, err := filepath.Rel("testdata", path)
			if err != nil {
				t.Fatal(err)
			}
			var cluster, again v1.CephCluster
			if err := json.Unmarshal(manifest(t, path), &cluster); err != nil {
				t.Fatal(err)
			}
			written, err := json.Marshal(cluster)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(written, &again); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cluster, again); diff != "" {
				t.Errorf("(-read +read again):\n%s", diff)
			}
		})
	}
}

func TestUnservedAreKept(t *testing.T) {
	const text = `
cephVersion: {image: a, imagePullPolicy: Always}
dataDirHostPath: /var/lib/rook
mon: {count: 3, preferredCount: 0, zones: [{name: a, arbiter: true}, {name: b}]}
network: {hostNetwork: false}
rbdMirroring: {workers: 0}
dashboard: {}
big: 9007199254740993
half: 0.5
labels: null
placement: {mon: {topologySpreadConstraints: [{maxSkew: 1}]}}
storage:
  nodes:
  - {name: n1, config: null, resources: {}, weight: 1}
  - {name: n2, config: null, resources: {}, weight: 2, devices: [{name: sdb, config: null, fullpath: /dev/sdb}]}
`
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := tree(t, data)
	spec := readSpec(t, text)

	t.Run("through JSON", func(t *testing.T) {
		if diff := cmp.Diff(want, writeSpec(t, spec)); diff != "" {
			t.Errorf("(-read +written):\n%s", diff)
		}
	})
	t.Run("through a deep copy", func(t *testing.T) {
		if diff := cmp.Diff(want, writeSpec(t, *spec.DeepCopy())); diff != "" {
			t.Errorf("(-read +written):\n%s", diff)
		}
	})
	t.Run("through unstructured", func(t *testing.T) {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1.CephCluster{Spec: spec})
		if err != nil {
			t.Fatal(err)
		}
		got, _, _ := unstructured.NestedMap(fields, "spec")
		if diff := cmp.Diff(want, any(got)); diff != "" {
			t.Errorf("(-read +written):\n%s", diff)
		}
		var back v1.CephCluster
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(fields, &back); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(spec, back.Spec); diff != "" {
			t.Errorf("(-spec +back):\n%s", diff)
		}
	})
	t.Run("with the nodes changed", func(t *testing.T) {
		changed := spec.DeepCopy()
		changed.Storage.Nodes = []v1.Node{{Name: "n3"}, changed.Storage.Nodes[1]}
		got := writeSpec(t, *changed).(map[string]any)["storage"]
		want := tree(t, []byte(`{"nodes": [
			{"name": "n3", "config": null, "resources": {}},
			{"name": "n2", "config": null, "resources": {}, "weight": 2, "devices": [{"name": "sdb", "config": null, "fullpath": "/dev/sdb"}]}
		]}`))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestSpecOfWrongTypesIsAnError(t *testing.T) {
	for _, text := range []string{`{"mon": {"count": "three"}}`, `{"storage": []}`, `3`, `{`} {
		var spec v1.ClusterSpec
		if err := json.Unmarshal([]byte(text), &spec); err == nil {
			t.Errorf("%s: read", text)
		}
	}
}
