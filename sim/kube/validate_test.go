package kube_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// edited is obj after a change.
func edited[T client.Object](obj T, edit func(T)) client.Object {
	edit(obj)
	return obj
}

func service(name string) *corev1.Service {
	return &corev1.Service{ObjectMeta: named(name), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Name: "msgr1", Port: 6789}}}}
}

func job(name string) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: named(name)}
	j.Spec.Template.Spec = podSpec()
	j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return j
}

func claim(name string) *corev1.PersistentVolumeClaim {
	pvc := &corev1.PersistentVolumeClaim{ObjectMeta: named(name)}
	pvc.Spec.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}
	pvc.Spec.Resources.Requests = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	return pvc
}

// causes are the fields and messages of an Invalid error.
func causes(err error) []string {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil || status.Status().Reason != metav1.StatusReasonInvalid {
		return nil
	}
	var out []string
	for _, c := range status.Status().Details.Causes {
		out = append(out, c.Field+": "+c.Message)
	}
	return out
}

const (
	subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	dns1035   = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`
	dns1123   = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
	labelText = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
)

func TestCreateValidates(t *testing.T) {
	big := strings.Repeat("x", 1<<20+1)
	podWith := func(edit func(*corev1.PodSpec)) client.Object {
		return edited(pod("x"), func(p *corev1.Pod) { edit(&p.Spec) })
	}
	container := func(edit func(*corev1.Container)) client.Object {
		return podWith(func(s *corev1.PodSpec) { edit(&s.Containers[0]) })
	}
	deploy := func(edit func(*appsv1.DeploymentSpec)) client.Object {
		return edited(deployment("x"), func(d *appsv1.Deployment) { edit(&d.Spec) })
	}
	for name, c := range map[string]struct {
		obj  client.Object
		want []string
	}{
		"name":                           {configMap("Rook_Ceph"), []string{`metadata.name: Invalid value: "Rook_Ceph": ` + subdomain}},
		"name of service":                {service("9lives"), []string{`metadata.name: Invalid value: "9lives": ` + dns1035}},
		"name of namespace":              {&corev1.Namespace{ObjectMeta: namespaced("a.b")}, []string{`metadata.name: Invalid value: "a.b": must not contain dots`}},
		"no name":                        {configMap(""), []string{`metadata.name: Required value: name or generateName is required`}},
		"name of a role may hold colons": {&rbacv1.ClusterRole{ObjectMeta: namespaced("system:rook")}, nil},
		"label value": {
			edited(configMap("x"), func(o *corev1.ConfigMap) { o.Labels = map[string]string{"a": "b c"} }),
			[]string{`metadata.labels: Invalid value: "b c": ` + labelText},
		},
		"two label values, in order": {
			edited(configMap("x"), func(o *corev1.ConfigMap) { o.Labels = map[string]string{"a": "b c", "d": "a b"} }),
			[]string{`metadata.labels: Invalid value: "a b": ` + labelText, `metadata.labels: Invalid value: "b c": ` + labelText},
		},
		"owner without uid": {edited(configMap("x"), func(o *corev1.ConfigMap) {
			o.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: "x"}}
		}), []string{`metadata.ownerReferences[0].uid: Required value: must not be empty`}},
		"ConfigMap key":  {edited(configMap("x"), func(o *corev1.ConfigMap) { o.Data = map[string]string{"a/b": ""} }), []string{`data[a/b]: Invalid value: "a/b": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`}},
		"ConfigMap size": {edited(configMap("x"), func(o *corev1.ConfigMap) { o.Data = map[string]string{"a": big} }), []string{`[]: Too long: may not be more than 1048576 bytes`}},
		"Secret size": {
			&corev1.Secret{ObjectMeta: named("x"), StringData: map[string]string{"a": big}},
			[]string{`data: Too long: may not be more than 1048576 bytes`},
		},

		"Deployment without selector": {deploy(func(s *appsv1.DeploymentSpec) { s.Selector = nil }), []string{`spec.selector: Required value`}},
		"Deployment with an empty selector": {
			deploy(func(s *appsv1.DeploymentSpec) { s.Selector = &metav1.LabelSelector{} }),
			[]string{`spec.selector: Invalid value: {}: empty selector is invalid for deployment`},
		},
		"Deployment whose selector misses its pods": {
			deploy(func(s *appsv1.DeploymentSpec) { s.Template.Labels = map[string]string{"app": "y"} }),
			[]string{"spec.template.metadata.labels: Invalid value: {\"app\":\"y\"}: `selector` does not match template `labels`"},
		},
		"Deployment that does not restart": {
			deploy(func(s *appsv1.DeploymentSpec) { s.Template.Spec.RestartPolicy = "Never" }),
			[]string{`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"`},
		},
		"Deployment with Recreate and rollingUpdate": {deploy(func(s *appsv1.DeploymentSpec) {
			s.Strategy = appsv1.DeploymentStrategy{Type: "Recreate", RollingUpdate: &appsv1.RollingUpdateDeployment{}}
		}), []string{"spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"}},
		"Job that restarts": {
			edited(job("x"), func(j *batchv1.Job) { j.Spec.Template.Spec.RestartPolicy = "" }),
			[]string{`spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`},
		},

		"no container":        {podWith(func(s *corev1.PodSpec) { s.Containers = nil }), []string{`spec.containers: Required value`}},
		"no image":            {container(func(c *corev1.Container) { c.Image = "" }), []string{`spec.containers[0].image: Required value`}},
		"container name":      {container(func(c *corev1.Container) { c.Name = "a_b" }), []string{`spec.containers[0].name: Invalid value: "a_b": ` + dns1123}},
		"init container name": {podWith(func(s *corev1.PodSpec) { s.InitContainers = []corev1.Container{{Name: "mon", Image: "x"}} }), []string{`spec.initContainers[0].name: Duplicate value: "mon"`}},
		"mount without volume": {
			container(func(c *corev1.Container) { c.VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/d"}} }),
			[]string{`spec.containers[0].volumeMounts[0].name: Not found: "data"`},
		},
		"two mounts at one path": {podWith(func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
			s.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/d"}, {Name: "data", MountPath: "/d"}}
		}), []string{`spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/d": must be unique`}},
		"hostPath with back steps": {podWith(func(s *corev1.PodSpec) {
			s.Volumes = []corev1.Volume{{Name: "d", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/var/../etc"}}}}
		}), []string{`spec.volumes[0].hostPath.path: Invalid value: "/var/../etc": must not contain '..'`}},
		"volume of no type": {podWith(func(s *corev1.PodSpec) { s.Volumes = []corev1.Volume{{Name: "d"}} }), []string{`spec.volumes[0]: Required value: must specify a volume type`}},
		"field of the pod": {container(func(c *corev1.Container) {
			c.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.ip"}}}}
		}), []string{`spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "status.ip": error converting fieldPath: field label not supported: status.ip`}},
		"port": {
			container(func(c *corev1.Container) { c.Ports = []corev1.ContainerPort{{ContainerPort: 70000}} }),
			[]string{`spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`},
		},
		"request above limit": {container(func(c *corev1.Container) {
			c.Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("2")}
			c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1")}
		}), []string{`spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`}},
		"probe of no type": {
			container(func(c *corev1.Container) { c.LivenessProbe = &corev1.Probe{} }),
			[]string{`spec.containers[0].livenessProbe: Required value: must specify a handler type`},
		},
		"toleration": {
			podWith(func(s *corev1.PodSpec) {
				s.Tolerations = []corev1.Toleration{{Key: "a", Operator: "Exists", Value: "b"}}
			}),
			[]string{"spec.tolerations[0].operator: Invalid value: \"Exists\": value must be empty when `operator` is 'Exists'"},
		},
		"anti-affinity without topology": {podWith(func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{}}}}
		}), []string{`spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey: Required value: can not be empty`}},
		"node affinity without values": {podWith(func(s *corev1.PodSpec) {
			s.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "role", Operator: "In"}}}},
			}}}
		}), []string{"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"}},

		"Service without ports": {edited(service("x"), func(s *corev1.Service) { s.Spec.Ports = nil }), []string{`spec.ports: Required value`}},
		"Service with nameless ports": {
			edited(service("x"), func(s *corev1.Service) { s.Spec.Ports = []corev1.ServicePort{{Port: 1}, {Name: "b", Port: 2}} }),
			[]string{`spec.ports[0].name: Required value`},
		},
		"Service with a bad address": {
			edited(service("x"), func(s *corev1.Service) { s.Spec.ClusterIP = "10.0.0" }),
			[]string{`spec.clusterIPs[0]: Invalid value: "10.0.0": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`},
		},
		"claim without size": {
			edited(claim("x"), func(c *corev1.PersistentVolumeClaim) { c.Spec.Resources.Requests = nil }),
			[]string{`spec.resources[storage]: Required value`},
		},
		"claim without mode": {
			edited(claim("x"), func(c *corev1.PersistentVolumeClaim) { c.Spec.AccessModes = nil }),
			[]string{`spec.accessModes: Required value: at least 1 access mode is required`},
		},
		"subject without namespace": {&rbacv1.RoleBinding{
			ObjectMeta: named("x"), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "r"},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: "a"}},
		}, []string{`subjects[0].namespace: Required value`}},
		"all well":            {deployment("x"), nil},
		"and without a fault": {job("x"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			err := w.c.Create(context.Background(), c.obj)
			compareCauses(t, err, c.want)
		})
	}
}

