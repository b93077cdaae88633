package kube

import (
	"fmt"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (a *API) serviceStrategy(s *strategy) {
	s.validName = validation.NameIsDNS1035Label
	s.prepare = func(obj, old client.Object) error {
		svc := obj.(*corev1.Service)
		defaultService(svc)
		if old != nil {
			keepAddresses(svc, old.(*corev1.Service))
		}
		return a.giveAddress(svc)
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		svc := obj.(*corev1.Service)
		errs := validateServicePorts(svc)
		if old != nil {
			errs = append(errs, validateServiceUpdate(svc, old.(*corev1.Service))...)
		}
		return append(errs, a.validateClusterIP(svc, old)...)
	}
	s.committed = func(obj, old client.Object) {
		if old != nil {
			delete(a.addresses.used, old.(*corev1.Service).Spec.ClusterIP)
		}
		if ip := obj.(*corev1.Service).Spec.ClusterIP; ip != "" && ip != corev1.ClusterIPNone {
			a.addresses.used[ip] = true
		}
	}
	s.removed = func(obj client.Object) { delete(a.addresses.used, obj.(*corev1.Service).Spec.ClusterIP) }
}

func defaultService(svc *corev1.Service) {
	spec := &svc.Spec
	if spec.Type == "" {
		spec.Type = corev1.ServiceTypeClusterIP
	}
	if spec.SessionAffinity == "" {
		spec.SessionAffinity = corev1.ServiceAffinityNone
	}
	if spec.SessionAffinity == corev1.ServiceAffinityClientIP && spec.SessionAffinityConfig == nil {
		timeout := corev1.DefaultClientIPServiceAffinitySeconds
		spec.SessionAffinityConfig = &corev1.SessionAffinityConfig{ClientIP: &corev1.ClientIPConfig{TimeoutSeconds: &timeout}}
	}
	for i := range spec.Ports {
		p := &spec.Ports[i]
		if p.Protocol == "" {
			p.Protocol = corev1.ProtocolTCP
		}
		if p.TargetPort == intstr.FromInt32(0) || p.TargetPort == intstr.FromString("") {
			p.TargetPort = intstr.FromInt32(p.Port)
		}
	}
	if spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if spec.InternalTrafficPolicy == nil {
		cluster := corev1.ServiceInternalTrafficPolicyCluster
		spec.InternalTrafficPolicy = &cluster
	}
	if external := spec.Type == corev1.ServiceTypeNodePort || spec.Type == corev1.ServiceTypeLoadBalancer; external && spec.ExternalTrafficPolicy == "" {
		spec.ExternalTrafficPolicy = corev1.ServiceExternalTrafficPolicyCluster
	}
	if spec.IPFamilyPolicy == nil {
		single := corev1.IPFamilyPolicySingleStack
		spec.IPFamilyPolicy = &single
	}
	if len(spec.IPFamilies) == 0 {
		spec.IPFamilies = []corev1.IPFamily{corev1.IPv4Protocol}
	}
}

// keepAddresses gives an update that does not mention its addresses those that
// the service has.
func keepAddresses(svc, old *corev1.Service) {
	if svc.Spec.Type == corev1.ServiceTypeExternalName || old.Spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if svc.Spec.ClusterIP == "" {
		svc.Spec.ClusterIP, svc.Spec.ClusterIPs = old.Spec.ClusterIP, old.Spec.ClusterIPs
	}
}

// giveAddress gives a service a ClusterIP unless it has or needs none.
func (a *API) giveAddress(svc *corev1.Service) error {
	spec := &svc.Spec
	if spec.Type == corev1.ServiceTypeExternalName {
		return nil
	}
	if spec.ClusterIP == "" && len(spec.ClusterIPs) > 0 {
		spec.ClusterIP = spec.ClusterIPs[0]
	}
	if spec.ClusterIP == "" {
		ip, err := a.addresses.next()
		if err != nil {
			return err
		}
		spec.ClusterIP = ip
	}
	if len(spec.ClusterIPs) == 0 {
		spec.ClusterIPs = []string{spec.ClusterIP}
	}
	return nil
}

func (a *API) validateClusterIP(svc *corev1.Service, old client.Object) field.ErrorList {
	path, ip := field.NewPath("spec", "clusterIPs").Index(0), svc.Spec.ClusterIP
	if ip == "" || ip == corev1.ClusterIPNone {
		return nil
	}
	if _, err := netip.ParseAddr(ip); err != nil {
		return field.ErrorList{field.Invalid(path, ip, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")}
	}
	if old == nil && a.addresses.used[ip] {
		return field.ErrorList{field.Invalid(path, svc.Spec.ClusterIPs, "failed to allocate IP "+ip+": provided IP is already allocated")}
	}
	return nil
}

func validateServiceUpdate(svc, old *corev1.Service) field.ErrorList {
	if svc.Spec.Type == corev1.ServiceTypeExternalName || old.Spec.Type == corev1.ServiceTypeExternalName || svc.Spec.ClusterIP == old.Spec.ClusterIP {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "clusterIPs").Index(0), svc.Spec.ClusterIP, "may not change once set")}
}

func validateServicePorts(svc *corev1.Service) field.ErrorList {
	spec, path := &svc.Spec, field.NewPath("spec", "ports")
	var errs field.ErrorList
	if len(spec.Ports) == 0 && spec.ClusterIP != corev1.ClusterIPNone && spec.Type != corev1.ServiceTypeExternalName {
		return append(errs, field.Required(path, ""))
	}
	names, numbers := map[string]bool{}, map[string]bool{}
	for i, p := range spec.Ports {
		at := path.Index(i)
		switch {
		case p.Name == "" && len(spec.Ports) > 1:
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names[p.Name]:
			errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
		case p.Name != "":
			errs = append(errs, dnsLabel(p.Name, at.Child("name"))...)
		}
		names[p.Name] = p.Name != ""
		errs = append(errs, portNumber(p.Port, at.Child("port"))...)
		if number := fmt.Sprintf("%s/%d", p.Protocol, p.Port); numbers[number] {
			errs = append(errs, field.Duplicate(at, corev1.ServicePort{Protocol: p.Protocol, Port: p.Port}))
		} else {
			numbers[number] = true
		}
	}
	return errs
}
