package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestTaintsOf(t *testing.T) {
	user := corev1.Taint{Key: "user", Effect: corev1.TaintEffectNoExecute}
	old := corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}
	for _, c := range []struct {
		ready  corev1.ConditionStatus
		cordon bool
		have   []corev1.Taint
		want   string
	}{
		{corev1.ConditionTrue, false, nil, ""},
		{corev1.ConditionTrue, false, []corev1.Taint{user, old}, "user:NoExecute"},
		{corev1.ConditionTrue, true, []corev1.Taint{user}, "user:NoExecute unschedulable:NoSchedule"},
		{corev1.ConditionFalse, false, []corev1.Taint{old}, "not-ready:NoSchedule not-ready:NoExecute"},
		{corev1.ConditionUnknown, false, []corev1.Taint{old}, "unreachable:NoSchedule unreachable:NoExecute"},
	} {
		n := &corev1.Node{}
		n.Spec.Unschedulable, n.Spec.Taints = c.cordon, c.have
		n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: c.ready}}
		var got []string
		for _, taint := range taintsOf(n, metav1.NewTime(loop.Epoch)) {
			got = append(got, strings.TrimPrefix(taint.Key, "node.kubernetes.io/")+":"+string(taint.Effect))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s %v %v: %s", c.ready, c.cordon, c.have, text)
		}
	}
}

func TestEvictionTime(t *testing.T) {
	tolerates := func(key string, seconds ...int64) corev1.Toleration {
		tol := corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
		if len(seconds) > 0 {
			tol.TolerationSeconds = &seconds[0]
		}
		return tol
	}
	for _, c := range []struct {
		tolerations []corev1.Toleration
		taints      []string
		want        string
	}{
		{nil, []string{"k"}, "0s"},
		{nil, []string{corev1.TaintNodeUnreachable}, "5m0s"},
		{nil, []string{corev1.TaintNodeUnreachable, "k"}, "0s"},
		{[]corev1.Toleration{tolerates("k")}, []string{"k"}, "stays"},
		{[]corev1.Toleration{tolerates("k", 60)}, []string{"k"}, "1m0s"},
		{[]corev1.Toleration{tolerates("k", 60), tolerates("k", 10)}, []string{"k"}, "10s"},
		{[]corev1.Toleration{tolerates("k", -5)}, []string{"k"}, "0s"},
		{[]corev1.Toleration{tolerates("", 60)}, []string{"k", corev1.TaintNodeUnreachable}, "1m0s"},
		{[]corev1.Toleration{tolerates(corev1.TaintNodeUnreachable)}, []string{corev1.TaintNodeUnreachable}, "stays"},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{Tolerations: c.tolerations}}
		var taints []corev1.Taint
		for _, key := range c.taints {
			taints = append(taints, corev1.Taint{Key: key, Effect: corev1.TaintEffectNoExecute})
		}
		at, ends := evictionTime(pod, taints, func(corev1.Taint) time.Time { return loop.Epoch })
		got := "stays"
		if ends {
			got = fmt.Sprint(at.Sub(loop.Epoch))
		}
		if got != c.want {
			t.Errorf("%v on %v: %s, not %s", c.tolerations, c.taints, got, c.want)
		}
	}
}

func TestTargetPort(t *testing.T) {
	pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}}}}}
	for _, c := range []struct {
		target intstr.IntOrString
		want   int
	}{{intstr.FromInt32(0), 80}, {intstr.FromInt32(81), 81}, {intstr.FromString("http"), 8080}, {intstr.FromString("none"), 0}} {
		got, err := targetPort(corev1.ServicePort{Port: 80, TargetPort: c.target}, pod)
		if got != c.want || (err != nil) != (c.want == 0) {
			t.Errorf("%v: %d, %v", c.target, got, err)
		}
	}
}