func compareCauses(t *testing.T, err error, want []string) {
	t.Helper()
	got := causes(err)
	if err != nil && got == nil {
		t.Fatalf("not an Invalid error: %v", err)
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}
}

func TestWhatMayNotChange(t *testing.T) {
	yes := true
	for name, c := range map[string]struct {
		obj  client.Object
		edit func(client.Object)
		want []string
	}{
		"a Deployment's selector": {deployment("x"), func(o client.Object) {
			d := o.(*appsv1.Deployment)
			d.Spec.Selector.MatchLabels = map[string]string{"app": "y"}
			d.Spec.Template.Labels = map[string]string{"app": "y"}
		}, []string{`spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable`}},
		"a Service's address": {
			service("x"), func(o client.Object) { o.(*corev1.Service).Spec.ClusterIP = "10.200.9.9" },
			[]string{`spec.clusterIPs[0]: Invalid value: "10.200.9.9": may not change once set`},
		},
		"a Service's address, left out": {service("x"), func(o client.Object) {
			s := &o.(*corev1.Service).Spec
			s.ClusterIP, s.ClusterIPs = "", nil
		}, nil},
		"a claim's class": {
			edited(claim("x"), func(c *corev1.PersistentVolumeClaim) { c.Spec.StorageClassName = new("a") }),
			func(o client.Object) { o.(*corev1.PersistentVolumeClaim).Spec.StorageClassName = new("b") },
			[]string{`spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims`},
		},
		"an immutable ConfigMap": {
			edited(configMap("x"), func(c *corev1.ConfigMap) { c.Immutable = &yes }),
			func(o client.Object) {
				o.(*corev1.ConfigMap).Data = map[string]string{"a": "b"}
				o.(*corev1.ConfigMap).Immutable = nil
			},
			[]string{"data: Forbidden: field is immutable when `immutable` is set", "immutable: Forbidden: field is immutable when `immutable` is set"},
		},
		"a Secret's type": {
			&corev1.Secret{ObjectMeta: named("x")}, func(o client.Object) { o.(*corev1.Secret).Type = "kubernetes.io/rook" },
			[]string{`type: Invalid value: "kubernetes.io/rook": field is immutable`},
		},
		"a pod's arguments": {
			pod("x"), func(o client.Object) { o.(*corev1.Pod).Spec.Containers[0].Args = []string{"--fsid"} },
			[]string{"spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"},
		},
		"a pod's image": {pod("x"), func(o client.Object) { o.(*corev1.Pod).Spec.Containers[0].Image = "ceph/ceph:v15" }, nil},
		"a role binding's role": {
			&rbacv1.RoleBinding{ObjectMeta: named("x"), RoleRef: rbacv1.RoleRef{Kind: "Role", Name: "r"}},
			func(o client.Object) { o.(*rbacv1.RoleBinding).RoleRef.Name = "s" },
			[]string{`roleRef: Invalid value: {"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"s"}: cannot change roleRef`},
		},
		"a StorageClass's parameters": {
			&storagev1.StorageClass{ObjectMeta: namespaced("x"), Provisioner: "p"},
			func(o client.Object) { o.(*storagev1.StorageClass).Parameters = map[string]string{"a": "b"} },
			[]string{`parameters: Forbidden: updates to parameters are forbidden.`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.create(t, c.obj)
			c.edit(c.obj)
			compareCauses(t, w.c.Update(context.Background(), c.obj), c.want)
		})
	}
	t.Run("a Job's template", func(t *testing.T) {
		w := newWorld(t)
		j := job("x")
		w.create(t, j)
		j.Spec.Template.Spec.Containers[0].Image = "other"
		got := causes(w.c.Update(context.Background(), j))
		if len(got) != 1 || !strings.HasPrefix(got[0], "spec.template: Invalid value: ") || !strings.HasSuffix(got[0], ": field is immutable") {
			t.Error(got)
		}
	})
}

