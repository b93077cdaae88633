package config_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/operator/config"
)

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ text, want, fails string }{
		"nothing":             {"", "", ""},
		"comments and blanks": {"# a\n\n ; b\n[global] # c\nosd pool default size = 2 ; d\n", "[global]\nosd pool default size = 2\n", ""},
		"quoted comment sign": {"[mon]\na = \"x # y\" # z\n", "[mon]\na = \"x # y\"\n", ""},
		"escaped sign":        {"[mon]\na = x\\#y\n", "[mon]\na = x\\#y\n", ""},
		"continued line":      {"[mon]\na = x \\\n  y\n", "[mon]\na = x   y\n", ""},
		"windows line ends":   {"[mon]\r\na = x\r\n", "[mon]\na = x\n", ""},
		"repeated key":        {"[mon]\na b = 1\na_b = 2\n", "[mon]\na b = 2\n", ""},
		"sections joined":     {"[mon]\na = 1\n[osd]\nb = 2\n[mon]\nc = 3\n", "[mon]\na = 1\nc = 3\n\n[osd]\nb = 2\n", ""},
		"value with equals":   {"[osd]\nopts = a=b\n", "[osd]\nopts = a=b\n", ""},
		"empty value":         {"[osd]\na =\n", "[osd]\na = \n", ""},
		"no section":          {"a = 1\n", "", "line 1"},
		"no equals sign":      {"[mon]\n\nhello\n", "", "line 3"},
		"no key":              {"[mon]\n= 1\n", "", "line 2"},
		"open section":        {"[mon\n", "", "line 1"},
		"empty section":       {"[]\n", "", "line 1"},
		"text behind section": {"[mon] x\n", "", "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			file, err := config.Parse(c.text)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Fatalf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, file.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeTakesSpellingsForOneKey(t *testing.T) {
	file := &config.File{}
	file.Set("global", "osd pool default size", "1")
	file.Set("global", "rbd_default_features", "3")
	own, err := config.Parse("[global]\nosd_pool_default_size = 3\nnew-key = 1\n[osd]\nx = y\n")
	if err != nil {
		t.Fatal(err)
	}
	file.Merge(own)
	want := "[global]\nosd pool default size = 3\nrbd_default_features  = 3\nnew-key               = 1\n\n[osd]\nx = y\n"
	if diff := cmp.Diff(want, file.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
