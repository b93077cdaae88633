package identity

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"
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

// SecretName is the Secret that holds the identity (S67).
const SecretName = "rook-ceph-mon"

// Keys of the Secret (S73).
const (
	clusterNameKey = "cluster-name"
	fsidKey        = "fsid"
	monSecretKey   = "mon-secret"
	adminSecretKey = "admin-secret"
)

// get returns the Secret, nil only if it is definitely not there.
func get(ctx context.Context, c client.Client, namespace string) (*corev1.Secret, error) {
	var stored corev1.Secret
	err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: SecretName}, &stored)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get mon secrets. Secret %s/%s: %w", namespace, SecretName, err)
	}
	return &stored, nil
}

// fields reads all fields of the Secret; each must be there (S73).
func fields(stored *corev1.Secret) (pass.Identity, error) {
	values := map[string]string{}
	var missing []string
	for _, key := range []string{clusterNameKey, fsidKey, monSecretKey, adminSecretKey} {
		values[key] = strings.TrimSpace(string(stored.Data[key]))
		if values[key] == "" {
			missing = append(missing, key)
		}
	}
	if len(missing) > 0 {
		return pass.Identity{}, pass.Refuse(v1.ReasonIdentityMissing,
			"Secret %s/%s lacks %s: restore it from a backup; nothing is changed until then",
			stored.Namespace, SecretName, strings.Join(missing, ", "))
	}
	if _, err := uuid.Parse(values[fsidKey]); err != nil || len(values[fsidKey]) != 36 {
		return pass.Identity{}, pass.Refuse(v1.ReasonIdentityMissing,
			"Secret %s/%s has the fsid %q, which is not a UUID: restore it from a backup; nothing is changed until then",
			stored.Namespace, SecretName, values[fsidKey])
	}
	for _, key := range []string{monSecretKey, adminSecretKey} {
		if !isKey(values[key]) {
			return pass.Identity{}, pass.Refuse(v1.ReasonIdentityMissing,
				"Secret %s/%s has under %s what is not a key of Ceph: restore it from a backup; nothing is changed until then",
				stored.Namespace, SecretName, key)
		}
	}
	return pass.Identity{
		FSID:     values[fsidKey],
		MonKey:   secret.New(values[monSecretKey]),
		AdminKey: secret.New(values[adminSecretKey]),
		MaxMonID: -1,
	}, nil
}

// isKey says whether a text can be a key of cephx: base64 of type, creation time,
// length (12 bytes together) and a secret of at least 16 bytes.
func isKey(text string) bool {
	raw, err := base64.StdEncoding.Strict().DecodeString(text)
	return err == nil && len(raw) >= 12+16
}

// mint makes a new identity and stores it. Of two that do so at once, one wins
// and the other sees the winner's at its next try.
func mint(ctx context.Context, p *pass.Pass) (pass.Identity, error) {
	tool := ceph.Authtool{Exec: p.Exec, Files: p.Files}
	dir := config.Dir(p)
	fsid := p.IDs.UUID()
	monKey, err := tool.GenMonKeyring(ctx, dir)
	if err != nil {
		return pass.Identity{}, fmt.Errorf("failed to create mon secrets. %w", err)
	}
	adminKey, err := tool.GenAdminKeyring(ctx, dir)
	if err != nil {
		return pass.Identity{}, fmt.Errorf("failed to create mon secrets. %w", err)
	}
	stored := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Cluster.Namespace, Name: SecretName,
			OwnerReferences: []metav1.OwnerReference{object.OwnedBy(p.Cluster)},
		},
		Type: daemon.SecretType,
		Data: map[string][]byte{
			clusterNameKey: []byte(p.Cluster.Namespace),
			fsidKey:        []byte(fsid),
			monSecretKey:   []byte(monKey.Reveal()),
			adminSecretKey: []byte(adminKey.Reveal()),
		},
	}
	made, err := fields(stored)
	if err != nil {
		return pass.Identity{}, fmt.Errorf("failed to create mon secrets. ceph-authtool has written no key for mon. or client.admin: %w", ceph.ErrGarbled)
	}
	if err := p.Client.Create(ctx, stored); err != nil {
		return pass.Identity{}, fmt.Errorf("failed to create mon secrets. %w", err)
	}
	return made, nil
}

// FSID is the cluster's fsid as its Secret has it; "" if there is no such Secret,
// or none that has it. It never makes one.
func FSID(ctx context.Context, p *pass.Pass) (string, error) {
	stored, err := get(ctx, p.Client, p.Cluster.Namespace)
	if err != nil || stored == nil {
		return "", err
	}
	if len(stored.OwnerReferences) > 0 && !object.Owns(object.OwnedBy(p.Cluster), stored) {
		return "", nil
	}
	fsid := strings.TrimSpace(string(stored.Data[fsidKey]))
	if _, err := uuid.Parse(fsid); err != nil {
		return "", nil
	}
	return fsid, nil
}
