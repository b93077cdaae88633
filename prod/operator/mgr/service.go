package mgr

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
)

// MetricsService is where Prometheus finds the mgr.
func MetricsService(namespace string) *corev1.Service {
	return service(namespace, App, "http-metrics", MetricsPort)
}

// DashboardService is where people find the dashboard (S6).
func DashboardService(namespace string, dashboard v1.DashboardSpec) *corev1.Service {
	port := "https-dashboard"
	if !dashboard.UseSSL() {
		port = "http-dashboard"
	}
	return service(namespace, App+"-dashboard", port, int32(dashboard.ServedPort()))
}

func service(namespace, name, portName string, port int32) *corev1.Service {
	labels := daemon.AppLabels(App, namespace)
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels},
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: labels,
			Ports: []corev1.ServicePort{{
				Name: portName, Port: port, TargetPort: intstr.FromInt32(port), Protocol: corev1.ProtocolTCP,
			}},
		},
	}
}
