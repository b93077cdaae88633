package kube

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func batchSelectorFields(obj client.Object) fields.Set {
	if job, ok := obj.(*batchv1.Job); ok {
		_ = job
	}
	return nil
}
