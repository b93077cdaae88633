package kubelet

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// postReady writes the node's conditions as a kubelet does that has come up.
func (k *Kubelet) postReady() {
	if k.group.Dead() {
		return
	}
	o, ok := k.API.View(&corev1.Node{}, client.ObjectKey{Name: k.Node})
	if !ok {
		return
	}
	node := o.(*corev1.Node).DeepCopy()
	node.Status.NodeInfo.BootID = k.newID()[:32]
	node.Status.Conditions = nodeConditions(node.Status.Conditions, metav1.NewTime(k.Loop.Now()))
	if err := k.client.Status().Update(context.Background(), node); client.IgnoreNotFound(err) != nil {
		k.Loop.Trace("kubelet "+k.Node, "write status of node: %v", err)
		k.group.After(deleteRetry, "post node status again", k.postReady)
	}
}

// nodeConditions are those of a node that is well; was are the former ones.
func nodeConditions(was []corev1.NodeCondition, now metav1.Time) []corev1.NodeCondition {
	conditions := []corev1.NodeCondition{
		{Type: corev1.NodeMemoryPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientMemory", Message: "kubelet has sufficient memory available"},
		{Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasNoDiskPressure", Message: "kubelet has no disk pressure"},
		{Type: corev1.NodePIDPressure, Status: corev1.ConditionFalse, Reason: "KubeletHasSufficientPID", Message: "kubelet has sufficient PID available"},
		{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady", Message: "kubelet is posting ready status"},
	}
	for i := range conditions {
		c := &conditions[i]
		c.LastHeartbeatTime, c.LastTransitionTime = now, now
		same := slices.IndexFunc(was, func(w corev1.NodeCondition) bool { return w.Type == c.Type && w.Status == c.Status })
		if same >= 0 {
			c.LastTransitionTime = was[same].LastTransitionTime
		}
	}
	return conditions
}