func TestDefaults(t *testing.T) {
	w := newWorld(t)
	d := deployment("d")
	d.Spec.Template.Spec.Volumes = []corev1.Volume{
		{Name: "conf", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "x"}}}},
		{Name: "data", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/d"}}},
	}
	c := &d.Spec.Template.Spec.Containers[0]
	c.Ports = []corev1.ContainerPort{{ContainerPort: 6789}}
	c.Env = []corev1.EnvVar{{Name: "IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}}}
	c.LivenessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{}}}
	c.LivenessProbe.HTTPGet.Port.IntVal = 80
	c.Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1")}
	w.create(t, d)
	spec := d.Spec.Template.Spec
	got := []any{
		*d.Spec.Replicas, d.Spec.Strategy.Type, d.Spec.Strategy.RollingUpdate.MaxSurge.String(), *d.Spec.RevisionHistoryLimit, *d.Spec.ProgressDeadlineSeconds,
		spec.RestartPolicy, spec.DNSPolicy, spec.SchedulerName, *spec.TerminationGracePeriodSeconds, spec.SecurityContext != nil, spec.ServiceAccountName,
		*spec.Volumes[0].ConfigMap.DefaultMode, *spec.Volumes[1].HostPath.Type,
		spec.Containers[0].ImagePullPolicy, spec.Containers[0].TerminationMessagePath, spec.Containers[0].Ports[0].Protocol,
		spec.Containers[0].Env[0].ValueFrom.FieldRef.APIVersion, spec.Containers[0].LivenessProbe.HTTPGet.Path,
		spec.Containers[0].LivenessProbe.PeriodSeconds, spec.Containers[0].Resources.Requests.Cpu().String(),
	}
	want := []any{
		int32(1), appsv1.RollingUpdateDeploymentStrategyType, "25%", int32(10), int32(600),
		corev1.RestartPolicyAlways, corev1.DNSClusterFirst, "default-scheduler", int64(30), true, "",
		int32(0o644), corev1.HostPathUnset,
		corev1.PullIfNotPresent, "/dev/termination-log", corev1.ProtocolTCP,
		"v1", "/", int32(10), "0", // a pod asks for its limits, a template does not
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("default %d: got %v, want %v", i, got[i], want[i])
		}
	}

	p := pod("p")
	p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"cpu": resource.MustParse("1")}
	p.Spec.Containers[0].Image = "registry:5000/ceph"
	p.Spec.PriorityClassName = "system-node-critical"
	w.create(t, p)
	if *p.Spec.Priority != 2000001000 {
		t.Errorf("priority %d", *p.Spec.Priority)
	}
	if p.Spec.Containers[0].ImagePullPolicy != corev1.PullAlways || p.Spec.ServiceAccountName != "default" || p.Status.Phase != corev1.PodPending || p.Status.QOSClass != corev1.PodQOSBurstable || p.Spec.Containers[0].Resources.Requests.Cpu().String() != "1" {
		t.Errorf("pod: %+v", p)
	}
	for image, want := range map[string]corev1.PullPolicy{
		"ceph": "Always", "a:5000/ceph": "Always", "ceph:latest": "Always", "a:5000/ceph:v14": "IfNotPresent", "ceph@sha256:0": "IfNotPresent",
	} {
		other := pod("image-" + strings.NewReplacer("/", "", ":", "", "@", "").Replace(image))
		other.Spec.Containers[0].Image = image
		w.create(t, other)
		if got := other.Spec.Containers[0].ImagePullPolicy; got != want {
			t.Errorf("pull policy of %s: %s, want %s", image, got, want)
		}
	}
	j := job("j")
	w.create(t, j)
	if *j.Spec.BackoffLimit != 6 || j.Spec.Selector.MatchLabels[batchv1.ControllerUidLabel] != string(j.UID) || j.Spec.Template.Labels["job-name"] != "j" {
		t.Errorf("job: %+v", j.Spec)
	}
	s := &corev1.Secret{ObjectMeta: named("s"), StringData: map[string]string{"a": "b"}}
	w.create(t, s)
	if s.Type != corev1.SecretTypeOpaque || string(s.Data["a"]) != "b" || s.StringData != nil {
		t.Errorf("secret: %+v", s)
	}
}

