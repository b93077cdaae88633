package identity

import (
	"context"
	"fmt"
	"net"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// Secrets with keyrings (S83, S84).
const (
	MonsKeyringName  = "rook-ceph-mons-keyring"
	AdminKeyringName = "rook-ceph-admin-keyring"
)

// DefaultMonPort is where mons listen unless they are recorded otherwise (S86).
const DefaultMonPort = 6789

// Reconcile finds the cluster's identity, or makes it for a new cluster, and
// puts into place what follows from it, in S85's order. Afterwards p.Identity
// and p.Ceph are filled.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	if err := load(ctx, p); err != nil {
		return fmt.Errorf("failed to get cluster info. %w", err)
	}
	if err := SaveMons(ctx, p); err != nil {
		return err
	}
	if err := ensureKeyring(ctx, p, MonsKeyringName, monsKeyring(p.Identity)); err != nil {
		return fmt.Errorf("failed to save mon keyring secret. %w", err)
	}
	if err := ensureKeyring(ctx, p, AdminKeyringName, adminKeyring(p.Identity)); err != nil {
		return fmt.Errorf("failed to save admin keyring secret. %w", err)
	}
	p.Ceph = ceph.NewAdmin(p.Exec, p.Files, p.IDs, config.Conn(p), p.Version)
	if len(p.Identity.Mons) == 0 {
		return nil
	}
	return WriteFiles(ctx, p)
}

// SaveMons records the cluster's mons: first their list, then what daemons get
// of it (S80-S82).
func SaveMons(ctx context.Context, p *pass.Pass) error {
	data, err := Encode(Endpoints{Mons: p.Identity.Mons, MaxMonID: p.Identity.MaxMonID, Ports: p.Identity.Ports})
	if err != nil {
		return fmt.Errorf("failed to save mons. %w", err)
	}
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: EndpointsName},
		Data:       data,
	}
	var before client.Object
	if p.Identity.Record != nil {
		before = p.Identity.Record
	}
	after, err := object.EnsureSince(ctx, p.Client, before, cm, object.OwnedBy(p.Cluster))
	if err != nil {
		return fmt.Errorf("failed to save mons. %w", err)
	}
	p.Identity.Record = after.(*corev1.ConfigMap)
	if err := config.Store(ctx, p); err != nil {
		return fmt.Errorf("failed to save mons. %w", err)
	}
	return nil
}

// WriteFiles writes the operator's own files for the mons of the moment (S79).
func WriteFiles(ctx context.Context, p *pass.Pass) error {
	return config.WriteFiles(ctx, p, []byte(adminKeyring(p.Identity).Reveal()))
}

// load fills p.Identity (S67-S74).
func load(ctx context.Context, p *pass.Pass) error {
	stored, err := get(ctx, p.Client, p.Cluster.Namespace)
	if err != nil {
		return err
	}
	if stored != nil {
		if err := former(p, "Secret", stored); err != nil {
			return err
		}
		if p.Identity, err = fields(stored); err != nil {
			return err
		}
		p.Log.Debugf("found existing monitor secrets for cluster %s", p.Cluster.Namespace)
		return loadMons(ctx, p)
	}
	found, err := evidence(ctx, p)
	if err != nil {
		return err
	}
	if found != "" { // S68: who has a cluster loads its identity, and never makes one
		return pass.Refuse(v1.ReasonIdentityMissing,
			"not expected to create new cluster info and did not find existing secret: Secret %s/%s with the cluster's fsid and keys is missing, but the cluster is not new: %s. "+
				"Restore the Secret from a backup; nothing is changed until then. Only if the cluster's data is given up, delete what is left of it",
			p.Cluster.Namespace, SecretName, found)
	}
	if p.Identity, err = mint(ctx, p); err != nil {
		return err
	}
	return loadMons(ctx, p)
}

// former waits for what a deleted cluster of the same namespace has left, which
// garbage collection is about to remove.
func former(p *pass.Pass, kind string, o client.Object) error {
	if o.GetDeletionTimestamp() != nil {
		return pass.WaitFor(v1.ReasonWaiting, 0, "%s %s, which is being deleted, to be gone", kind, o.GetName())
	}
	owner := object.OwnedBy(p.Cluster)
	if object.Owns(owner, o) {
		return nil
	}
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == owner.Kind {
			return pass.WaitFor(v1.ReasonWaiting, 0, "%s %s of the former %s %s (uid %s) to be removed", kind, o.GetName(), ref.Kind, ref.Name, ref.UID)
		}
	}
	return nil
}

