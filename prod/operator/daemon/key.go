package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// EnsureKey sees to it that a daemon's entity has these caps in Ceph, and that
// its keyring is in the Secret of that name. It reads first: an entity that is
// as it should be costs no command that changes anything.
func EnsureKey(ctx context.Context, p *pass.Pass, secretName, entity string, caps ...ceph.Cap) error {
	key, err := ensureEntity(ctx, p.Ceph, entity, caps)
	if err != nil {
		return err
	}
	pairs := make([]string, 0, 2*len(caps))
	for _, c := range caps {
		pairs = append(pairs, c.Type, c.Allow)
	}
	keyring := KeyringSecret(p.Cluster.Namespace, secretName, Keyring(entity, key, pairs...))
	if _, err := object.Ensure(ctx, p.Client, keyring, object.OwnedBy(p.Cluster)); err != nil {
		return fmt.Errorf("failed to save the keyring of %s: %w", entity, err)
	}
	return nil
}

func ensureEntity(ctx context.Context, admin *ceph.Admin, entity string, caps []ceph.Cap) (secret.Value, error) {
	found, err := admin.AuthGet(ctx, entity)
	switch {
	case errors.Is(err, ceph.ErrNotFound):
		key, err := admin.AuthGetOrCreateKey(ctx, entity, caps...)
		if err != nil {
			return secret.Value{}, fmt.Errorf("failed to create the key of %s: %w", entity, err)
		}
		return key, nil
	case err != nil:
		return secret.Value{}, fmt.Errorf("failed to get the key of %s: %w", entity, err)
	}
	if !sameCaps(found.Caps, caps) {
		if err := admin.AuthCaps(ctx, entity, caps...); err != nil {
			return secret.Value{}, fmt.Errorf("failed to set the caps of %s: %w", entity, err)
		}
	}
	return found.Key, nil
}

func sameCaps(found map[string]string, wanted []ceph.Cap) bool {
	if len(found) != len(wanted) {
		return false
	}
	for _, c := range wanted {
		if found[c.Type] != c.Allow {
			return false
		}
	}
	return true
}
