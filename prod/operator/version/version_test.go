package version

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

const (
	image   = "ceph/ceph:v13.2.3-20190410"
	another = "ceph/ceph:v14.2.0-20190410"
)

func cluster() *v1.CephCluster {
	return &v1.CephCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u", Generation: 1},
		Spec:       v1.ClusterSpec{CephVersion: v1.CephVersionSpec{Image: image}},
	}
}

func newPass(w *doortest.World) *pass.Pass {
	p := &pass.Pass{Doors: w.Doors(), Cluster: cluster()}
	p.SaveStatus = func(context.Context) error {
		for name, kept := range map[string]*v1.VersionStatus{"": p.Cluster.Status.Version, "next ": p.Cluster.Status.NextVersion} {
			if kept != nil {
				w.Writes = append(w.Writes, "status "+name+kept.Version)
			}
		}
		return nil
	}
	return p
}

func aJob(change ...func(*batchv1.Job)) *batchv1.Job {
	j := job(cluster())
	j.UID = "job-1"
	for _, c := range change {
		c(j)
	}
	return j
}

func succeeded(j *batchv1.Job) { j.Status.Succeeded = 1 }

func failedAt(at time.Time) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{
			Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded", Message: "too often",
			LastTransitionTime: metav1.NewTime(at),
		}}
	}
}

func aPod(phase corev1.PodPhase) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "rook-ceph", Name: "pod-1", Labels: map[string]string{"job": JobName},
			OwnerReferences: []metav1.OwnerReference{{Kind: "Job", Name: JobName, UID: "job-1", Controller: ptr.To(true)}},
		},
		Status: corev1.PodStatus{Phase: phase},
	}
}

func TestPlan(t *testing.T) {
	now := time.Date(2019, 5, 23, 7, 0, 0, 0, time.UTC)
	kept := func(image, version string) *v1.VersionStatus {
		return &v1.VersionStatus{Image: image, Version: version}
	}
	deleting := func(j *batchv1.Job) { j.DeletionTimestamp = &metav1.Time{Time: now} }
	for name, c := range map[string]struct {
		kept *v1.VersionStatus
		job  *batchv1.Job
		want action
	}{
		"nothing known":          {nil, nil, start},
		"known":                  {kept(image, "13.2.3"), nil, useAnswer},
		"known, job still there": {kept(image, "13.2.3"), aJob(succeeded), useAnswer},
		"known of another image": {kept(another, "14.2.0"), nil, start},
		"known, but hand-edited": {kept(image, "thirteen"), nil, start},
		"running":                {nil, aJob(), wait},
		"of another image":       {nil, aJob(func(j *batchv1.Job) { j.Spec.Template.Spec.Containers[0].Image = another }), replace},
		"of no image":            {nil, aJob(func(j *batchv1.Job) { j.Spec.Template.Spec.Containers = nil }), replace},
		"on its way out":         {nil, aJob(succeeded, deleting), wait},
		"done":                   {nil, aJob(succeeded), read},
		"failed":                 {nil, aJob(failedAt(now.Add(-time.Minute))), report},
		"failed long ago":        {nil, aJob(failedAt(now.Add(-15 * time.Minute))), replace},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plan(image, c.kept, c.job, now); got.do != c.want {
				t.Errorf("got %d, want %d", got.do, c.want)
			}
		})
	}
}

func TestTheJob(t *testing.T) {
	c := cluster()
	terms := &corev1.NodeAffinity{}
	c.Spec.Placement = v1.Placements{v1.Mon: {NodeAffinity: terms, PodAffinity: &corev1.PodAffinity{}}}
	j := job(c)
	want := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"job": "rook-ceph-detect-version"}},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyOnFailure,
			Affinity:      &corev1.Affinity{NodeAffinity: terms},
			Containers:    []corev1.Container{{Name: "version", Image: image, Command: []string{"ceph"}, Args: []string{"--version"}}},
		},
	}
	if diff := cmp.Diff(want, j.Spec.Template); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if j.Name != "rook-ceph-detect-version" || j.Namespace != "rook-ceph" || j.Labels["rook-version"] == "" || j.OwnerReferences[0].UID != "u" {
		t.Errorf("%+v", j.ObjectMeta)
	}
}

