package mon

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// msgr2Port is the standard port of the second wire protocol (S91).
const msgr2Port = 3300

// resourceName is what everything of a mon is called (S87).
func resourceName(mon string) string { return identity.MonApp + "-" + mon }

// labels are those of a mon's pod (S111).
func labels(namespace, mon string) map[string]string {
	l := daemon.Labels(identity.MonApp, namespace, "mon", mon)
	l["mon_cluster"] = namespace
	return l
}

// service is the Service that gives a mon its address, with the recorded one if
// there is one already (S91).
func service(p *pass.Pass, m pass.Mon, recorded string) *corev1.Service {
	_, port := split(m.Endpoint)
	ports := []corev1.ServicePort{servicePort("msgr1", port)}
	if p.Version.Has(ceph.Msgr2) {
		ports = append(ports, servicePort("msgr2", msgr2Port))
	}
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Cluster.Namespace, Name: resourceName(m.Name), Labels: labels(p.Cluster.Namespace, m.Name),
		},
		Spec: corev1.ServiceSpec{
			ClusterIP: recorded,
			Ports:     ports,
			Selector:  labels(p.Cluster.Namespace, m.Name),
		},
	}
}

func servicePort(name string, port int32) corev1.ServicePort {
	return corev1.ServicePort{Name: name, Port: port, TargetPort: intstr.FromInt32(port), Protocol: corev1.ProtocolTCP}
}
