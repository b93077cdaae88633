package ceph

import (
	"encoding/json"
	"syscall"
)

// secrets are what `osd new` may bring along on its input.
type secrets struct{ cephx, lockbox, dmcrypt, class string }

// osdSecrets reads the JSON that `osd new -i` is given; no input is fine.
func osdSecrets(input []byte) (secrets, *reply) {
	if len(input) == 0 {
		return secrets{}, nil
	}
	var j struct {
		Cephx   string `json:"cephx_secret"`
		Lockbox string `json:"cephx_lockbox_secret"`
		Dmcrypt string `json:"dmcrypt_key"`
		Class   string `json:"crush_device_class"`
	}
	if err := json.Unmarshal(input, &j); err != nil {
		r := fail(syscall.EINVAL, "unable to parse json secrets")
		return secrets{}, &r
	}
	if j.Cephx == "" {
		r := fail(syscall.EINVAL, "requires a cephx secret.")
		return secrets{}, &r
	}
	return secrets{j.Cephx, j.Lockbox, j.Dmcrypt, j.Class}, nil
}