// loadMons reads the recorded mons (S74). Where the record is lost or does not
// say where a mon runs, the mons' own Deployments tell.
func loadMons(ctx context.Context, p *pass.Pass) error {
	var recorded corev1.ConfigMap
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: EndpointsName}, &recorded)
	if client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("failed to get configmap %s. %w", EndpointsName, err)
	}
	if !apierrors.IsNotFound(err) {
		if err := former(p, "ConfigMap", &recorded); err != nil {
			return err
		}
		p.Identity.Record = &recorded
	}
	endpoints, complaints, err := Decode(recorded.Data)
	if err != nil {
		return pass.Refuse(v1.ReasonFailed, "ConfigMap %s/%s: %v: correct it; nothing is changed until then", p.Cluster.Namespace, EndpointsName, err)
	}
	var deployments appsv1.DeploymentList
	if err := p.Client.List(ctx, &deployments, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels{daemon.AppLabel: MonApp}); err != nil {
		return fmt.Errorf("failed to list mon deployments. %w", err)
	}
	if err := contradicted(ctx, p, endpoints, deployments.Items); err != nil {
		return err
	}
	for _, complaint := range complaints {
		p.Log.Errorf("configmap %s of namespace %s: %s", EndpointsName, p.Cluster.Namespace, complaint)
	}
	lost := len(endpoints.Mons) == 0
	for i := range deployments.Items {
		fromDeployment(&endpoints, &deployments.Items[i], lost)
	}
	if lost && len(endpoints.Mons) > 0 {
		p.Log.Warningf("configmap %s of namespace %s lists no mons; took %s from their deployments",
			EndpointsName, p.Cluster.Namespace, strings.Join(Sorted(endpoints.Mons), ", "))
	}
	endpoints.raise()
	p.Identity.Mons, p.Identity.MaxMonID, p.Identity.Ports = endpoints.Mons, endpoints.MaxMonID, endpoints.Ports
	return nil
}

// fromDeployment takes from a mon's Deployment what the record does not say:
// that its id was given out, and the node it is pinned to; if the record is
// lost, also the mon itself, since starting other mons with the same fsid would
// split the cluster.
func fromDeployment(e *Endpoints, d *appsv1.Deployment, lost bool) {
	name := d.Labels[daemon.IDLabel]
	id, ok := MonID(name)
	if !ok {
		return
	}
	e.MaxMonID = max(e.MaxMonID, id)
	mon, known := e.Mons[name]
	if !known && lost {
		endpoint := publicAddr(d)
		if endpoint == "" {
			return
		}
		mon, known = pass.Mon{Name: name, Endpoint: endpoint}, true
	}
	hostname := d.Spec.Template.Spec.NodeSelector[daemon.HostnameLabel]
	if known && mon.Node == nil && hostname != "" {
		mon.Node = &pass.MonNode{Name: hostname, Hostname: hostname}
	}
	if known {
		e.Mons[name] = mon
	}
}

// contradicted refuses a record that names another address for a mon than both
// its Service and its Deployment, before anything is derived from it: a mon's
// address cannot change, so that the record was changed by hand.
func contradicted(ctx context.Context, p *pass.Pass, e Endpoints, deployments []appsv1.Deployment) error {
	for i := range deployments {
		name := deployments[i].Labels[daemon.IDLabel]
		mon, known := e.Mons[name]
		runs := host(publicAddr(&deployments[i]))
		if !known || runs == "" || host(mon.Endpoint) == runs {
			continue
		}
		var service corev1.Service
		err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: MonApp + "-" + name}, &service)
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("failed to get the service of mon %s. %w", name, err)
		}
		if err == nil && service.Spec.ClusterIP == runs {
			return pass.Refuse(v1.ReasonFailed,
				"ConfigMap %s/%s has mon %s at %s, but its Deployment and its Service have it at %s, and a mon cannot move: correct the ConfigMap; nothing is changed until then",
				p.Cluster.Namespace, EndpointsName, name, mon.Endpoint, runs)
		}
	}
	return nil
}

// host is the IP address of an endpoint, "" if there is none.
func host(endpoint string) string {
	address, _, err := net.SplitHostPort(endpoint)
	if err != nil {
		return ""
	}
	return address
}

// publicAddr is the endpoint in a mon Deployment's arguments, "" if there is none.
func publicAddr(d *appsv1.Deployment) string {
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, arg := range c.Args {
			address, ok := strings.CutPrefix(arg, "--public-addr=")
			if !ok {
				continue
			}
			address = strings.TrimPrefix(address, "v1:") // beside another port than the standard one
			if _, _, err := net.SplitHostPort(address); err == nil {
				return address
			}
			if net.ParseIP(address) != nil {
				return net.JoinHostPort(address, fmt.Sprint(DefaultMonPort))
			}
		}
	}
	return ""
}

// ensureKeyring stores a keyring in a Secret of the cluster.
func ensureKeyring(ctx context.Context, p *pass.Pass, name string, keyring secret.Value) error {
	_, err := object.Ensure(ctx, p.Client, daemon.KeyringSecret(p.Cluster.Namespace, name, keyring), object.OwnedBy(p.Cluster))
	return err
}

// monsKeyring is what all mons share (S83).
func monsKeyring(id pass.Identity) secret.Value {
	return secret.New("[mon.]\n\tkey = " + id.MonKey.Reveal() + "\n\tcaps mon = \"allow *\"\n\n" + adminKeyring(id).Reveal())
}

// adminKeyring is that of client.admin (S84).
func adminKeyring(id pass.Identity) secret.Value {
	return secret.New("[client.admin]\n\tkey = " + id.AdminKey.Reveal() + "\n\tauid = 0\n" +
		"\tcaps mds = \"allow *\"\n\tcaps mon = \"allow *\"\n\tcaps osd = \"allow *\"\n\tcaps mgr = \"allow *\"\n")
}
