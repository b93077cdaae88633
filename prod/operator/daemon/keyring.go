package daemon

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// SecretType is the type of Secrets that hold keyrings and identities (S73, S83).
const SecretType corev1.SecretType = "kubernetes.io/rook"

// KeyringKey is the data key of a keyring in its Secret (S83).
const KeyringKey = "keyring"

// Keyring is an entity's section of a keyring file. caps are pairs such as
// "mon", "allow *", and keep their order.
func Keyring(entity string, key secret.Value, caps ...string) secret.Value {
	var text strings.Builder
	fmt.Fprintf(&text, "[%s]\n\tkey = %s\n", entity, key.Reveal())
	for i := 0; i+1 < len(caps); i += 2 {
		fmt.Fprintf(&text, "\tcaps %s = \"%s\"\n", caps[i], caps[i+1])
	}
	return secret.New(text.String())
}

// KeyringSecret is the Secret that holds a keyring for [KeyringVolume].
func KeyringSecret(namespace, name string, keyring secret.Value) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Type:       SecretType,
		Data:       map[string][]byte{KeyringKey: []byte(keyring.Reveal())},
	}
}
