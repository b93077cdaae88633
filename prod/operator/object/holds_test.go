package object

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// wanted is a Deployment with something in all that Merge treats apart.
func wanted() *appsv1.Deployment {
	block := true
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "ns", Name: "d", Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"ours": "1"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "v", Kind: "k", Name: "n", UID: "u", BlockOwnerDeletion: &block}},
		},
		Spec: appsv1.DeploymentSpec{
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}, Annotations: map[string]string{"pod": "1"}},
				Spec: corev1.PodSpec{
					NodeSelector: map[string]string{"node": "a"},
					Tolerations:  []corev1.Toleration{{Key: "t"}},
					Affinity:     &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}},
					Volumes:      []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
					Containers: []corev1.Container{
						{
							Name: "c", Image: "i", Args: []string{"--one", "--two"}, Env: []corev1.EnvVar{{Name: "A", Value: "1"}},
							Ports:        []corev1.ContainerPort{{ContainerPort: 1}, {ContainerPort: 2}},
							Resources:    corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": resource.MustParse("1")}},
							VolumeMounts: []corev1.VolumeMount{{Name: "v", MountPath: "/a"}, {Name: "v", MountPath: "/b", ReadOnly: true}},
						},
						{Name: "second", Image: "i"},
					},
				},
			},
		},
	}
}

