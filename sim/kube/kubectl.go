package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// stdin is where kubectl says that a manifest comes from which it reads from a
// pipe.
const stdin = "STDIN"

// What kubectl apply did with an object, in its words.
const (
	Created    = "created"
	Configured = "configured"
	Unchanged  = "unchanged"
)

// Applied is one object of a manifest after kubectl apply.
type Applied struct {
	// Object is what is stored now, with apiVersion and kind.
	Object client.Object
	// Result is Created, Configured or Unchanged.
	Result string
}

// String is the line that kubectl prints: "deployment.apps/rook-ceph-mon-a created".
func (a Applied) String() string {
	gvk := a.Object.GetObjectKind().GroupVersionKind()
	kind := strings.ToLower(gvk.Kind)
	if gvk.Group != "" {
		kind += "." + gvk.Group
	}
	return kind + "/" + a.Object.GetName() + " " + a.Result
}

// Apply is kubectl apply -f - of a manifest of one or more YAML documents, in the
// namespace "default" where a document does not say: objects that are not there
// are created, others changed by a three-way merge with what was applied last
// (the annotation kubectl.kubernetes.io/last-applied-configuration); fields that
// the schema does not know are refused. It returns the objects that were applied,
// also when others were refused. The error reads as what kubectl prints, and
// wraps those of the server.
func (a *API) Apply(ctx context.Context, user string, manifest []byte) ([]client.Object, error) {
	applied, err := a.ApplyManifest(ctx, user, manifest)
	var objects []client.Object
	for _, one := range applied {
		objects = append(objects, one.Object)
	}
	return objects, err
}

// ApplyManifest is [API.Apply] that tells what happened to each object.
func (a *API) ApplyManifest(ctx context.Context, user string, manifest []byte) ([]Applied, error) {
	objects, errs := a.parseManifest(manifest)
	var applied []Applied
	for _, o := range objects {
		one, err := a.applyOne(ctx, user, o)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		applied = append(applied, one)
	}
	if len(objects) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("no objects passed to apply"))
	}
	if len(errs) > 0 {
		return applied, &KubectlError{errs}
	}
	return applied, nil
}

// manifested is an object of a manifest.
type manifested struct {
	kind   *kind
	object *unstructured.Unstructured
}

// parseManifest reads documents up to the first that is not YAML. Documents of
// kinds that are not served are errors, and the next is read.
func (a *API) parseManifest(manifest []byte) (objects []manifested, errs []error) {
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifest), 4096)
	for {
		var document runtime.RawExtension
		if err := decoder.Decode(&document); err != nil {
			if !errors.Is(err, io.EOF) {
				errs = append(errs, fmt.Errorf("error parsing %s: %w", stdin, err))
			}
			return objects, errs
		}
		raw := bytes.TrimSpace(document.Raw)
		if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
			continue
		}
		found, err := a.parseDocument(raw)
		objects = append(objects, found...)
		errs = append(errs, err...)
	}
}

// parseDocument reads one document, which is an object or a List of some.
func (a *API) parseDocument(raw []byte) (objects []manifested, errs []error) {
	if err := saysWhatItIs(raw); err != nil {
		return nil, []error{fmt.Errorf("error validating %q: error validating data: %w; if you choose to ignore these errors, turn validation off with --validate=false", stdin, err)}
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(raw); err != nil {
		return nil, []error{fmt.Errorf("unable to decode %q: %w", stdin, err)}
	}
	if u.IsList() {
		err := u.EachListItem(func(item runtime.Object) error {
			data, err := item.(*unstructured.Unstructured).MarshalJSON()
			if err != nil {
				return err
			}
			found, more := a.parseDocument(data)
			objects, errs = append(objects, found...), append(errs, more...)
			return nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("unable to decode %q: %w", stdin, err))
		}
		return objects, errs
	}
	k, err := a.kindFor(u.GroupVersionKind())
	if err != nil {
		return nil, []error{fmt.Errorf("resource mapping not found for name: %q namespace: %q from %q: %w\nensure CRDs are installed first", u.GetName(), u.GetNamespace(), stdin, err)}
	}
	if k.namespaced && u.GetNamespace() == "" {
		u.SetNamespace(corev1.NamespaceDefault)
	}
	return []manifested{{k, u}}, nil
}

// saysWhatItIs checks that a document has an apiVersion and a kind.
func saysWhatItIs(raw []byte) error {
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return errors.New("invalid object to validate")
	}
	var errs []string
	for _, name := range []string{"apiVersion", "kind"} {
		switch value := fields[name].(type) {
		case nil:
			errs = append(errs, name+" not set")
		case string:
			if value == "" {
				errs = append(errs, name+" not set")
			}
		default:
			errs = append(errs, name+" isn't string type")
		}
	}
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errors.New(errs[0])
	}
	return errors.New("[" + strings.Join(errs, ", ") + "]")
}

