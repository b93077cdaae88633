package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Names of objects and keys.
const (
	// OverrideName is the ConfigMap of a person's own settings, and OverrideKey
	// its key (S64).
	OverrideName = "rook-config-override"
	OverrideKey  = "config"
	// FileKey is the key of ceph.conf in the ConfigMap rook-ceph-config, and
	// the other two those of the Secret of that name (S82).
	FileKey              = "ceph.conf"
	MonHostKey           = "mon_host"
	MonInitialMembersKey = "mon_initial_members"
	// overrideError is the annotation of the ConfigMap rook-ceph-config that
	// says why a person's own settings are not in it.
	overrideError = "ceph.rook.io/override-error"
)

// Dir is the operator's directory for a cluster, /var/lib/rook/<namespace>: the
// cluster's name is that of its namespace (S75).
func Dir(p *pass.Pass) string { return path.Join(p.ConfigDir, p.Cluster.Namespace) }

// Path is the operator's configuration file for the cluster (S75).
func Path(p *pass.Pass) string { return path.Join(Dir(p), p.Cluster.Namespace+".config") }

// AdminKeyringPath is the keyring of the operator's own commands (S77).
func AdminKeyringPath(p *pass.Pass) string { return adminKeyring(Dir(p)) }

func adminKeyring(dir string) string { return path.Join(dir, ceph.AdminKeyringFile) }

// Conn is how the operator's own commands reach the cluster (S95).
func Conn(p *pass.Pass) ceph.Conn {
	return ceph.Conn{Cluster: p.Cluster.Namespace, Conf: Path(p), Keyring: AdminKeyringPath(p)}
}

// EnsureOverride makes the ConfigMap for a person's own settings, and never
// touches one that is there (S64-S66).
func EnsureOverride(ctx context.Context, p *pass.Pass) error {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: OverrideName},
		Data:       map[string]string{OverrideKey: ""},
	}
	if _, err := object.EnsureOnce(ctx, p.Client, cm, object.OwnedBy(p.Cluster)); err != nil {
		return fmt.Errorf("failed to create override configmap %s. %w", p.Cluster.Namespace, err)
	}
	return nil
}

// override reads a person's own settings. Settings that do not read are a
// complaint and not an error; there are none then.
func override(ctx context.Context, p *pass.Pass) (file *File, complaint string, err error) {
	var cm corev1.ConfigMap
	err = p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: OverrideName}, &cm)
	if apierrors.IsNotFound(err) {
		return &File{}, "", nil // the next pass makes it anew
	}
	if err != nil {
		return nil, "", fmt.Errorf("failed to get override configmap %s. %w", p.Cluster.Namespace, err)
	}
	file, err = Parse(cm.Data[OverrideKey])
	if err != nil {
		return &File{}, err.Error(), nil
	}
	return file, "", nil
}

// Store brings the ConfigMap and the Secret rook-ceph-config to what the
// cluster's mons are, with a person's own settings over ours (S82).
func Store(ctx context.Context, p *pass.Pass) error {
	facts := FactsOf(p)
	file := Daemons(facts)
	own, complaint, err := override(ctx, p)
	if err != nil {
		return err
	}
	file.Merge(own)
	meta := metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: daemon.ConfigSecret}
	cm := &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{FileKey: file.String()}}
	if complaint != "" {
		cm.Annotations = map[string]string{overrideError: complaint}
		p.Log.Warningf("the settings in configmap %s of namespace %s are left out: %s", OverrideName, p.Cluster.Namespace, complaint)
	}
	changed, err := object.Ensure(ctx, p.Client, cm, object.OwnedBy(p.Cluster))
	if err != nil {
		return fmt.Errorf("failed to save ceph config of namespace %s. %w", p.Cluster.Namespace, err)
	}
	if changed && complaint != "" {
		p.Events.Event(p.Cluster, door.Warning, "OverrideIgnored",
			fmt.Sprintf("The settings in ConfigMap %s are left out: %s", OverrideName, complaint))
	}
	hosts := &corev1.Secret{
		ObjectMeta: meta,
		Type:       daemon.SecretType,
		Data: map[string][]byte{
			MonHostKey:           []byte(facts.MonHost()),
			MonInitialMembersKey: []byte(facts.MonInitialMembers(",")),
		},
	}
	if _, err := object.Ensure(ctx, p.Client, hosts, object.OwnedBy(p.Cluster)); err != nil {
		return fmt.Errorf("failed to save mon hosts of namespace %s. %w", p.Cluster.Namespace, err)
	}
	return nil
}

// WriteFiles writes the operator's own configuration, its admin keyring, and the
// copy that bare commands read (S75-S79). A copy that cannot be written is only
// a warning.
func WriteFiles(ctx context.Context, p *pass.Pass, adminKeyring []byte) error {
	file := Operator(FactsOf(p), Dir(p))
	own, complaint, err := override(ctx, p)
	if err != nil {
		return err
	}
	if complaint == "" {
		file.Merge(own)
	}
	text := []byte(file.String())
	if err := p.Files.MkdirAll(Dir(p), 0o744); err != nil {
		return fmt.Errorf("failed to write connection config: %w", err)
	}
	if err := write(p.Files, AdminKeyringPath(p), adminKeyring, 0o600); err != nil {
		return fmt.Errorf("failed to write connection config: %w", err)
	}
	if err := write(p.Files, Path(p), text, 0o644); err != nil {
		return fmt.Errorf("failed to write connection config: %w", err)
	}
	if err := copyTo(p, text); err != nil {
		p.Log.Warningf("failed to copy ceph config to %s. %v", p.EtcCephDir, err)
	}
	return nil
}

func copyTo(p *pass.Pass, text []byte) error {
	if err := p.Files.MkdirAll(p.EtcCephDir, 0o755); err != nil {
		return err
	}
	return write(p.Files, path.Join(p.EtcCephDir, FileKey), text, 0o644)
}

// write puts a file in place unless it has that content.
func write(files host.Files, name string, data []byte, mode fs.FileMode) error {
	before, err := files.ReadFile(name)
	if err == nil && bytes.Equal(before, data) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("failed to read %s: %w", name, err)
	}
	return files.WriteFile(name, data, mode)
}
