package kube

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// The defaults are those of
// https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/.
const (
	defaultRevisions        int32 = 10
	defaultProgressDeadline int32 = 600
	defaultBackoffLimit     int32 = 6
)

func deploymentStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		spec := &obj.(*appsv1.Deployment).Spec
		orElse(&spec.Replicas, 1)
		orElse(&spec.RevisionHistoryLimit, defaultRevisions)
		orElse(&spec.ProgressDeadlineSeconds, defaultProgressDeadline)
		if spec.Strategy.Type == "" {
			spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		}
		if spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
			orElse(&spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
			orElse(&spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
			orElse(&spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
		}
		defaultPodSpec(&spec.Template.Spec)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		spec, path := &obj.(*appsv1.Deployment).Spec, field.NewPath("spec")
		errs := validateReplicas(spec.Replicas, path)
		errs = append(errs, validateTemplate("deployment", spec.Selector, &spec.Template, path)...)
		if spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && spec.Strategy.RollingUpdate != nil {
			errs = append(errs, field.Forbidden(path.Child("strategy", "rollingUpdate"), "may not be specified when strategy `type` is '"+string(spec.Strategy.Type)+"'"))
		}
		if old != nil {
			errs = append(errs, validation.ValidateImmutableField(spec.Selector, old.(*appsv1.Deployment).Spec.Selector, path.Child("selector"))...)
		}
		return errs
	}
	// A deployment's annotations are carried to its replica sets, so they count.
	s.asksForMore = func(obj, old client.Object) bool {
		return specChanged(obj, old) || !equal.Semantic(obj.GetAnnotations(), old.GetAnnotations())
	}
}

func replicaSetStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		spec := &obj.(*appsv1.ReplicaSet).Spec
		orElse(&spec.Replicas, 1)
		defaultPodSpec(&spec.Template.Spec)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		spec, path := &obj.(*appsv1.ReplicaSet).Spec, field.NewPath("spec")
		errs := validateReplicas(spec.Replicas, path)
		errs = append(errs, validateTemplate("replicaset", spec.Selector, &spec.Template, path)...)
		if old != nil {
			errs = append(errs, validation.ValidateImmutableField(spec.Selector, old.(*appsv1.ReplicaSet).Spec.Selector, path.Child("selector"))...)
		}
		return errs
	}
}

func daemonSetStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		spec := &obj.(*appsv1.DaemonSet).Spec
		orElse(&spec.RevisionHistoryLimit, defaultRevisions)
		if spec.UpdateStrategy.Type == "" {
			spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
		}
		if spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			orElse(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
			orElse(&spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
			orElse(&spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		}
		defaultPodSpec(&spec.Template.Spec)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		spec, path := &obj.(*appsv1.DaemonSet).Spec, field.NewPath("spec")
		errs := validateTemplate("daemonset", spec.Selector, &spec.Template, path)
		if old != nil {
			errs = append(errs, validation.ValidateImmutableField(spec.Selector, old.(*appsv1.DaemonSet).Spec.Selector, path.Child("selector"))...)
		}
		return errs
	}
}

func statefulSetStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		spec := &obj.(*appsv1.StatefulSet).Spec
		orElse(&spec.Replicas, 1)
		orElse(&spec.RevisionHistoryLimit, defaultRevisions)
		if spec.PodManagementPolicy == "" {
			spec.PodManagementPolicy = appsv1.OrderedReadyPodManagement
		}
		if spec.UpdateStrategy.Type == "" {
			spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
		}
		if spec.UpdateStrategy.Type == appsv1.RollingUpdateStatefulSetStrategyType {
			orElse(&spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
			orElse(&spec.UpdateStrategy.RollingUpdate.Partition, 0)
		}
		orElse(&spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType, WhenScaled: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		})
		for i := range spec.VolumeClaimTemplates {
			defaultClaim(&spec.VolumeClaimTemplates[i])
		}
		defaultPodSpec(&spec.Template.Spec)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		spec, path := &obj.(*appsv1.StatefulSet).Spec, field.NewPath("spec")
		errs := validateReplicas(spec.Replicas, path)
		errs = append(errs, validateTemplate("statefulset", spec.Selector, &spec.Template, path)...)
		if old == nil {
			return errs
		}
		rest, was := spec.DeepCopy(), &old.(*appsv1.StatefulSet).Spec
		rest.Replicas, rest.Ordinals, rest.Template, rest.UpdateStrategy = was.Replicas, was.Ordinals, was.Template, was.UpdateStrategy
		rest.RevisionHistoryLimit, rest.PersistentVolumeClaimRetentionPolicy, rest.MinReadySeconds = was.RevisionHistoryLimit, was.PersistentVolumeClaimRetentionPolicy, was.MinReadySeconds
		if !equal.Semantic(rest, was) {
			errs = append(errs, field.Forbidden(path, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
		}
		return errs
	}
}

func jobStrategy(s *strategy) {
	s.orphansByDefault = true
	s.prepare = func(obj, old client.Object) error {
		job := obj.(*batchv1.Job)
		defaultJobSpec(&job.Spec)
		if old == nil {
			selectOwnPods(job)
		}
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		spec, path := &obj.(*batchv1.Job).Spec, field.NewPath("spec")
		errs := validateJobSpec(spec, path)
		if old == nil {
			return errs
		}
		was := &old.(*batchv1.Job).Spec
		errs = append(errs, validation.ValidateImmutableField(spec.Completions, was.Completions, path.Child("completions"))...)
		errs = append(errs, validation.ValidateImmutableField(spec.Selector, was.Selector, path.Child("selector"))...)
		errs = append(errs, validation.ValidateImmutableField(spec.Template, was.Template, path.Child("template"))...)
		return append(errs, validation.ValidateImmutableField(spec.CompletionMode, was.CompletionMode, path.Child("completionMode"))...)
	}
}

