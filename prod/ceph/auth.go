package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// Cap is what an entity may do with daemons of one type: {"mon", "allow r"}.
type Cap struct{ Type, Allow string }

// capArgs are the caps as a command takes them, in the order given.
func capArgs(caps []Cap) []string {
	args := make([]string, 0, 2*len(caps))
	for _, c := range caps {
		args = append(args, c.Type, c.Allow)
	}
	return args
}

// Entity is one who may speak to the cluster, such as "client.admin" or "mgr.a".
type Entity struct {
	Name string
	Key  secret.Value
	// Caps by type of daemon.
	Caps map[string]string
}

// UnmarshalJSON reads one entity.
func (e *Entity) UnmarshalJSON(data []byte) error {
	var wire struct {
		Entity string            `json:"entity"`
		Key    string            `json:"key"`
		Caps   map[string]string `json:"caps"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.Entity == "" || wire.Key == "" {
		return errors.New("an entity has no name or no key")
	}
	*e = Entity{Name: wire.Entity, Key: secret.New(wire.Key), Caps: wire.Caps}
	return nil
}

// AuthGetOrCreateKey returns the key of an entity, which is made with these caps
// if it is not there. One that is there with other caps is [ErrInvalid]
// ([Admin.AuthCaps] changes them).
func (a *Admin) AuthGetOrCreateKey(ctx context.Context, entity string, caps ...Cap) (secret.Value, error) {
	type answer struct {
		Key string `json:"key"`
	}
	args := append([]string{"auth", "get-or-create-key", entity}, capArgs(caps)...)
	said, err := ask(ctx, a, func(said answer) error { return notEmpty("key", said.Key) }, args...)
	return secret.New(said.Key), err
}

// AuthGet returns an entity; one that is not there is [ErrNotFound].
func (a *Admin) AuthGet(ctx context.Context, entity string) (Entity, error) {
	list, err := ask(ctx, a, func(list []Entity) error {
		if len(list) != 1 {
			return fmt.Errorf("it has %d entities instead of one", len(list))
		}
		return nil
	}, "auth", "get", entity)
	if err != nil {
		return Entity{}, err
	}
	return list[0], nil
}

// AuthLs returns all entities.
func (a *Admin) AuthLs(ctx context.Context) ([]Entity, error) {
	type answer struct {
		Dump []Entity `json:"auth_dump"`
	}
	said, err := ask(ctx, a, func(said answer) error { return notNil("auth_dump", said.Dump) }, "auth", "ls")
	return said.Dump, err
}

// AuthCaps replaces all caps of an entity; one that is not there is
// [ErrNotFound].
func (a *Admin) AuthCaps(ctx context.Context, entity string, caps ...Cap) error {
	return a.do(ctx, append([]string{"auth", "caps", entity}, capArgs(caps)...)...)
}

// AuthDel takes an entity away. One that is not there is fine.
func (a *Admin) AuthDel(ctx context.Context, entity string) error {
	err := a.do(ctx, "auth", "del", entity)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}