// stored is that Deployment as an API server has it, with what others added.
func stored() *appsv1.Deployment {
	d := Merge(&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d", UID: "1", ResourceVersion: "7"}}, wanted()).(*appsv1.Deployment)
	one := int32(1)
	d.Labels["theirs"], d.Annotations["theirs"], d.Spec.Template.Annotations["theirs"] = "1", "1", "1"
	d.OwnerReferences = append(d.OwnerReferences, metav1.OwnerReference{Kind: "k", UID: "another"})
	d.Spec.Replicas = &one
	d.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	d.Spec.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullIfNotPresent
	d.Status.Replicas = 1
	return d
}

func TestWhatIsAsItShouldBeNeedsNoMerge(t *testing.T) {
	if !equal.Semantic(stored(), Merge(stored(), wanted())) {
		t.Fatal("the merge changes something")
	}
	if !holds(stored(), wanted()) {
		t.Error("not seen")
	}
	secret := &corev1.Secret{Data: map[string][]byte{"key": []byte("value")}}
	if !holds(secret, secret.DeepCopy()) {
		t.Error("not seen in a Secret")
	}
}

// TestWhatTheMergeChangesDoesNotHold changes what is stored, or what is wanted,
// by hand in every way that counts.
func TestWhatTheMergeChangesDoesNotHold(t *testing.T) {
	pod := func(d *appsv1.Deployment) *corev1.PodSpec { return &d.Spec.Template.Spec }
	changes := map[string]func(*appsv1.Deployment){
		"label":                  func(d *appsv1.Deployment) { d.Labels["app"] = "y" },
		"no labels":              func(d *appsv1.Deployment) { d.Labels = nil },
		"annotation":             func(d *appsv1.Deployment) { d.Annotations["ours"] = "2" },
		"another annotation":     func(d *appsv1.Deployment) { d.Annotations["more"] = "" },
		"no annotation":          func(d *appsv1.Deployment) { delete(d.Annotations, "ours") },
		"owner":                  func(d *appsv1.Deployment) { d.OwnerReferences[0].Name = "m" },
		"no owner":               func(d *appsv1.Deployment) { d.OwnerReferences = nil },
		"pod label":              func(d *appsv1.Deployment) { d.Spec.Template.Labels["app"] = "y" },
		"pod annotation":         func(d *appsv1.Deployment) { d.Spec.Template.Annotations["pod"] = "2" },
		"no pod annotation":      func(d *appsv1.Deployment) { delete(d.Spec.Template.Annotations, "pod") },
		"moved annotation":       func(d *appsv1.Deployment) { d.Annotations["pod"] = "1" },
		"moved pod annotation":   func(d *appsv1.Deployment) { d.Spec.Template.Annotations["ours"] = "1" },
		"selector":               func(d *appsv1.Deployment) { d.Spec.Selector.MatchLabels["b"] = "c" },
		"strategy":               func(d *appsv1.Deployment) { d.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType },
		"parameters of strategy": func(d *appsv1.Deployment) { d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{} },
		"node selector":          func(d *appsv1.Deployment) { pod(d).NodeSelector["more"] = "" },
		"no node selector":       func(d *appsv1.Deployment) { pod(d).NodeSelector = nil },
		"toleration":             func(d *appsv1.Deployment) { pod(d).Tolerations[0].Value = "v" },
		"affinity":               func(d *appsv1.Deployment) { pod(d).Affinity.PodAffinity = &corev1.PodAffinity{} },
		"no affinity":            func(d *appsv1.Deployment) { pod(d).Affinity = nil },
		"host network":           func(d *appsv1.Deployment) { pod(d).HostNetwork = true },
		"priority":               func(d *appsv1.Deployment) { pod(d).PriorityClassName = "p" },
		"kind of volume": func(d *appsv1.Deployment) {
			pod(d).Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/p"}}
		},
		"more volumes":      func(d *appsv1.Deployment) { pod(d).Volumes = append(pod(d).Volumes, corev1.Volume{Name: "w"}) },
		"no volumes":        func(d *appsv1.Deployment) { pod(d).Volumes = nil },
		"init container":    func(d *appsv1.Deployment) { pod(d).InitContainers = []corev1.Container{{Name: "i"}} },
		"image":             func(d *appsv1.Deployment) { pod(d).Containers[0].Image = "j" },
		"arguments":         func(d *appsv1.Deployment) { pod(d).Containers[0].Args[1] = "--three" },
		"order of args":     func(d *appsv1.Deployment) { pod(d).Containers[0].Args = []string{"--two", "--one"} },
		"variable":          func(d *appsv1.Deployment) { pod(d).Containers[0].Env[0].Value = "2" },
		"empty variable":    func(d *appsv1.Deployment) { pod(d).Containers[0].Env[0].Value = "" },
		"port":              func(d *appsv1.Deployment) { pod(d).Containers[0].Ports[1].ContainerPort = 3 },
		"order of ports":    func(d *appsv1.Deployment) { p := pod(d).Containers[0].Ports; p[0], p[1] = p[1], p[0] },
		"limits":            func(d *appsv1.Deployment) { pod(d).Containers[0].Resources.Limits["cpu"] = resource.MustParse("2") },
		"mount":             func(d *appsv1.Deployment) { pod(d).Containers[0].VolumeMounts[0].ReadOnly = true },
		"mount path":        func(d *appsv1.Deployment) { pod(d).Containers[0].VolumeMounts[0].MountPath = "/c" },
		"order of mounts":   func(d *appsv1.Deployment) { m := pod(d).Containers[0].VolumeMounts; m[0], m[1] = m[1], m[0] },
		"probe":             func(d *appsv1.Deployment) { pod(d).Containers[1].LivenessProbe = &corev1.Probe{} },
		"order":             func(d *appsv1.Deployment) { c := pod(d).Containers; c[0], c[1] = c[1], c[0] },
		"a container less":  func(d *appsv1.Deployment) { pod(d).Containers = pod(d).Containers[:1] },
		"name of container": func(d *appsv1.Deployment) { pod(d).Containers[1].Name = "third" },
	}
	for name, change := range changes {
		for side, pair := range map[string]func() (is, want *appsv1.Deployment){
			"stored": func() (*appsv1.Deployment, *appsv1.Deployment) { d := stored(); change(d); return d, wanted() },
			"wanted": func() (*appsv1.Deployment, *appsv1.Deployment) { d := wanted(); change(d); return stored(), d },
		} {
			is, want := pair()
			same := equal.Semantic(is, Merge(is, want))
			if holds(is, want) && !same {
				t.Errorf("%s %s: a difference goes unseen", side, name)
			}
			if UpToDate(is, want) != same {
				t.Errorf("%s %s: up to date is %v", side, name, !same)
			}
		}
	}
}

func BenchmarkUpToDate(b *testing.B) {
	is, want := stored(), wanted()
	b.ReportAllocs()
	for b.Loop() {
		if !UpToDate(is, want) {
			b.Fatal("not up to date")
		}
	}
}
