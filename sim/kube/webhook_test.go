package kube

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestOnCreateChangesWhatIsStored(t *testing.T) {
	a, err := New(loop.New(1), clientscheme.Scheme, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel := a.OnCreate(&corev1.ConfigMap{}, func(o client.Object) { o.(*corev1.ConfigMap).Data = map[string]string{"by": "webhook"} })
	c := a.Client("person")
	create := func(o client.Object) {
		t.Helper()
		if err := c.Create(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	}
	changed := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	create(changed)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}
	create(secret)
	cancel()
	later := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "b"}}
	create(later)
	if changed.Data["by"] != "webhook" {
		t.Errorf("the creator sees %v", changed.Data)
	}
	stored, _ := a.View(&corev1.ConfigMap{}, client.ObjectKeyFromObject(changed))
	if stored.(*corev1.ConfigMap).Data["by"] != "webhook" {
		t.Errorf("stored is %v", stored)
	}
	if len(secret.Data) > 0 || len(later.Data) > 0 {
		t.Errorf("changed were also %v and %v", secret, later)
	}
}
