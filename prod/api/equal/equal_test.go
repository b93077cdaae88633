package equal_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestWhatMeansTheSame(t *testing.T) {
	noon := time.Date(2019, time.May, 23, 12, 0, 0, 0, time.UTC)
	one, two := int32(1), int32(2)
	for name, c := range map[string]struct {
		a, b any
		want bool
	}{
		"nothing":                      {nil, nil, true},
		"nothing and something":        {nil, &corev1.Pod{}, false},
		"types":                        {&corev1.Pod{}, &corev1.Secret{}, false},
		"an empty map is none":         {&corev1.ConfigMap{Data: map[string]string{}}, &corev1.ConfigMap{}, true},
		"an empty list is none":        {&corev1.PodSpec{Containers: []corev1.Container{}}, &corev1.PodSpec{}, true},
		"an empty struct is one":       {&corev1.PodSpec{Affinity: &corev1.Affinity{}}, &corev1.PodSpec{}, false},
		"a quantity is its value":      {quantity("1Gi"), quantity("1024Mi"), true},
		"quantities":                   {quantity("1Gi"), quantity("1025Mi"), false},
		"a time is its instant":        {&metav1.Time{Time: noon}, &metav1.Time{Time: noon.In(time.FixedZone("x", 3600))}, true},
		"times":                        {&metav1.Time{Time: noon}, &metav1.Time{Time: noon.Add(1)}, false},
		"a micro time is its instant":  {&metav1.MicroTime{Time: noon}, &metav1.MicroTime{Time: noon.Local()}, true},
		"values behind pointers":       {&appsv1.DeploymentSpec{Replicas: &one}, &appsv1.DeploymentSpec{Replicas: &two}, false},
		"the order of a list":          {[]string{"a", "b"}, []string{"b", "a"}, false},
		"keys of a map":                {map[string]string{"a": ""}, map[string]string{"b": ""}, false},
		"bytes":                        {map[string][]byte{"a": []byte("1")}, map[string][]byte{"a": []byte("2")}, false},
		"JSON":                         {tree("x"), tree("x"), true},
		"JSON that differs deep":       {tree("x"), tree("y"), false},
		"JSON with an empty object":    {map[string]any{"a": map[string]any{}}, map[string]any{"a": map[string]any(nil)}, true},
		"JSON with one number as text": {map[string]any{"a": int64(1)}, map[string]any{"a": "1"}, false},
		"JSON with a null":             {map[string]any{"a": nil}, map[string]any{}, false},
		"structs themselves":           {corev1.Container{Name: "a"}, corev1.Container{Name: "a"}, true},
	} {
		if got := equal.Semantic(c.a, c.b); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		if got := equality.Semantic.DeepEqual(c.a, c.b); got != c.want {
			t.Errorf("%s: apimachinery says %v", name, got)
		}
	}
}

func quantity(s string) *resource.Quantity {
	q := resource.MustParse(s)
	return &q
}

func tree(leaf string) map[string]any {
	return map[string]any{"list": []any{map[string]any{"a": leaf, "n": int64(1), "f": 1.5, "b": true, "none": nil}}}
}

// TestAgreesWithApimachinery compares objects of which nothing, or one value
// somewhere, differs.
func TestAgreesWithApimachinery(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	differ := 0
	for range 600 {
		a := []any{&corev1.Pod{}, &appsv1.Deployment{}, &batchv1.Job{}, &corev1.Node{}, &corev1.Secret{}, &v1.CephCluster{}}[draw.IntN(6)]
		seed := draw.Uint64()
		b := reflect.New(reflect.TypeOf(a).Elem()).Interface()
		f := filler{rand.New(rand.NewPCG(seed, 0)), -1}
		f.fill(reflect.ValueOf(a).Elem(), 0)
		other := filler{rand.New(rand.NewPCG(seed, 0)), draw.IntN(400)}
		other.fill(reflect.ValueOf(b).Elem(), 0)
		want := equality.Semantic.DeepEqual(a, b)
		if got := equal.Semantic(a, b); got != want {
			t.Fatalf("%T: %v, want %v:\n%+v\n%+v", a, got, want, a, b)
		}
		if !want {
			differ++
		}
	}
	if differ < 60 || differ > 580 {
		t.Errorf("%d of 600 pairs differ: the test shows nothing", differ)
	}
}

// filler fills a value with what its draw gives, but for the leaf number odd.
type filler struct {
	*rand.Rand
	odd int
}

func (f *filler) fill(v reflect.Value, depth int) {
	switch p := v.Addr().Interface().(type) {
	case *metav1.Time:
		p.Time = time.Unix(f.leaf(), 0)
		return
	case *metav1.MicroTime:
		p.Time = time.Unix(f.leaf(), 0)
		return
	case *resource.Quantity:
		*p = *resource.NewQuantity(f.leaf(), resource.DecimalSI)
		return
	case *metav1.FieldsV1:
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(string(rune('a' + f.leaf())))
	case reflect.Bool:
		v.SetBool(f.leaf()%2 == 0)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(f.leaf())
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		v.SetUint(uint64(f.leaf()))
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), depth+1)
		}
	case reflect.Pointer:
		if depth < 9 && f.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth+1)
		}
	case reflect.Slice:
		if n := f.IntN(3); depth < 9 && n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i), depth+1)
			}
		}
	case reflect.Map:
		if depth < 9 && f.IntN(3) > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, depth+1)
			f.fill(value, depth+1)
			v.SetMapIndex(key, value)
		}
	}
}

func (f *filler) leaf() int64 {
	n := f.Int64N(20)
	if f.odd--; f.odd == 0 {
		return n + 1
	}
	return n
}

func BenchmarkSemantic(b *testing.B) {
	pod, copied := &corev1.Pod{}, &corev1.Pod{}
	for _, p := range []*corev1.Pod{pod, copied} {
		f := filler{rand.New(rand.NewPCG(1, 0)), -1}
		f.fill(reflect.ValueOf(p).Elem(), 0)
	}
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			equal.Semantic(pod, copied)
		}
	})
	b.Run("apimachinery", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			equality.Semantic.DeepEqual(pod, copied)
		}
	})
}
