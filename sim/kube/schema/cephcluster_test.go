package schema_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
	"github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

const manifests = "../../../prod/api/v1/testdata/"

// definitionOf returns the definition with that plural.
func definitionOf(all []*apiextensionsv1.CustomResourceDefinition, plural string) *apiextensionsv1.CustomResourceDefinition {
	return all[slices.IndexFunc(all, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Names.Plural == plural })]
}

// cephClusters returns the validator of the CephCluster definition.
func cephClusters(t testing.TB) *schema.Validator {
	t.Helper()
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.New(definitionOf(all, "cephclusters"))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// object decodes YAML with the number types of the API server.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var obj map[string]any
	if err := kjson.Unmarshal(data, &obj); err != nil {
		t.Fatal(err)
	}
	return obj
}

// manifest returns the CephCluster in a file of one or more documents.
func manifest(t testing.TB, path string) map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(manifests, path))
	if err != nil {
		t.Fatal(err)
	}
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		if obj := object(t, document); obj["kind"] == "CephCluster" {
			return obj
		}
	}
	t.Fatalf("%s holds no CephCluster", path)
	return nil
}

// cluster returns a CephCluster with what must be given, and spec over it. In
// spec a null takes a field away.
func cluster(t testing.TB, spec string) map[string]any {
	t.Helper()
	obj := object(t, `
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: rook-ceph, namespace: rook-ceph}
spec:
  cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}
  dataDirHostPath: /var/lib/rook
`)
	for name, value := range object(t, spec) {
		obj["spec"].(map[string]any)[name] = value
	}
	return obj
}

func TestManifestsApply(t *testing.T) {
	v := cephClusters(t)
	paths := []string{
		"seed/second.yaml",
		"corpus/rook-v1.0.0/cluster.yaml",
		"corpus/rook-v1.0.0/cluster-minimal.yaml",
		"corpus/rook-v1.0.0/cluster-test.yaml",
		"corpus/rook-v1.20.6/cluster.yaml",
		"corpus/rook-v1.20.6/cluster-test.yaml",
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			obj := manifest(t, path)
			stored, errs := v.Admit(obj, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			// All that says something is kept. A null is dropped from a field that cannot be null.
			if diff := cmp.Diff(withoutNulls(obj["spec"]), withoutNulls(stored["spec"])); diff != "" {
				t.Errorf("spec changed (-written +stored):\n%s", diff)
			}
			if _, ok := stored["status"]; ok {
				t.Error("a created object has the status that was sent with it")
			}
		})
	}
}

// withoutNulls returns value without the fields that are null.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		kept := map[string]any{}
		for k, v := range value {
			if v != nil {
				kept[k] = withoutNulls(v)
			}
		}
		return kept
	case []any:
		var kept []any
		for _, v := range value {
			kept = append(kept, withoutNulls(v))
		}
		return kept
	}
	return value
}