func defaultJobSpec(spec *batchv1.JobSpec) {
	if spec.Completions == nil && spec.Parallelism == nil {
		orElse(&spec.Completions, 1)
	}
	orElse(&spec.Parallelism, 1)
	orElse(&spec.BackoffLimit, defaultBackoffLimit)
	orElse(&spec.CompletionMode, batchv1.NonIndexedCompletion)
	orElse(&spec.Suspend, false)
	orElse(&spec.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	defaultPodSpec(&spec.Template.Spec)
}

// selectOwnPods gives a job the selector and labels by which it knows its pods.
func selectOwnPods(job *batchv1.Job) {
	if job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	own := map[string]string{
		"controller-uid": string(job.UID), "job-name": job.Name,
		batchv1.ControllerUidLabel: string(job.UID), batchv1.JobNameLabel: job.Name,
	}
	template := &job.Spec.Template
	template.Labels = maps.Clone(template.Labels)
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	maps.Copy(template.Labels, own)
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	if job.Spec.Selector.MatchLabels == nil {
		job.Spec.Selector.MatchLabels = map[string]string{}
	}
	job.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] = string(job.UID)
}

func validateJobSpec(spec *batchv1.JobSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for name, value := range map[string]*int32{"parallelism": spec.Parallelism, "completions": spec.Completions, "backoffLimit": spec.BackoffLimit} {
		if value != nil {
			errs = append(errs, validation.ValidateNonnegativeField(int64(*value), path.Child(name))...)
		}
	}
	sortErrors(errs)
	if spec.Selector != nil {
		errs = append(errs, validateSelectorMatches(spec.Selector, spec.Template.Labels, path)...)
	}
	errs = append(errs, validatePodTemplate(&spec.Template, path.Child("template"))...)
	switch policy := spec.Template.Spec.RestartPolicy; policy {
	case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
	case corev1.RestartPolicyAlways:
		errs = append(errs, field.Required(path.Child("template", "spec", "restartPolicy"), fmt.Sprintf("valid values: %q, %q", corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)))
	default:
		errs = append(errs, field.NotSupported(path.Child("template", "spec", "restartPolicy"), policy, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}))
	}
	return errs
}

func cronJobStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		spec := &obj.(*batchv1.CronJob).Spec
		if spec.ConcurrencyPolicy == "" {
			spec.ConcurrencyPolicy = batchv1.AllowConcurrent
		}
		orElse(&spec.Suspend, false)
		orElse(&spec.SuccessfulJobsHistoryLimit, 3)
		orElse(&spec.FailedJobsHistoryLimit, 1)
		defaultJobSpec(&spec.JobTemplate.Spec)
		return nil
	}
	s.validate = func(obj, _ client.Object) field.ErrorList {
		spec, path := &obj.(*batchv1.CronJob).Spec, field.NewPath("spec")
		errs := validateJobSpec(&spec.JobTemplate.Spec, path.Child("jobTemplate", "spec"))
		if spec.Schedule == "" {
			errs = append(errs, field.Required(path.Child("schedule"), ""))
		}
		return errs
	}
}

func validateReplicas(replicas *int32, path *field.Path) field.ErrorList {
	return validation.ValidateNonnegativeField(int64(*replicas), path.Child("replicas"))
}

// validateTemplate checks a selector against the template of the pods that it is
// to select, and that template.
func validateTemplate(kind string, selector *metav1.LabelSelector, template *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case selector == nil:
		errs = append(errs, field.Required(path.Child("selector"), ""))
	case len(selector.MatchLabels)+len(selector.MatchExpressions) == 0:
		errs = append(errs, field.Invalid(path.Child("selector"), selector, "empty selector is invalid for "+kind))
	default:
		errs = append(errs, validateSelectorMatches(selector, template.Labels, path)...)
	}
	errs = append(errs, validatePodTemplate(template, path.Child("template"))...)
	if policy := template.Spec.RestartPolicy; policy != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(path.Child("template", "spec", "restartPolicy"), policy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	return errs
}

func validateSelectorMatches(selector *metav1.LabelSelector, of map[string]string, path *field.Path) field.ErrorList {
	errs := metavalidation.ValidateLabelSelector(selector, metavalidation.LabelSelectorValidationOptions{}, path.Child("selector"))
	if len(errs) > 0 {
		return errs
	}
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return field.ErrorList{field.Invalid(path.Child("selector"), selector, "invalid label selector")}
	}
	if !s.Matches(labels.Set(of)) {
		return field.ErrorList{field.Invalid(path.Child("template", "metadata", "labels"), of, "`selector` does not match template `labels`")}
	}
	return nil
}

func validatePodTemplate(template *corev1.PodTemplateSpec, path *field.Path) field.ErrorList {
	errs := metavalidation.ValidateLabels(template.Labels, path.Child("metadata", "labels"))
	errs = append(errs, validation.ValidateAnnotations(template.Annotations, path.Child("metadata", "annotations"))...)
	sortErrors(errs)
	return append(errs, validatePodSpec(&template.Spec, path.Child("spec"))...)
}
