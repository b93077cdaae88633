package ceph

import (
	"encoding/base64"
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

// secretSize is the length of a cephx secret, in bytes.
const secretSize = 16

// newKey makes a cephx key: type 1 (AES), when it was made, and a secret.
func newKey(now time.Time, r *rand.Rand) string {
	b := make([]byte, 12+secretSize)
	binary.LittleEndian.PutUint16(b, 1)
	binary.LittleEndian.PutUint32(b[2:], uint32(now.Unix()))
	binary.LittleEndian.PutUint32(b[6:], uint32(r.Uint64N(1e9))) // nanoseconds
	binary.LittleEndian.PutUint16(b[10:], secretSize)
	binary.LittleEndian.PutUint64(b[12:], r.Uint64())
	binary.LittleEndian.PutUint64(b[20:], r.Uint64())
	return base64.StdEncoding.EncodeToString(b)
}

// newKey makes a key in the world of s.
func (s *Sim) newKey() string { return newKey(s.loop.Now(), s.loop.Rand("cephx keys")) }

// validKey says whether a text is a cephx key.
func validKey(key string) bool {
	ring, err := conf.ParseKeyring([]byte("[client.x]\n\tkey = " + key + "\n"))
	return err == nil && ring["client.x"].Key != ""
}

// bootstrapServices have a client.bootstrap-… entity that the monitors make.
var bootstrapServices = []string{"mds", "mgr", "osd", "rbd", "rbd-mirror", "rgw"}

// firstAuth is the auth database of a new cluster: the keyring of mkfs, and from
// nautilus on the administrator and the bootstrap entities.
func (m *mon) firstAuth() *AuthDB {
	db := &AuthDB{Entities: map[string]AuthEntry{}}
	for name, e := range m.store.initial {
		db.Entities[name] = AuthEntry{Key: e.Key, Caps: e.Caps}
	}
	if !m.release.atLeast(nautilus) {
		return db
	}
	add := func(name string, caps map[string]string) {
		if _, ok := db.Entities[name]; !ok {
			db.Entities[name] = AuthEntry{Key: m.sim.newKey(), Caps: caps}
		}
	}
	add("client.admin", map[string]string{"mds": "allow *", "mgr": "allow *", "mon": "allow *", "osd": "allow *"})
	for _, s := range bootstrapServices {
		add("client.bootstrap-"+s, map[string]string{"mon": "allow profile bootstrap-" + s})
	}
	return db
}

// uuid makes a random UUID.
func (s *Sim) uuid() string {
	r := s.loop.Rand("uuids")
	var u uuid.UUID
	binary.LittleEndian.PutUint64(u[:8], r.Uint64())
	binary.LittleEndian.PutUint64(u[8:], r.Uint64())
	u[6] = u[6]&0x0f | 0x40 // version 4
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}
