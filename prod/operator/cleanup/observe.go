package cleanup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// stock is what there is of the cluster in Kubernetes.
type stock struct {
	deployments []appsv1.Deployment
	jobs        []batchv1.Job // of the daemons
	wipers      map[string]*batchv1.Job
	pods        []corev1.Pod // that have not ended
	nodes       []corev1.Node
	// directories are by hostname those of the host that OSDs were made in.
	directories map[string][]string
	// reported are the hostnames of the nodes that were prepared for OSDs.
	reported []string
}

// observe takes stock.
func observe(ctx context.Context, p *pass.Pass) (*stock, error) {
	s := &stock{wipers: map[string]*batchv1.Job{}, directories: map[string][]string{}}
	owner := object.OwnedBy(p.Cluster)
	here := client.InNamespace(p.Cluster.Namespace)
	var deployments appsv1.DeploymentList
	if err := p.Client.List(ctx, &deployments, here); err != nil {
		return nil, fmt.Errorf("failed to list the Deployments of namespace %s: %w", p.Cluster.Namespace, err)
	}
	for i := range deployments.Items {
		if object.Owns(owner, &deployments.Items[i]) {
			s.deployments = append(s.deployments, deployments.Items[i])
		}
	}
	var jobs batchv1.JobList
	if err := p.Client.List(ctx, &jobs, here); err != nil {
		return nil, fmt.Errorf("failed to list the Jobs of namespace %s: %w", p.Cluster.Namespace, err)
	}
	for i := range jobs.Items {
		switch job := &jobs.Items[i]; {
		case !object.Owns(owner, job):
		case job.Labels[daemon.AppLabel] == App:
			s.wipers[job.Name] = job
		default:
			s.jobs = append(s.jobs, *job)
		}
	}
	var pods corev1.PodList
	if err := p.Client.List(ctx, &pods, here, client.MatchingLabels{daemon.ClusterLabel: p.Cluster.Namespace}); err != nil {
		return nil, fmt.Errorf("failed to list the pods of namespace %s: %w", p.Cluster.Namespace, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Labels[daemon.AppLabel] != App && pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			s.pods = append(s.pods, *pod)
		}
	}
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("failed to list the nodes: %w", err)
	}
	s.nodes = nodes.Items
	return s, s.readResults(ctx, p)
}

// readResults reads what the jobs of the OSDs have reported.
func (s *stock) readResults(ctx context.Context, p *pass.Pass) error {
	var results corev1.ConfigMapList
	if err := p.Client.List(ctx, &results, client.InNamespace(p.Cluster.Namespace)); err != nil {
		return fmt.Errorf("failed to list the ConfigMaps of namespace %s: %w", p.Cluster.Namespace, err)
	}
	owner := object.OwnedBy(p.Cluster)
	for i := range results.Items {
		cm := &results.Items[i]
		hostname := cm.Data["node"]
		if hostname == "" {
			hostname = prepare.ResultNode(cm.Name)
		}
		if prepare.ResultNode(cm.Name) == "" || !object.Owns(owner, cm) {
			continue
		}
		s.reported = append(s.reported, hostname)
		result, err := prepare.DecodeResult(cm)
		if err != nil {
			p.Log.Warningf("%v: OSDs in directories of node %s are left as they are", err, hostname)
			continue
		}
		for _, osd := range result.OSDs {
			if osd.Directory != "" && !slices.Contains(s.directories[hostname], osd.Directory) {
				s.directories[hostname] = append(s.directories[hostname], osd.Directory)
			}
		}
	}
	return nil
}

// hosts are by hostname the nodes that hold something of the cluster: where a
// daemon runs or is pinned to, and where OSDs were prepared.
func (s *stock) hosts() []string {
	hosts := map[string]bool{}
	for _, hostname := range s.reported {
		hosts[hostname] = true
	}
	for i := range s.deployments {
		hosts[s.deployments[i].Spec.Template.Spec.NodeSelector[daemon.HostnameLabel]] = true
	}
	for i := range s.pods {
		if n := s.node(func(n *corev1.Node) bool { return n.Name == s.pods[i].Spec.NodeName }); n != nil {
			hosts[node.Hostname(n)] = true
		}
	}
	delete(hosts, "")
	return slices.Sorted(maps.Keys(hosts))
}

func (s *stock) node(is func(*corev1.Node) bool) *corev1.Node {
	for i := range s.nodes {
		if is(&s.nodes[i]) {
			return &s.nodes[i]
		}
	}
	return nil
}

// at is what is known of a node's part of the work.
func (s *stock) at(hostname string) seen {
	found := seen{hostname: hostname, job: s.wipers[JobName(hostname)]}
	found.node = s.node(func(n *corev1.Node) bool { return node.Hostname(n) == hostname })
	for i := range s.pods {
		if found.node != nil && s.pods[i].Spec.NodeName == found.node.Name {
			found.pods = append(found.pods, s.pods[i].Name)
		}
	}
	return found
}

// fsid is the cluster's: from its identity, or, if that is lost, from the
// arguments of its daemons. It is "" for a cluster that has neither.
func (s *stock) fsid(ctx context.Context, p *pass.Pass) (string, error) {
	fsid, err := identity.FSID(ctx, p)
	if err != nil || fsid != "" {
		return fsid, err
	}
	for i := range s.deployments {
		for _, c := range s.deployments[i].Spec.Template.Spec.Containers {
			for _, arg := range c.Args {
				if fsid, ok := strings.CutPrefix(arg, "--fsid="); ok {
					return fsid, nil
				}
			}
		}
	}
	return "", nil
}
