package secret_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

func TestASecretNeverPrints(t *testing.T) {
	v := secret.New("AQB6ZxVd")
	holder := struct{ Key secret.Value }{v}
	texts := []string{fmt.Errorf("refused: %w", fmt.Errorf("%v", holder)).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		texts = append(texts, fmt.Sprintf(verb, v), fmt.Sprintf(verb, holder), fmt.Sprintf(verb, &holder), fmt.Sprintf(verb, []secret.Value{v}))
	}
	b, err := json.Marshal(map[string]any{"holder": holder, "map": map[secret.Value]int{v: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range append(texts, string(b)) {
		if strings.Contains(s, "AQB6") || strings.Contains(s, "41514236") {
			t.Errorf("the secret shows in %q", s)
		}
	}
	if v.Reveal() != "AQB6ZxVd" {
		t.Errorf("Reveal gives %q", v.Reveal())
	}
}
