package cluster

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
)

func TestWhatMatters(t *testing.T) {
	now := metav1.Now()
	waiting := func(reason string) *corev1.Pod {
		p := &corev1.Pod{}
		p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "mon", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}}
		return p
	}
	labelled := metav1.ObjectMeta{Labels: map[string]string{"app": "x"}}
	unschedulable := &corev1.Pod{Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes"}}}}
	ended := &corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}}}}}}
	named := func(name string) *corev1.Secret { return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}} }
	for name, c := range map[string]struct {
		matters     func(before, after client.Object) bool
		before, now client.Object
		want        bool
	}{
		"a cluster comes":            {clusterMatters, nil, aCluster(), true},
		"a cluster goes":             {clusterMatters, aCluster(), nil, true},
		"a spec changes":             {clusterMatters, aCluster(), aCluster(func(c *v1.CephCluster) { c.Generation++ }), true},
		"a cluster is being deleted": {clusterMatters, aCluster(), aCluster(func(c *v1.CephCluster) { c.DeletionTimestamp = &now }), true},
		"our own write":              {clusterMatters, aCluster(), aCluster(func(c *v1.CephCluster) { c.Status.State = "x"; c.Finalizers = []string{"x"} }), false},
		"insecure clients may be forbidden": {clusterMatters, aCluster(), aCluster(func(c *v1.CephCluster) {
			c.Status.Ceph = &v1.CephStatus{Details: map[string]v1.HealthCheck{"AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED": {}}}
		}), true},
		"another change of health": {clusterMatters, aCluster(), aCluster(func(c *v1.CephCluster) {
			c.Status.Ceph = &v1.CephStatus{Details: map[string]v1.HealthCheck{"OSD_DOWN": {}}}
		}), false},
		"a deployment comes":           {deploymentMatters, nil, &appsv1.Deployment{}, false},
		"a deployment goes":            {deploymentMatters, &appsv1.Deployment{}, nil, true},
		"its pod is ready":             {deploymentMatters, &appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{ReadyReplicas: 1}}, true},
		"it was edited":                {deploymentMatters, &appsv1.Deployment{}, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 2}}, true},
		"a deployment's condition":     {deploymentMatters, &appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{Conditions: []appsv1.DeploymentCondition{{}}}}, false},
		"a job is done":                {jobMatters, &batchv1.Job{}, &batchv1.Job{Status: batchv1.JobStatus{Succeeded: 1}}, true},
		"a job failed":                 {jobMatters, &batchv1.Job{}, &batchv1.Job{Status: batchv1.JobStatus{Conditions: []batchv1.JobCondition{{}}}}, true},
		"a job is running":             {jobMatters, &batchv1.Job{}, &batchv1.Job{Status: batchv1.JobStatus{Active: 1}}, false},
		"a job is gone":                {jobMatters, &batchv1.Job{}, nil, true},
		"settings change":              {configMapMatters, &corev1.ConfigMap{}, &corev1.ConfigMap{Data: map[string]string{"config": "x"}}, true},
		"settings stay":                {configMapMatters, &corev1.ConfigMap{}, &corev1.ConfigMap{}, false},
		"the identity is restored":     {secretMatters, nil, named("rook-ceph-mon"), true},
		"another secret comes":         {secretMatters, nil, named("rook-ceph-config"), false},
		"a secret is gone":             {secretMatters, named("x"), nil, true},
		"a service moves":              {serviceMatters, &corev1.Service{}, &corev1.Service{Spec: corev1.ServiceSpec{ClusterIP: "10.0.0.1"}}, true},
		"a pod crashes":                {podMatters, waiting("ContainerCreating"), waiting("CrashLoopBackOff"), true},
		"a pod starts":                 {podMatters, waiting("PodInitializing"), &corev1.Pod{}, false},
		"a pod comes":                  {podMatters, nil, waiting("CrashLoopBackOff"), false},
		"the list of mons is restored": {configMapMatters, nil, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph-mon-endpoints"}}, true},
		"another ConfigMap comes":      {configMapMatters, nil, &corev1.ConfigMap{}, false},
		"a ConfigMap is gone":          {configMapMatters, &corev1.ConfigMap{}, nil, true},
		"a ConfigMap loses its label":  {configMapMatters, &corev1.ConfigMap{ObjectMeta: labelled}, &corev1.ConfigMap{}, true},
		"a secret changes":             {secretMatters, &corev1.Secret{}, &corev1.Secret{Data: map[string][]byte{"k": []byte("x")}}, true},
		"a secret is given away":       {secretMatters, &corev1.Secret{}, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Name: "x"}}}}, true},
		"a deployment loses its label": {deploymentMatters, &appsv1.Deployment{ObjectMeta: labelled}, &appsv1.Deployment{}, true},
		"a deployment is rolled out":   {deploymentMatters, &appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{UpdatedReplicas: 1}}, true},
		"its edit is seen to":          {deploymentMatters, &appsv1.Deployment{}, &appsv1.Deployment{Status: appsv1.DeploymentStatus{ObservedGeneration: 2}}, true},
		"a service is gone":            {serviceMatters, &corev1.Service{}, nil, true},
		"a service comes":              {serviceMatters, nil, &corev1.Service{}, false},
		"a service's status":           {serviceMatters, &corev1.Service{}, &corev1.Service{Status: corev1.ServiceStatus{Conditions: []metav1.Condition{{}}}}, false},
		"a pod cannot be scheduled":    {podMatters, &corev1.Pod{}, unschedulable, true},
		"a pod's container ended":      {podMatters, &corev1.Pod{}, ended, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.matters(c.before, c.now); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestWhomAnEventConcerns(t *testing.T) {
	held := aCluster(func(c *v1.CephCluster) {
		c.Namespace, c.Name = "other-ns", "held"
		c.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionFalse, Reason: v1.ReasonHostPathInUse}}
	})
	w := doortest.New(t, aCluster(), held)
	controllers := New(w.Doors(), Options{})
	if len(controllers) != 1 || controllers[0].Name != Name || controllers[0].Reconciler == nil {
		t.Fatalf("%+v", controllers)
	}
	owned := metav1.ObjectMeta{Namespace: "rook-ceph", Name: "x", OwnerReferences: []metav1.OwnerReference{{Kind: "CephCluster", Name: "my-ceph"}}}
	free := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "rook-ceph", Name: name} }
	ofAReplicaSet := metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-x", OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "x"}}}
	for name, c := range map[string]struct {
		object client.Object
		want   string
	}{
		"a cluster, and one that waits for others": {aCluster(), "rook-ceph/my-ceph other-ns/held"},
		"a mon of a cluster":                       {&appsv1.Deployment{ObjectMeta: owned}, "rook-ceph/my-ceph other-ns/held"},
		"a job of a cluster":                       {&batchv1.Job{ObjectMeta: owned}, "rook-ceph/my-ceph"},
		"a person's settings":                      {&corev1.ConfigMap{ObjectMeta: free("rook-config-override")}, "rook-ceph/my-ceph"},
		"a restored secret":                        {&corev1.Secret{ObjectMeta: free("rook-ceph-mon")}, "rook-ceph/my-ceph"},
		"someone else's ConfigMap":                 {&corev1.ConfigMap{ObjectMeta: free("settings")}, ""},
		"a ConfigMap of another owner":             {&corev1.ConfigMap{ObjectMeta: ofAReplicaSet}, ""},
		"a pod in the namespace":                   {&corev1.Pod{ObjectMeta: ofAReplicaSet}, "rook-ceph/my-ceph"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, r := range watchOf(t, controllers[0], c.object).Requests(t.Context(), c.object) {
				got = append(got, r.String())
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func watchOf(t *testing.T, c controller.Controller, object client.Object) controller.Watch {
	t.Helper()
	for _, watch := range c.Watches {
		if reflect.TypeOf(watch.Object) == reflect.TypeOf(object) {
			return watch
		}
	}
	t.Fatalf("no watch of %T", object)
	return controller.Watch{}
}
