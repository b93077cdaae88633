package cluster

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// proxy is kube-proxy with the endpoints controller behind it: it knows which
// pods stand behind the address of a service.
type proxy struct {
	api      *kube.API
	pick     *rand.Rand
	byIP     map[string]client.ObjectKey
	services map[client.ObjectKey]*backing
	// pods are by namespace and label, so that a service finds its own and a pod
	// its services without a walk over all.
	pods map[string]map[client.ObjectKey]*corev1.Pod
	bys  map[string]map[client.ObjectKey]bool // services, by the first label they select
}

type backing struct {
	service *corev1.Service
	ready   []*corev1.Pod // nil: to be found out again
	known   bool
}

func startProxy(l *loop.Loop, api *kube.API) *proxy {
	p := &proxy{
		api: api, pick: l.Rand("endpoints of services"), byIP: map[string]client.ObjectKey{},
		services: map[client.ObjectKey]*backing{}, pods: map[string]map[client.ObjectKey]*corev1.Pod{},
		bys: map[string]map[client.ObjectKey]bool{},
	}
	const user = "system:kube-proxy"
	api.Subscribe(user, &corev1.Service{}, func(e kube.Event) {
		if e.Old != nil {
			p.dropService(e.Old.(*corev1.Service))
		}
		if e.New != nil {
			p.addService(e.New.(*corev1.Service))
		}
	})
	api.Subscribe(user, &corev1.Pod{}, func(e kube.Event) {
		if e.Old != nil && e.New != nil && unchanged(e.Old.(*corev1.Pod), e.New.(*corev1.Pod)) {
			return
		}
		if e.Old != nil {
			p.podEvent(e.Old.(*corev1.Pod), false)
		}
		if e.New != nil {
			p.podEvent(e.New.(*corev1.Pod), true)
		}
	})
	return p
}

// unchanged says whether two states of a pod are the same to a service.
func unchanged(a, b *corev1.Pod) bool {
	return a.Status.PodIP == b.Status.PodIP && serves(a, true) == serves(b, true) && serves(a, false) == serves(b, false) &&
		maps.Equal(a.Labels, b.Labels)
}

// serves says whether a service may send to the pod.
func serves(pod *corev1.Pod, evenNotReady bool) bool {
	if pod.Status.PodIP == "" || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return false
	}
	if evenNotReady {
		return true
	}
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

func labelKey(namespace, name, value string) string { return namespace + "/" + name + "=" + value }

// firstLabel is the label of a selector by which its service is found.
func firstLabel(s *corev1.Service) (string, bool) {
	if len(s.Spec.Selector) == 0 {
		return "", false
	}
	name := slices.Min(slices.Collect(maps.Keys(s.Spec.Selector)))
	return labelKey(s.Namespace, name, s.Spec.Selector[name]), true
}

func (p *proxy) addService(s *corev1.Service) {
	key := client.ObjectKeyFromObject(s)
	p.services[key] = &backing{service: s}
	for _, ip := range s.Spec.ClusterIPs {
		if ip != corev1.ClusterIPNone {
			p.byIP[ip] = key
		}
	}
	if ip := s.Spec.ClusterIP; ip != "" && ip != corev1.ClusterIPNone {
		p.byIP[ip] = key
	}
	if label, ok := firstLabel(s); ok {
		put(p.bys, label, key, true)
	}
}

func (p *proxy) dropService(s *corev1.Service) {
	key := client.ObjectKeyFromObject(s)
	delete(p.services, key)
	maps.DeleteFunc(p.byIP, func(_ string, k client.ObjectKey) bool { return k == key })
	if label, ok := firstLabel(s); ok {
		delete(p.bys[label], key)
	}
}

func put[V any](in map[string]map[client.ObjectKey]V, at string, key client.ObjectKey, value V) {
	if in[at] == nil {
		in[at] = map[client.ObjectKey]V{}
	}
	in[at][key] = value
}

// podEvent puts a pod into the index or takes it out, and makes the services
// that may select it look again.
func (p *proxy) podEvent(pod *corev1.Pod, in bool) {
	key := client.ObjectKeyFromObject(pod)
	for name, value := range pod.Labels {
		label := labelKey(pod.Namespace, name, value)
		if in {
			put(p.pods, label, key, pod)
		} else {
			delete(p.pods[label], key)
			if len(p.pods[label]) == 0 {
				delete(p.pods, label)
			}
		}
		for service := range p.bys[label] {
			p.services[service].known = false
		}
	}
}

// behind are the pods that a service sends to, by name.
func (p *proxy) behind(b *backing) []*corev1.Pod {
	if b.known {
		return b.ready
	}
	b.known, b.ready = true, nil
	label, ok := firstLabel(b.service)
	if !ok {
		return nil
	}
	selector := labels.SelectorFromSet(b.service.Spec.Selector)
	for _, pod := range p.pods[label] {
		if selector.Matches(labels.Set(pod.Labels)) && serves(pod, b.service.Spec.PublishNotReadyAddresses) {
			b.ready = append(b.ready, pod)
		}
	}
	slices.SortFunc(b.ready, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return b.ready
}

// translate is [host.Network.Translate]: the address of a service becomes that of
// one of its pods.
func (p *proxy) translate(ip string, port int) (string, int, bool) {
	key, ok := p.byIP[ip]
	if !ok {
		return ip, port, true
	}
	b := p.services[key]
	i := slices.IndexFunc(b.service.Spec.Ports, func(s corev1.ServicePort) bool { return int(s.Port) == port })
	pods := p.behind(b)
	if i < 0 || len(pods) == 0 {
		return "", 0, false
	}
	pod := pods[0]
	if len(pods) > 1 {
		pod = pods[p.pick.IntN(len(pods))]
	}
	to, err := targetPort(b.service.Spec.Ports[i], pod)
	if err != nil {
		return "", 0, false
	}
	return pod.Status.PodIP, to, true
}

// targetPort is the pod's port behind a service's.
func targetPort(port corev1.ServicePort, pod *corev1.Pod) (int, error) {
	if port.TargetPort.Type == intstr.Int {
		if n := port.TargetPort.IntValue(); n != 0 {
			return n, nil
		}
		return int(port.Port), nil
	}
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.Name == port.TargetPort.StrVal {
				return int(p.ContainerPort), nil
			}
		}
	}
	return 0, fmt.Errorf("pod %s/%s has no port %q", pod.Namespace, pod.Name, port.TargetPort.StrVal)
}