// applyOne creates or patches one object.
func (a *API) applyOne(ctx context.Context, user string, o manifested) (Applied, error) {
	u, k := o.object, o.kind
	if u.GetName() == "" && u.GetGenerateName() != "" {
		return Applied{}, fmt.Errorf("from %s: cannot use generate name with apply", u.GetGenerateName())
	}
	config, err := modifiedConfiguration(u)
	if err != nil {
		return Applied{}, sourced(fmt.Sprintf("retrieving modified configuration from:\n%s\nfor:", o.info()), err)
	}
	c := a.Client(user)
	current := &unstructured.Unstructured{Object: map[string]any{}}
	current.SetGroupVersionKind(k.gvk)
	err = c.Get(ctx, client.ObjectKeyFromObject(u), current)
	switch {
	case apierrors.IsNotFound(err):
		annotate(u, config)
		if err := c.Create(ctx, u, client.FieldValidation(metav1.FieldValidationStrict), client.FieldOwner("kubectl-client-side-apply")); err != nil {
			return Applied{}, sourced("creating", err)
		}
		return a.applied(o, Created)
	case err != nil:
		return Applied{}, sourced(fmt.Sprintf("retrieving current configuration of:\n%s\nfrom server for:", o.info()), err)
	}
	return a.applyChange(ctx, c, o, current, config)
}

// applyChange patches an object that is there, again if it changed meanwhile.
func (a *API) applyChange(ctx context.Context, c client.Client, o manifested, current *unstructured.Unstructured, config []byte) (Applied, error) {
	const attempts = 5
	for attempt := 1; ; attempt++ {
		patch, err := o.kind.applyPatch(current, config)
		if err != nil {
			return Applied{}, sourced(fmt.Sprintf("applying patch:\n%s\nto:\n%s\nfor:", "", o.info()), sourced("creating patch with", err))
		}
		if bytes.Equal(patch, []byte("{}")) {
			return a.applied(o, Unchanged)
		}
		err = c.Patch(ctx, o.object, client.RawPatch(o.kind.applyPatchType(), patch), client.FieldOwner("kubectl-client-side-apply"), client.FieldValidation(metav1.FieldValidationStrict))
		if err == nil {
			return a.applied(o, Configured)
		}
		if !apierrors.IsConflict(err) || attempt == attempts {
			return Applied{}, sourced(fmt.Sprintf("applying patch:\n%s\nto:\n%s\nfor:", patch, o.info()), sourced("patching", err))
		}
		if err := c.Get(ctx, client.ObjectKeyFromObject(current), current); err != nil {
			return Applied{}, sourced("patching", err)
		}
	}
}

// applied reads back what is stored, as the Go type if there is one.
func (a *API) applied(o manifested, result string) (Applied, error) {
	r := o.kind.table.byKey[client.ObjectKeyFromObject(o.object)]
	if r == nil { // gone again: what was sent is what there was
		return Applied{o.object, result}, nil
	}
	out := o.kind.newObject()
	if err := o.kind.give(r.obj, r.raw, out); err != nil {
		return Applied{}, err
	}
	out.GetObjectKind().SetGroupVersionKind(o.kind.gvk)
	return Applied{out, result}, nil
}

// info describes an object as kubectl does in its errors.
func (o manifested) info() string {
	return fmt.Sprintf("Resource: %q, GroupVersionKind: %q\nName: %q, Namespace: %q", o.kind.gvr.String(), o.kind.gvk.String(), o.object.GetName(), o.object.GetNamespace())
}
