package mirror

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

// App is the label app of the daemons, and the prefix of their names.
const App = "rook-ceph-rbd-mirror"

func name(id string) string          { return App + "-" + id }
func keyringSecret(id string) string { return App + "-" + id + "-keyring" }
func entity(id string) string        { return "client.rbd-mirror." + id }

// ids are the names of the daemons that are wanted: a, b, … (S8).
func ids(workers int) []string {
	all := make([]string, 0, workers)
	for i := range workers {
		all = append(all, identity.MonName(i))
	}
	return all
}

// Reconcile starts the daemons that are wanted and takes away the others.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	wanted := map[string]bool{}
	for _, id := range ids(p.Cluster.Spec.RBDMirroring.Workers) {
		wanted[id] = true
		if err := start(ctx, p, id); err != nil {
			return err
		}
	}
	var running appsv1.DeploymentList
	labels := daemon.AppLabels(App, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &running, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return fmt.Errorf("failed to list the rbd-mirror Deployments: %w", err)
	}
	for i := range running.Items {
		id := running.Items[i].Labels[daemon.IDLabel]
		if id == "" || wanted[id] || !object.Owns(object.OwnedBy(p.Cluster), &running.Items[i]) {
			continue
		}
		if err := stop(ctx, p, id); err != nil {
			return err
		}
	}
	return nil
}

func start(ctx context.Context, p *pass.Pass, id string) error {
	if err := daemon.EnsureKey(ctx, p, keyringSecret(id), entity(id),
		ceph.Cap{Type: "mon", Allow: "profile rbd-mirror"}, ceph.Cap{Type: "osd", Allow: "profile rbd"}); err != nil {
		return err
	}
	err := upgrade.Ensure(ctx, p, upgrade.RBDMirror, id, Deployment(p, id))
	if err == nil {
		err = daemon.Running(ctx, p.Doors, p.Cluster.Namespace, name(id))
	}
	if waiting, ok := pass.IsWaiting(err); ok {
		p.Later(waiting)
		return nil
	}
	return err
}

// stop takes a daemon away. Its Deployment goes last: as long as it is there, a
// run after a crash finds it and goes on.
func stop(ctx context.Context, p *pass.Pass, id string) error {
	if err := p.Ceph.AuthDel(ctx, entity(id)); err != nil {
		return fmt.Errorf("failed to delete the key of %s: %w", entity(id), err)
	}
	meta := metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: keyringSecret(id)}
	if _, err := object.Delete(ctx, p.Client, &corev1.Secret{ObjectMeta: meta}, object.OwnedBy(p.Cluster)); err != nil {
		return err
	}
	meta.Name = name(id)
	if _, err := object.Delete(ctx, p.Client, &appsv1.Deployment{ObjectMeta: meta}, object.OwnedBy(p.Cluster)); err != nil {
		return err
	}
	p.Log.Infof("removed rbd-mirror %s", id)
	return nil
}

// Deployment is that of one daemon.
func Deployment(p *pass.Pass, id string) *appsv1.Deployment {
	spec := &p.Cluster.Spec
	image := spec.CephVersion.Image
	pod := daemon.PodSpec(spec, spec.Placement.For(v1.RBDMirror))
	pod.Containers = []corev1.Container{{
		Name:            "rbd-mirror",
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"rbd-mirror"},
		Args:            append(daemon.GlobalFlags(p.Identity.FSID, daemon.KeyringFile, p.Version), "--name="+entity(id), "--foreground"),
		Env:             append(daemon.Env(image), daemon.MonEnv()...),
		Resources:       spec.Resources[v1.RBDMirror],
		SecurityContext: daemon.Privileged(p.Privileged),
		VolumeMounts:    []corev1.VolumeMount{daemon.ConfigMount(), daemon.KeyringMount(keyringSecret(id)), daemon.LogMount()},
	}}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.KeyringVolume(keyringSecret(id)),
		daemon.LogVolume(spec.DataDirHostPath, p.Cluster.Namespace),
	}
	labels := daemon.Labels(App, p.Cluster.Namespace, "rbdmirror", id)
	return daemon.Deployment(p.Cluster.Namespace, name(id), labels, spec.Annotations.For(v1.RBDMirror), p.Version, pod)
}
