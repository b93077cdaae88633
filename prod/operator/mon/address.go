package mon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// split takes a recorded endpoint apart.
func split(endpoint string) (ip string, port int32) {
	if endpoint == "" {
		return "", identity.DefaultMonPort
	}
	address, err := netip.ParseAddrPort(endpoint) // what is recorded has been checked
	if err != nil {
		return "", identity.DefaultMonPort
	}
	return address.Addr().String(), int32(address.Port())
}

// onHost says whether a mon uses its node's network. One that is recorded stays
// as it is, since a mon's address cannot change; a new one follows the spec.
func onHost(p *pass.Pass, m pass.Mon) bool {
	ip, _ := split(m.Endpoint)
	if ip != "" && m.Node != nil && m.Node.Address != "" {
		return ip == m.Node.Address
	}
	return p.Cluster.Spec.Network.IsHost()
}

// address finds the IP of a mon, making its Service if it has one (S90, S91).
// What comes back is an IP address, and for a recorded mon the recorded one.
func address(ctx context.Context, p *pass.Pass, m pass.Mon) (string, error) {
	if onHost(p, m) {
		p.Log.Infof("setting mon endpoints for hostnetwork mode")
		if m.Node == nil {
			return "", errors.New("mon doesn't exist in assignment map")
		}
		if net.ParseIP(m.Node.Address) == nil {
			return "", fmt.Errorf("node %s of mon %s has no internal IP address (%q)", m.Node.Name, m.Name, m.Node.Address)
		}
		return m.Node.Address, nil
	}
	recorded, _ := split(m.Endpoint)
	desired := service(p, m, recorded)
	if _, err := object.Ensure(ctx, p.Client, desired, object.OwnedBy(p.Cluster)); err != nil {
		return "", fmt.Errorf("failed to create mon service. %w", err)
	}
	if recorded != "" {
		return recorded, nil
	}
	var made corev1.Service
	err := p.Client.Get(ctx, client.ObjectKeyFromObject(desired), &made)
	switch {
	case apierrors.IsNotFound(err): // what was just made has not come to our eyes yet
		return "", pass.WaitFor(v1.ReasonWaiting, time.Second, "the new Service %s to be seen", desired.Name)
	case err != nil:
		return "", fmt.Errorf("failed to create mon service. %w", err)
	}
	if net.ParseIP(made.Spec.ClusterIP) == nil {
		return "", fmt.Errorf("failed to create mon service. service %s has no IP address (%q)", made.Name, made.Spec.ClusterIP)
	}
	return made.Spec.ClusterIP, nil
}

// elsewhere says, in words, that a recorded mon has another address by now: its
// Service was made anew by someone, or its node has got another address. A mon
// cannot move with it, since the others know it by the recorded one.
func (s *step) elsewhere(m pass.Mon) string {
	recorded, _ := split(m.Endpoint)
	if recorded == "" {
		return ""
	}
	if onHost(s.Pass, m) {
		if i := s.nodeOf(m); i >= 0 {
			if now := node.Address(&s.nodes[i]); now != "" && now != recorded {
				return fmt.Sprintf("node %s has the address %s, but mon %s is recorded at %s and cannot move", m.Node.Name, now, m.Name, recorded)
			}
		}
		return ""
	}
	service := s.services[m.Name]
	if service == nil || service.Spec.ClusterIP == recorded || service.Spec.ClusterIP == "" {
		return ""
	}
	return fmt.Sprintf("service %s has the address %s, but mon %s is recorded at %s and cannot move; delete the service, and it is made anew with that address",
		service.Name, service.Spec.ClusterIP, m.Name, recorded)
}

// hostPort joins an IP and a port.
func hostPort(ip string, port int32) string { return net.JoinHostPort(ip, strconv.Itoa(int(port))) }