func TestFromJobToVersion(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	if _, waiting := pass.IsWaiting(Reconcile(t.Context(), p)); !waiting {
		t.Fatal("no wait for the job")
	}
	there := doortest.Get(t, w, "rook-ceph", JobName, &batchv1.Job{})
	succeeded(there)
	if err := w.Kube.Status().Update(t.Context(), there); err != nil {
		t.Fatal(err)
	}
	pod := aPod(corev1.PodSucceeded)
	pod.OwnerReferences[0].UID = there.UID
	if err := w.Kube.Create(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	w.Writes = nil
	// B25: a log that cannot be read is read again, and the job stays.
	if err := Reconcile(t.Context(), p); err == nil || !strings.Contains(err.Error(), "the log of pod pod-1 cannot be read") {
		t.Fatalf("got %v", err)
	}
	w.Logs["pod-1"] = "ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279) mimic (stable"
	if err := Reconcile(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if p.Version != (ceph.Version{Major: 13, Minor: 2, Patch: 3}) {
		t.Errorf("version %v", p.Version)
	}
	// The answer is kept before the job goes.
	if diff := cmp.Diff([]string{"status 13.2.3", "delete *v1.Job rook-ceph-detect-version"}, w.Writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
	w.Writes = nil
	p.Version = ceph.Version{}
	if err := Reconcile(t.Context(), p); err != nil || p.Version.Major != 13 || len(w.Writes) > 0 {
		t.Errorf("the next pass: %v %v %v", err, p.Version, w.Writes)
	}
}

func TestACrashBetweenAnswerAndRemovalLeavesNoJob(t *testing.T) {
	w := doortest.New(t, aJob(succeeded))
	p := newPass(w)
	p.Cluster.Status.Version = &v1.VersionStatus{Image: image, Version: "13.2.3"}
	if err := Reconcile(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"delete *v1.Job rook-ceph-detect-version"}, w.Writes); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestWhatGoesWrong(t *testing.T) {
	pulling := aPod(corev1.PodPending)
	pulling.Status.ContainerStatuses = []corev1.ContainerStatus{{
		Name: "version", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
	}}
	for name, c := range map[string]struct {
		objects []client.Object
		log     string
		says    []string
		writes  []string
	}{
		"no such image":    {[]client.Object{aJob(), pulling}, "", []string{"version job rook-ceph-detect-version of image " + image, "ImagePullBackOff"}, nil},
		"the job failed":   {[]client.Object{aJob(failedAt(time.Date(2019, 5, 23, 6, 46, 0, 0, time.UTC)))}, "", []string{"failed to complete version job. BackoffLimitExceeded: too often"}, nil},
		"not a version":    {[]client.Object{aJob(succeeded), aPod(corev1.PodSucceeded)}, "hello there", []string{"unknown ceph major version. ", "hello there", "ceph version 14.2.0"}, nil},
		"nothing written":  {[]client.Object{aJob(succeeded), aPod(corev1.PodSucceeded)}, "", []string{"unknown ceph major version. "}, nil},
		"pod not seen yet": {[]client.Object{aJob(succeeded), aPod(corev1.PodRunning)}, "", []string{"pod pod-1 to be seen as done"}, nil},
		"pod gone":         {[]client.Object{aJob(succeeded)}, "", []string{"another version job"}, []string{"delete *v1.Job rook-ceph-detect-version"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, c.objects...)
			w.Logs["pod-1"] = c.log
			p := newPass(w)
			err := Reconcile(t.Context(), p)
			if err == nil {
				t.Fatal("no error")
			}
			known := apimeta.FindStatusCondition(p.Cluster.Status.Conditions, v1.ConditionVersionSupported)
			if known == nil || known.Status != metav1.ConditionUnknown {
				t.Fatalf("condition %v", known)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) || !strings.Contains(known.Message, part) {
					t.Errorf("%q, %q lack %q", err, known.Message, part)
				}
			}
			if diff := cmp.Diff(c.writes, w.Writes); diff != "" {
				t.Errorf("writes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSupport(t *testing.T) {
	for name, c := range map[string]struct {
		version string
		allow   bool
		refused bool
	}{
		"luminous":         {"12.2.11", false, false},
		"nautilus":         {"14.2.0", false, false},
		"octopus":          {"15.2.1", false, true},
		"octopus, allowed": {"15.2.1", true, false},
		"pacific":          {"16.2.15", false, false},
		"tentacle":         {"20.1.0", false, false},
		"not known yet":    {"21.0.0", false, true},
		"too old":          {"10.2.0", false, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t)
			p := newPass(w)
			p.Cluster.Spec.CephVersion.AllowUnsupported = c.allow
			p.Cluster.Status.Version = &v1.VersionStatus{Image: image, Version: c.version}
			if err := Reconcile(t.Context(), p); err != nil {
				t.Fatal("it does not live on with it", err)
			}
			err := p.Held()
			var refused *pass.Refused
			if errors.As(err, &refused) != c.refused {
				t.Fatalf("got %v", err)
			}
			known := apimeta.FindStatusCondition(p.Cluster.Status.Conditions, v1.ConditionVersionSupported)
			if !c.refused {
				if known.Status != metav1.ConditionTrue {
					t.Errorf("%v", known)
				}
				return
			}
			text := "unsupported ceph version detected: " + p.Version.String() + ". allowUnsupported must be set to true to run with this version."
			if refused.Message != text || refused.Reason != v1.ReasonUnsupportedVersion || known.Reason != v1.ReasonUnsupportedVersion {
				t.Errorf("%+v\n%v", refused, known)
			}
		})
	}
}

func TestTheJobThatCannotBeMade(t *testing.T) {
	w := doortest.New(t)
	w.Refuse = func(verb string, _ client.Object, name string) error {
		if verb == "create" {
			return apierrors.NewForbidden(corev1.Resource("jobs"), name, errors.New("quota"))
		}
		return nil
	}
	if err := Reconcile(t.Context(), newPass(w)); err == nil || !strings.HasPrefix(err.Error(), "failed to start version job. ") {
		t.Errorf("got %v", err)
	}
}