// Settled 1: the first sample has a node among the directories.
func TestFirstSampleIsRefused(t *testing.T) {
	_, errs := cephClusters(t).Admit(manifest(t, "seed/first.yaml"), nil)
	const want = "spec.storage.directories[1].path: Required value"
	if err := errs.ToAggregate(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// S17: the empty parts of the second sample are stored as they were sent.
func TestEmptyPartsAreStored(t *testing.T) {
	obj := manifest(t, "seed/second.yaml")
	stored, errs := cephClusters(t).Admit(obj, nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if diff := cmp.Diff(obj["spec"], stored["spec"]); diff != "" {
		t.Errorf("spec changed (-sent +stored):\n%s", diff)
	}
}

func TestNullsAreDropped(t *testing.T) {
	stored, errs := cephClusters(t).Admit(cluster(t, `
annotations: null
resources: null
placement: {all: {podAffinity: null, tolerations: [{key: storage-node, operator: Exists}]}, mon: null}
mon: {count: null}
storage: {deviceFilter: null, location: null, config: null}
labels: null
`), nil)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	want := cluster(t, `
placement: {all: {tolerations: [{key: storage-node, operator: Exists}]}}
mon: {}
storage: {}
labels: null
`)
	if diff := cmp.Diff(want["spec"], stored["spec"]); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func TestAccepted(t *testing.T) {
	v := cephClusters(t)
	tests := map[string]string{
		"no mon section (S36)":            `{}`,
		"mon without count (S36)":         `mon: {allowMultiplePerNode: false}`,
		"mon count 0 (S36)":               `mon: {count: 0}`,
		"negative mon count (S36)":        `mon: {count: -1}`,
		"mon count 12 (S37)":              `mon: {count: 12}`,
		"even mon count (S38)":            `mon: {count: 4}`,
		"no rbd mirrors (S8)":             `rbdMirroring: {workers: 0}`,
		"host network by today's name":    `network: {provider: host}`,
		"a provider that is not served":   `network: {provider: multus}`,
		"a dashboard in full (S6)":        `dashboard: {enabled: true, urlPrefix: /ceph-dashboard, port: 8443, ssl: true}`,
		"resources in both ways (S11)":    `resources: {mon: {limits: {cpu: 500m, memory: 1024Mi}, requests: {cpu: 1}}}`,
		"all settings (S13)":              `storage: {config: {storeType: filestore, metadataDevice: md0, databaseSizeMB: "1024", journalSizeMB: "1024", osdsPerDevice: "5", encryptedDevice: "true", deviceClass: ssd}}`,
		"settings at each level (S16)":    `storage: {nodes: [{name: n1, config: {storeType: bluestore}, devices: [{name: nvme01, config: {osdsPerDevice: "5"}}]}]}`,
		"a device filter (S12)":           `storage: {deviceFilter: "^sd."}`,
		"an empty device filter":          `storage: {deviceFilter: ""}`,
		"nodes besides useAllNodes (S15)": `storage: {useAllNodes: true, nodes: [{name: n1}]}`,
		"a misspelt field":                `storage: {useAllNods: true}`,
		"an unknown field in each section": `
cephVersion: {image: a, x: 1}
mon: {x: 1}
dashboard: {x: 1}
network: {x: 1}
rbdMirroring: {x: 1}
placement: {all: {x: 1}}
storage: {x: 1, nodes: [{name: n1, x: 1, devices: [{name: sdb, x: 1}], directories: [{path: /d, x: 1}]}], devices: [{name: sdb, x: 1}], directories: [{path: /d, x: 1}]}
x: 1
`,
		"an image without a tag":             `cephVersion: {image: ceph/ceph}`,
		"an image by digest":                 `cephVersion: {image: "quay.io/ceph/ceph@sha256:0000"}`,
		"a data directory with a stop slash": `dataDirHostPath: /data/rook/`,
	}
	for name, spec := range tests {
		t.Run(name, func(t *testing.T) {
			obj := cluster(t, spec)
			stored, errs := v.Admit(obj, nil)
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(obj, stored); diff != "" {
				t.Errorf("changed (-sent +stored):\n%s", diff)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	v := cephClusters(t)
	const regexpMessage = "must be a regular expression that compiles"
	tests := map[string]struct {
		spec string
		want string // part of the message
	}{
		"no image":                      {`cephVersion: {}`, `spec.cephVersion.image: Required value`},
		"null image":                    {`cephVersion: {image: null}`, `spec.cephVersion.image: Required value`},
		"empty image":                   {`cephVersion: {image: ""}`, `spec.cephVersion.image: Invalid value: "": spec.cephVersion.image in body should be at least 1 chars long`},
		"image with white space":        {`cephVersion: {image: "ceph/ceph :v14"}`, `spec.cephVersion.image: Invalid value: "ceph/ceph :v14": must not contain white space`},
		"no cephVersion":                {`cephVersion: null`, `spec.cephVersion: Required value`},
		"allowUnsupported as a string":  {`cephVersion: {image: a, allowUnsupported: "yes"}`, `spec.cephVersion.allowUnsupported: Invalid value: "string": spec.cephVersion.allowUnsupported in body must be of type boolean`},
		"no dataDirHostPath":            {`dataDirHostPath: null`, `spec.dataDirHostPath: Required value`},
		"empty dataDirHostPath":         {`dataDirHostPath: ""`, `spec.dataDirHostPath: Invalid value: "": must be an absolute path`},
		"relative dataDirHostPath":      {`dataDirHostPath: var/lib/rook`, `spec.dataDirHostPath: Invalid value: "var/lib/rook": must be an absolute path`},
		"dataDirHostPath /":             {`dataDirHostPath: /`, `spec.dataDirHostPath: Invalid value: "/": must not be the root directory`},
		"dataDirHostPath //./":          {`dataDirHostPath: //./`, `must not be the root directory`},
		"dataDirHostPath with ..":       {`dataDirHostPath: /var/../..`, `must not contain '..'`},
		"mon count three":               {`mon: {count: three}`, `spec.mon.count: Invalid value: "string": spec.mon.count in body must be of type integer`},
		"mon count 1.5":                 {`mon: {count: 1.5}`, `spec.mon.count: Invalid value: "number"`},
		"mon as a number":               {`mon: 3`, `spec.mon: Invalid value: "integer"`},
		"multi per node as a number":    {`mon: {allowMultiplePerNode: 1}`, `spec.mon.allowMultiplePerNode: Invalid value: "integer"`},
		"dashboard port 70000":          {`dashboard: {port: 70000}`, `spec.dashboard.port: Invalid value: 70000`},
		"dashboard port -1":             {`dashboard: {port: -1}`, `spec.dashboard.port: Invalid value: -1`},
		"unknown provider":              {`network: {provider: hots}`, `spec.network.provider: Unsupported value: "hots": supported values: "", "host", "multus"`},
		"host network and multus":       {`network: {hostNetwork: true, provider: multus}`, `spec.network.provider: Invalid value: hostNetwork and provider multus exclude each other`},
		"-1 rbd mirrors":                {`rbdMirroring: {workers: -1}`, `spec.rbdMirroring.workers: Invalid value: -1`},
		"resources that are no amount":  {`resources: {mon: {limits: {cpu: lots}}}`, `spec.resources.mon.limits.cpu: Invalid value: "lots"`},
		"annotation as a number":        {`annotations: {mgr: {a: 1}}`, `spec.annotations.mgr.a: Invalid value: "integer"`},
		"tolerations as an object":      {`placement: {all: {tolerations: {key: a}}}`, `spec.placement.all.tolerations: Invalid value: "object"`},
		"setting as a number":           {`storage: {config: {osdsPerDevice: 1}}`, `spec.storage.config.osdsPerDevice: Invalid value: "integer"`},
		"unknown storeType":             {`storage: {config: {storeType: bluestoer}}`, `spec.storage.config: Invalid value: storeType must be bluestore or filestore`},
		"osdsPerDevice five":            {`storage: {config: {osdsPerDevice: five}}`, `osdsPerDevice must be a number of 1 or more, as a string`},
		"osdsPerDevice 0":               {`storage: {config: {osdsPerDevice: "0"}}`, `spec.storage.config: Invalid value: osdsPerDevice must be a number of 1 or more, as a string`},
		"databaseSizeMB -1":             {`storage: {config: {databaseSizeMB: "-1"}}`, `spec.storage.config: Invalid value: databaseSizeMB must be a number of megabytes, as a string`},
		"journalSizeMB 1G":              {`storage: {nodes: [{name: n1, config: {journalSizeMB: 1G}}]}`, `spec.storage.nodes[0].config: Invalid value: `},
		"encryptedDevice yes":           {`storage: {devices: [{name: sdb, config: {encryptedDevice: "yes"}}]}`, `spec.storage.devices[0].config: Invalid value: encryptedDevice must be true or false, as a string`},
		"device filter that is no RE":   {`storage: {deviceFilter: "^sd["}`, `spec.storage.deviceFilter: Invalid value: "string": error parsing regexp: missing closing ]: ` + "`[`" + ` evaluating rule: ` + regexpMessage},
		"path filter that is no RE":     {`storage: {devicePathFilter: "("}`, regexpMessage},
		"node's filter that is no RE":   {`storage: {nodes: [{name: n1, deviceFilter: "*"}]}`, `spec.storage.nodes[0].deviceFilter: Invalid value: "string": error parsing regexp`},
		"node without a name":           {`storage: {nodes: [{deviceFilter: "^sd."}]}`, `spec.storage.nodes[0].name: Required value`},
		"node with an empty name":       {`storage: {nodes: [{name: ""}]}`, `spec.storage.nodes[0].name: Invalid value`},
		"one node twice":                {`storage: {nodes: [{name: n1}, {name: n1}]}`, `spec.storage.nodes[1]: Duplicate value: {"name":"n1"}`},
		"device without a name":         {`storage: {nodes: [{name: n1, devices: [{}]}]}`, `spec.storage.nodes[0].devices[0].name: Required value`},
		"directory without a path":      {`storage: {directories: [{config: null}]}`, `spec.storage.directories[0].path: Required value`},
		"relative directory":            {`storage: {directories: [{path: rook}]}`, `spec.storage.directories[0].path: Invalid value: "rook": must be an absolute path`},
		"directories as a list of text": {`storage: {directories: [/var/lib/rook]}`, `spec.storage.directories[0]: Invalid value: "string"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, errs := v.Admit(cluster(t, test.spec), nil)
			refusedWith(t, errs, test.want)
		})
	}
}

func refusedWith(t *testing.T, errs field.ErrorList, want string) {
	t.Helper()
	err := errs.ToAggregate()
	if err == nil {
		t.Fatalf("accepted, want %s", want)
	}
	if !strings.Contains(err.Error(), want) {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestWithoutSpecIsRefused(t *testing.T) {
	obj := cluster(t, `{}`)
	delete(obj, "spec")
	_, errs := cephClusters(t).Admit(obj, nil)
	refusedWith(t, errs, "spec: Required value")
}

func TestDataDirHostPathStays(t *testing.T) {
	v := cephClusters(t)
	old := cluster(t, `{}`)
	if _, errs := v.Admit(cluster(t, `mon: {count: 5}`), old); len(errs) > 0 {
		t.Error(errs.ToAggregate())
	}
	_, errs := v.Admit(cluster(t, `dataDirHostPath: /data/rook`), old)
	refusedWith(t, errs, `spec.dataDirHostPath: Invalid value: "/data/rook": cannot change`)
}

func TestStatus(t *testing.T) {
	v := cephClusters(t)
	tests := map[string]struct {
		status string
		want   string // part of the message; "" when accepted
	}{
		"the second sample's": {`{state: Created, ceph: {health: HEALTH_OK, lastChanged: "2019-05-23T06:56:14Z", lastChecked: "2019-05-24T02:24:24Z", previousHealth: HEALTH_WARN}}`, ""},
		"in full": {`
state: Error
phase: Failure
message: nothing yet
observedGeneration: 2
conditions: [{type: Ready, status: "False", reason: Waiting, message: for mon b, lastTransitionTime: "2019-05-23T06:56:14Z"}]
version: {image: a, version: 14.2.0}
mon: {count: 3}
ceph: {details: {OSD_DOWN: {severity: HEALTH_WARN, message: 1 osds down}}}
storage: {nodes: [{name: n1, osds: [{id: 0, device: sdb}], unused: [{name: sda, reason: has partitions}], unusedOmitted: 2}], nodesOmitted: 1}
`, ""},
		"unknown state":    {`{state: Done}`, `status.state: Unsupported value: "Done": supported values: "Creating", "Created", "Updating", "Error", "Deleting"`},
		"unknown phase":    {`{phase: Done}`, `status.phase: Unsupported value: "Done"`},
		"condition twice":  {`conditions: [{type: A, status: "True", reason: R, message: "", lastTransitionTime: "2019-05-23T06:56:14Z"}, {type: A, status: "True", reason: R, message: "", lastTransitionTime: "2019-05-23T06:56:14Z"}]`, `status.conditions[1]: Duplicate value: {"type":"A"}`},
		"too long reason":  {`storage: {nodes: [{name: n1, unused: [{name: sda, reason: "` + strings.Repeat("x", 257) + `"}]}]}`, `status.storage.nodes[0].unused[0].reason: Too long`},
		"reasonless":       {`storage: {nodes: [{name: n1, unused: [{name: sda}]}]}`, `status.storage.nodes[0].unused[0].reason: Required value`},
		"one OSD twice":    {`storage: {nodes: [{name: n1, osds: [{id: 0}, {id: 0}]}]}`, `status.storage.nodes[0].osds[1]: Duplicate value: {"id":0}`},
		"generation as is": {`{observedGeneration: "2"}`, `status.observedGeneration: Invalid value: "string"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			old := cluster(t, `crashCollector: {disable: true}`)
			sent := runtime.DeepCopyJSON(old)
			sent["status"] = object(t, test.status)
			sent["spec"] = map[string]any{} // a status update never touches the spec
			stored, errs := v.AdmitStatus(sent, old)
			if test.want != "" {
				refusedWith(t, errs, test.want)
				return
			}
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(object(t, test.status), stored["status"]); diff != "" {
				t.Errorf("status (-sent +stored):\n%s", diff)
			}
			if diff := cmp.Diff(old["spec"], stored["spec"]); diff != "" {
				t.Errorf("spec (-old +stored):\n%s", diff)
			}
		})
	}
}

func TestStatusStaysOverUpdate(t *testing.T) {
	old := cluster(t, `{}`)
	old["status"] = object(t, `{state: Created}`)
	update := cluster(t, `mon: {count: 5}`)
	update["status"] = object(t, `{state: Error}`)
	stored, errs := cephClusters(t).Admit(update, old)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	if state, _, _ := unstructured.NestedString(stored, "status", "state"); state != "Created" {
		t.Errorf("state is %q, want the old one", state)
	}
}

func BenchmarkAdmit(b *testing.B) {
	v := cephClusters(b)
	obj := manifest(b, "corpus/rook-v1.20.6/cluster.yaml")
	for b.Loop() {
		if _, errs := v.Admit(obj, nil); len(errs) > 0 {
			b.Fatal(errs.ToAggregate())
		}
	}
}

func BenchmarkNew(b *testing.B) {
	all, err := crd.All()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := schema.New(definitionOf(all, "cephclusters")); err != nil {
			b.Fatal(err)
		}
	}
}
