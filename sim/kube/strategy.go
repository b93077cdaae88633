package kube

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// strategy is what the server does for one kind and not for others.
type strategy struct {
	// validName says what is wrong with a name (or, for prefix, the beginning
	// of one).
	validName validation.ValidateNameFunc
	// prepare fills in defaults and what the server decides. old is nil for a
	// create.
	prepare func(obj, old client.Object) error
	// validate says what is wrong with the rest of the object.
	validate func(obj, old client.Object) field.ErrorList
	// asksForMore: the object asks for something else than old, so its
	// generation moves.
	asksForMore func(obj, old client.Object) bool
	// statusOnCreate: a client may bring a status along.
	statusOnCreate bool
	// statusCarriesMetadata: labels and annotations may be written with the
	// status.
	statusCarriesMetadata bool
	// orphansByDefault: a delete that names no propagation policy leaves the
	// dependents, as it did before there were policies.
	orphansByDefault bool
	// grace is how many seconds a deleted object stays for somebody to end what
	// it stands for, of the seconds asked for (nil: not said).
	grace func(obj client.Object, asked *int64) int64
	// mayVanish: nothing but finalizers keeps an object that is being deleted.
	mayVanish func(obj client.Object) bool
	// committed and removed tell of what has been stored and deleted.
	committed func(obj, old client.Object)
	removed   func(obj client.Object)
}

// strategyOf is the strategy of a kind. What a kind does not say is as for most.
func (a *API) strategyOf(k *kind) strategy {
	s := strategy{
		validName:   validation.NameIsDNSSubdomain,
		prepare:     func(client.Object, client.Object) error { return nil },
		validate:    func(client.Object, client.Object) field.ErrorList { return nil },
		asksForMore: specChanged,
		grace:       func(client.Object, *int64) int64 { return 0 },
		mayVanish:   func(client.Object) bool { return true },
		committed:   func(client.Object, client.Object) {},
		removed:     func(client.Object) {},
	}
	if k.custom != nil {
		return s
	}
	switch k.newObject().(type) {
	case *corev1.Namespace:
		a.namespaceStrategy(&s)
	case *corev1.Pod:
		a.podStrategy(&s)
	case *corev1.Service:
		a.serviceStrategy(&s)
	case *corev1.Node:
		s.statusOnCreate, s.statusCarriesMetadata = true, true
	case *corev1.Event:
		eventStrategy(&s)
	case *corev1.ConfigMap:
		configMapStrategy(&s)
	case *corev1.Secret:
		secretStrategy(&s)
	case *corev1.PersistentVolumeClaim:
		claimStrategy(&s)
	case *corev1.PersistentVolume:
		a.volumeStrategy(&s)
	case *corev1.ReplicationController:
		s.orphansByDefault = true
	case *apiextensionsv1.CustomResourceDefinition:
		a.definitionStrategy(&s)
	case *storagev1.StorageClass:
		storageClassStrategy(&s)
	case *appsv1.Deployment:
		deploymentStrategy(&s)
	case *appsv1.ReplicaSet:
		replicaSetStrategy(&s)
	case *appsv1.DaemonSet:
		daemonSetStrategy(&s)
	case *appsv1.StatefulSet:
		statefulSetStrategy(&s)
	case *batchv1.Job:
		jobStrategy(&s)
	case *batchv1.CronJob:
		cronJobStrategy(&s)
	case *rbacv1.Role, *rbacv1.ClusterRole:
		rbacStrategy(&s)
	case *rbacv1.RoleBinding, *rbacv1.ClusterRoleBinding:
		roleBindingStrategy(&s)
	}
	return s
}