func TestClusterIPs(t *testing.T) {
	w := newWorld(t)
	a, b, headless, external := service("a"), service("b"), service("headless"), service("external")
	headless.Spec.ClusterIP = corev1.ClusterIPNone
	external.Spec.Type, external.Spec.ExternalName = corev1.ServiceTypeExternalName, "ceph.example"
	for _, s := range []*corev1.Service{a, b, headless, external} {
		w.create(t, s)
	}
	if a.Spec.ClusterIP != "10.200.0.1" || b.Spec.ClusterIP != "10.200.0.2" || headless.Spec.ClusterIP != "None" || external.Spec.ClusterIP != "" {
		t.Errorf("%s, %s, %s, %q", a.Spec.ClusterIP, b.Spec.ClusterIP, headless.Spec.ClusterIP, external.Spec.ClusterIP)
	}
	if a.Spec.Ports[0].TargetPort.IntVal != 6789 || a.Spec.Ports[0].Protocol != corev1.ProtocolTCP || a.Spec.Type != corev1.ServiceTypeClusterIP || a.Spec.ClusterIPs[0] != a.Spec.ClusterIP {
		t.Errorf("%+v", a.Spec)
	}
	taken := service("taken")
	taken.Spec.ClusterIP = a.Spec.ClusterIP
	compareCauses(t, w.c.Create(context.Background(), taken), []string{`spec.clusterIPs[0]: Invalid value: ["10.200.0.1"]: failed to allocate IP 10.200.0.1: provided IP is already allocated`})
	w.delete(t, a)
	wanted := service("wanted")
	wanted.Spec.ClusterIP = "10.200.0.1"
	w.create(t, wanted)
	next := service("next")
	w.create(t, next)
	if next.Spec.ClusterIP == wanted.Spec.ClusterIP {
		t.Error("one address for two services")
	}
}
