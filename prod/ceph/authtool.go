package ceph

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// Authtool makes keys with ceph-authtool, for a cluster that is not there yet.
type Authtool struct {
	Exec  exec.Executor
	Files host.Files
}

// Keyring files in the cluster's directory (S70, S71, S77). The first is the
// entity "mon." with ".keyring", the two dots made one.
const (
	MonKeyringFile   = "mon.keyring"
	AdminKeyringFile = "client.admin.keyring"
)

// AdminCaps are the caps of client.admin, in S71's order; ⚠11: mds has
// "allow *" as the others.
func AdminCaps() []Cap {
	return []Cap{{"mon", "allow *"}, {"osd", "allow *"}, {"mgr", "allow *"}, {"mds", "allow *"}}
}

// GenMonKeyring makes the key that the mons share, in mon.keyring in the
// cluster's directory, which is made if missing (S70).
func (t Authtool) GenMonKeyring(ctx context.Context, dir string) (secret.Value, error) {
	return t.gen(ctx, dir, MonKeyringFile, "mon.", Cap{"mon", "allow *"})
}

// GenAdminKeyring makes the key of client.admin, in client.admin.keyring in the
// cluster's directory (S71, ⚠11).
func (t Authtool) GenAdminKeyring(ctx context.Context, dir string) (secret.Value, error) {
	return t.gen(ctx, dir, AdminKeyringFile, "client.admin", AdminCaps()...)
}

// gen makes a keyring and reads its key back (S72).
func (t Authtool) gen(ctx context.Context, dir, file, entity string, caps ...Cap) (secret.Value, error) {
	if err := t.Files.MkdirAll(dir, 0o744); err != nil {
		return secret.Value{}, fmt.Errorf("failed to gen secret: %w", err)
	}
	keyring := path.Join(dir, file)
	args := []string{"--create-keyring", keyring, "--gen-key", "-n", entity}
	for _, c := range caps {
		args = append(args, "--cap", c.Type, c.Allow)
	}
	if _, err := t.Exec.Run(ctx, exec.Command{Program: "ceph-authtool", Args: args}); err != nil {
		return secret.Value{}, fmt.Errorf("failed to gen secret: %w", &kindError{ErrFailed, err})
	}
	data, err := t.Files.ReadFile(keyring)
	if err != nil {
		return secret.Value{}, fmt.Errorf("failed to read secret file: %w", err)
	}
	key, err := ParseKeyring(data)
	if err != nil {
		return secret.Value{}, fmt.Errorf("failed to parse secret: %s: %w", keyring, err)
	}
	return key, nil
}

// ParseKeyring returns the first key of a keyring: the third field of its line
// "key = …" (S72).
func ParseKeyring(keyring []byte) (secret.Value, error) {
	for line := range strings.Lines(string(keyring)) {
		fields := strings.Fields(line)
		if len(fields) >= 3 && fields[0] == "key" && fields[1] == "=" {
			return secret.New(fields[2]), nil
		}
	}
	return secret.Value{}, fmt.Errorf("%w: %w", ErrGarbled, errors.New("it has no line \"key = …\""))
}
