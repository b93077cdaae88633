package version

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Reconcile finds the version of spec.cephVersion.image and fills p.Version. A
// version that may not run is a [*pass.Refused] (S47).
func Reconcile(ctx context.Context, p *pass.Pass) error {
	version, err := detect(ctx, p)
	if err != nil {
		unknown(p, err)
		return err
	}
	p.Version = version
	if !version.Supported() && !p.Cluster.Spec.CephVersion.AllowUnsupported {
		message := fmt.Sprintf("unsupported ceph version detected: %s. allowUnsupported must be set to true to run with this version.", version)
		set(p, metav1.ConditionFalse, v1.ReasonUnsupportedVersion, message)
		return &pass.Refused{Reason: v1.ReasonUnsupportedVersion, Message: message}
	}
	message := version.String()
	if !version.Supported() {
		message += ", which is not supported and runs because allowUnsupported is true"
	}
	set(p, metav1.ConditionTrue, v1.ReasonAsExpected, message)
	return nil
}

// unknown says in the condition that the version is not known (yet).
func unknown(p *pass.Pass, err error) {
	reason := v1.ReasonFailed
	if w, ok := pass.IsWaiting(err); ok {
		reason = w.Reason
	}
	set(p, metav1.ConditionUnknown, reason, err.Error())
}

func set(p *pass.Pass, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&p.Cluster.Status.Conditions, metav1.Condition{
		Type: v1.ConditionVersionSupported, Status: status, Reason: reason, Message: message,
		ObservedGeneration: p.Cluster.Generation, LastTransitionTime: metav1.NewTime(p.Clock.Now()),
	})
}

// detect returns the version, and a [*pass.Waiting] while it is not known.
func detect(ctx context.Context, p *pass.Pass) (ceph.Version, error) {
	image := p.Cluster.Spec.CephVersion.Image
	existing, err := current(ctx, p)
	if err != nil {
		return ceph.Version{}, err
	}
	next := plan(image, p.Cluster.Status.Version, existing, p.Clock.Now())
	switch next.do {
	case useAnswer:
		// A Job that is still there outlived a crash between answer and removal.
		return next.version, remove(ctx, p, existing)
	case start:
		// One that is there already is ours: the read was of the moment before.
		if err := p.Client.Create(ctx, job(p.Cluster)); err != nil && !apierrors.IsAlreadyExists(err) {
			return ceph.Version{}, fmt.Errorf("failed to start version job. %w", err)
		}
		return ceph.Version{}, pass.WaitFor(v1.ReasonWaiting, 0, "%s", running(image))
	case replace:
		if err := remove(ctx, p, existing); err != nil {
			return ceph.Version{}, fmt.Errorf("failed to start version job. %w", err)
		}
		return ceph.Version{}, pass.WaitFor(v1.ReasonWaiting, 0, "%s", formerJob)
	case report:
		return ceph.Version{}, fmt.Errorf("failed to complete version job. %s", withTrouble(ctx, p, next.why))
	case wait:
		trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, map[string]string{podLabel: JobName})
		switch {
		case err != nil:
			return ceph.Version{}, err
		case trouble != "":
			return ceph.Version{}, pass.WaitFor(v1.ReasonFailed, 0, "%s; %s", next.why, trouble)
		}
		return ceph.Version{}, pass.WaitFor(v1.ReasonWaiting, 0, "%s", next.why)
	}
	return answer(ctx, p, existing)
}

// current is the Job in the cluster's namespace, nil if there is none.
func current(ctx context.Context, p *pass.Pass) (*batchv1.Job, error) {
	var existing batchv1.Job
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: JobName}, &existing)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get version job. %w", err)
	}
	return &existing, nil
}

// answer reads the version from the log of a Job that succeeded, keeps it, and
// then lets the Job go.
func answer(ctx context.Context, p *pass.Pass, done *batchv1.Job) (ceph.Version, error) {
	pod, err := podOf(ctx, p, done)
	switch {
	case err != nil:
		return ceph.Version{}, err
	case pod != nil && pod.Status.Phase != corev1.PodSucceeded:
		return ceph.Version{}, pass.WaitFor(v1.ReasonWaiting, 0, "pod %s to be seen as done", pod.Name)
	case pod == nil:
		if err := remove(ctx, p, done); err != nil {
			return ceph.Version{}, err
		}
		return ceph.Version{}, pass.WaitFor(v1.ReasonWaiting, 0, "another version job, since the pod of the first is gone")
	}
	text, err := p.Pods.PodLog(ctx, pod.Namespace, pod.Name, container)
	if err != nil {
		return ceph.Version{}, fmt.Errorf("failed to complete version job. the log of pod %s cannot be read: %w", pod.Name, err)
	}
	version, err := ceph.ParseVersion(text)
	if err != nil {
		return ceph.Version{}, fmt.Errorf("unknown ceph major version. image %s: %w", p.Cluster.Spec.CephVersion.Image, err)
	}
	p.Cluster.Status.Version = &v1.VersionStatus{Image: p.Cluster.Spec.CephVersion.Image, Version: version.Number()}
	if err := p.SaveStatus(ctx); err != nil {
		return ceph.Version{}, err
	}
	p.Log.Infof("detected ceph image version: %s", version)
	return version, remove(ctx, p, done)
}

// podOf is the pod of the Job, the one that succeeded if there is one; nil if
// all are gone.
func podOf(ctx context.Context, p *pass.Pass, done *batchv1.Job) (*corev1.Pod, error) {
	var pods corev1.PodList
	if err := p.Client.List(ctx, &pods, client.InNamespace(done.Namespace), client.MatchingLabels{podLabel: JobName}); err != nil {
		return nil, fmt.Errorf("failed to list the pods of the version job. %w", err)
	}
	var found *corev1.Pod
	for i := range pods.Items {
		if !metav1.IsControlledBy(&pods.Items[i], done) {
			continue
		}
		if found == nil || pods.Items[i].Status.Phase == corev1.PodSucceeded {
			found = &pods.Items[i]
		}
	}
	return found, nil
}

// remove deletes the Job with its pods, without waiting for that; nil is fine.
func remove(ctx context.Context, p *pass.Pass, old *batchv1.Job) error {
	if old == nil || old.DeletionTimestamp != nil {
		return nil
	}
	err := p.Client.Delete(ctx, old,
		client.PropagationPolicy(metav1.DeletePropagationForeground),
		client.Preconditions{UID: &old.UID})
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("failed to delete version job. %w", err)
	}
	return nil
}

// withTrouble adds to a text what can be seen of the Job's pods.
func withTrouble(ctx context.Context, p *pass.Pass, text string) string {
	trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, map[string]string{podLabel: JobName})
	if err != nil || trouble == "" {
		return text
	}
	return text + "; " + trouble
}
