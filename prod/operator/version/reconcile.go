package version

import (
	"context"
	"errors"
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
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Reconcile puts spec.cephVersion.image into effect and fills p.Version: the
// image is asked for its version, and judged. While that lasts, and where the
// image may not run, the cluster lives on with the image that is in effect
// ([pass.Pass.Hold]); without one the pass ends (S47).
func Reconcile(ctx context.Context, p *pass.Pass) error {
	before, err := inEffect(ctx, p)
	if err != nil {
		return err
	}
	err = move(ctx, p, before)
	if err == nil || before.Image == "" || object.Raced(err) {
		return err
	}
	if refused := (*pass.Refused)(nil); !errors.As(err, &refused) {
		p.NextImage = p.Cluster.Spec.CephVersion.Image
	}
	p.Cluster.Spec.CephVersion.Image, p.Version = before.Image, before.Version
	if waiting, ok := pass.IsWaiting(err); ok {
		p.Later(waiting)
	} else {
		p.Hold(err)
	}
	return nil
}

// move goes from the image in effect to the one that the spec asks for.
func move(ctx context.Context, p *pass.Pass, before effect) error {
	found, done, err := detect(ctx, p)
	if err != nil {
		unknown(p, err)
		return err
	}
	p.Version = found
	refused := admit(ctx, p, before, found)
	if err := keep(ctx, p, refused == nil); err != nil {
		return err
	}
	if err := remove(ctx, p, done); err != nil {
		return err
	}
	return refused
}

// keep puts the answer into the status, as the image in effect or as one that
// may not run, before anything is done because of it.
func keep(ctx context.Context, p *pass.Pass, effective bool) error {
	answer := v1.VersionStatus{Image: p.Cluster.Spec.CephVersion.Image, Version: p.Version.Number()}
	status := &p.Cluster.Status
	was := status.Version
	switch {
	case was != nil && *was == answer, !effective && status.NextVersion != nil && *status.NextVersion == answer:
		if effective {
			status.NextVersion = nil // written at the end of the pass
		}
		return nil
	case effective:
		status.Version, status.NextVersion = &answer, nil
	default:
		status.NextVersion = &answer
	}
	p.Log.Infof("detected ceph image version: %s", p.Version)
	if effective && was != nil {
		p.Log.Infof("cluster in namespace %s goes from image %s (%s) to image %s (%s)", p.Cluster.Namespace, was.Image, was.Version, answer.Image, answer.Version)
	}
	return p.SaveStatus(ctx)
}

// admit says whether an image may be put into effect, in the condition too.
func admit(ctx context.Context, p *pass.Pass, before effect, found ceph.Version) error {
	if !found.Supported() && !p.Cluster.Spec.CephVersion.AllowUnsupported {
		return refuse(p, v1.ReasonUnsupportedVersion,
			fmt.Sprintf("unsupported ceph version detected: %s. allowUnsupported must be set to true to run with this version.", found))
	}
	if p.Cluster.Spec.CephVersion.Image != before.Image {
		given, err := givenVersions(ctx, p)
		if err != nil {
			return err
		}
		if reason, why := change(before, p.Cluster.Spec.CephVersion, found, given); reason != "" {
			return refuse(p, reason, why)
		}
	}
	message := found.String()
	if !found.Supported() {
		message += ", which is not supported and runs because allowUnsupported is true"
	}
	set(p, metav1.ConditionTrue, v1.ReasonAsExpected, message)
	return nil
}

func refuse(p *pass.Pass, reason, message string) error {
	set(p, metav1.ConditionFalse, reason, message)
	return &pass.Refused{Reason: reason, Message: message}
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

// detect returns the version of the image that the spec asks for, and the Job
// that told it, which is to go; nil if there is none. While the version is not
// known the error is a [*pass.Waiting].
func detect(ctx context.Context, p *pass.Pass) (ceph.Version, *batchv1.Job, error) {
	image := p.Cluster.Spec.CephVersion.Image
	existing, err := current(ctx, p)
	if err != nil {
		return ceph.Version{}, nil, err
	}
	next := plan(image, known(p.Cluster, image), existing, p.Clock.Now())
	switch next.do {
	case useAnswer:
		// A Job that is still there outlived a crash between answer and removal.
		return next.version, existing, nil
	case read:
		version, err := answer(ctx, p, existing)
		return version, existing, err
	}
	return ceph.Version{}, nil, carryOut(ctx, p, next, existing)
}

// carryOut does what brings the answer nearer, and returns what is waited for.
func carryOut(ctx context.Context, p *pass.Pass, next decision, existing *batchv1.Job) error {
	switch next.do {
	case start:
		// One that is there already is ours: the read was of the moment before.
		if err := p.Client.Create(ctx, job(p.Cluster)); err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("failed to start version job. %w", err)
		}
		return pass.WaitFor(v1.ReasonWaiting, 0, "%s", running(p.Cluster.Spec.CephVersion.Image))
	case replace:
		if err := remove(ctx, p, existing); err != nil {
			return fmt.Errorf("failed to start version job. %w", err)
		}
		return pass.WaitFor(v1.ReasonWaiting, 0, "%s", formerJob)
	case report:
		return fmt.Errorf("failed to complete version job. %s", withTrouble(ctx, p, next.why))
	}
	trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, map[string]string{podLabel: JobName})
	switch {
	case err != nil:
		return err
	case trouble != "":
		return pass.WaitFor(v1.ReasonFailed, 0, "%s; %s", next.why, trouble)
	}
	return pass.WaitFor(v1.ReasonWaiting, 0, "%s", next.why)
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

// answer reads the version from the log of a Job that succeeded.
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
		return ceph.Version{}, anew(ctx, p, done, fmt.Errorf("failed to complete version job. the log of pod %s cannot be read: %w", pod.Name, err))
	}
	image := p.Cluster.Spec.CephVersion.Image
	version, err := ceph.ParseVersion(text)
	if err != nil {
		return ceph.Version{}, anew(ctx, p, done, fmt.Errorf("unknown ceph major version. image %s: %w", image, err))
	}
	return version, nil
}

// anew returns why the answer of a Job that succeeded cannot be had. If that has
// lasted, as when the node with the log is gone, the Job makes room for another
// one (B25).
func anew(ctx context.Context, p *pass.Pass, done *batchv1.Job, why error) error {
	if done.Status.CompletionTime == nil || p.Clock.Since(done.Status.CompletionTime.Time) < retryAfter {
		return why
	}
	if err := remove(ctx, p, done); err != nil {
		return err
	}
	return pass.WaitFor(v1.ReasonFailed, 0, "another version job, after %s: %v", retryAfter, why)
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
