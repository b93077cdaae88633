package ceph_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// mayBeEmpty are answers that may be an empty list or object.
var mayBeEmpty = map[string]string{
	"osd ls": "[]", "osd pool ls": "[]", "osd crush rule ls": "[]", "config dump": "[]", "mgr services": "{}",
}

// TestAnswersThatCannotBeRead hands each method what is no answer to it.
func TestAnswersThatCannotBeRead(t *testing.T) {
	for words, read := range readers {
		if read == nil || words == "config get" || strings.HasPrefix(words, "osd safe") || strings.HasPrefix(words, "osd ok") {
			continue // these have no JSON to read
		}
		v := pacific
		if words == "mon_status" {
			v = nautilus
		}
		for name, stdout := range map[string]string{
			"nothing": "", "blank": "\n \n", "words": "Traceback: no such thing\n", "half an object": `{"fsid":"f","quorum":[0,`, "half a list": `[{"entity":`,
			"null": "null", "number": "17", "text": `"text"`, "list": `[[]]`, "empty object": "{}", "empty list": "[]", "two entities": `[{"entity":"a","key":"k"},{"entity":"b","key":"k"}]`, "foreign object": `{"a":{"b":[1]}}`, "nested": strings.Repeat("[", 100000),
			"log": "2019-05-23 7f5b72d9d6c0 -1 auth: unable to find a keyring\n", "key in it": `{"key":["` + someKey + `"`, "bytes": "\x00\xff\xfe",
		} {
			if mayBeEmpty[words] == stdout || (mayBeEmpty[words] == "{}" && stdout == `{"a":{"b":[1]}}`) {
				continue
			}
			s := script(map[string]answer{"ceph": {stdout: stdout}})
			got, err := read(t.Context(), s.admin(v))
			if !errors.Is(err, ceph.ErrGarbled) {
				t.Errorf("%s: %s is read as %+v, %v", words, name, got, err)
				continue
			}
			begin := strings.TrimSpace(stdout)[:min(5, len(strings.TrimSpace(stdout)))]
			if text := err.Error(); !strings.Contains(text, "ceph ") || !strings.Contains(text, strings.Trim(fmt.Sprintf("%q", begin), `"`)) || len(text) > 1000 || strings.Contains(text, someKey) {
				t.Errorf("%s: the error for %s is %v", words, name, text)
			}
			if reflect.ValueOf(got).Kind() != reflect.Invalid && !reflect.ValueOf(got).IsZero() {
				t.Errorf("%s: beside an error there is %+v", words, got)
			}
			s.clean(t)
		}
	}
}

func TestAnAnswerMayStandBetweenOtherLines(t *testing.T) {
	for _, stdout := range []string{
		`{"fsid":"f"}`, "\n" + `{"fsid":"f"}` + "\n", "\r\n\n" + `{"fsid":"f"}`,
		"2019-05-23 06:47:12.870 7f5b72d9d6c0 -1 warning: line\nanother\n\n" + `{"fsid":"f"}`, `{"fsid":"f"}[]`, `{"fsid":"f"}` + "\ndone",
	} {
		s := script(map[string]answer{"ceph": {stdout: stdout}})
		if got, err := s.admin(pacific).FSID(t.Context()); err != nil || got != "f" {
			t.Errorf("%q is read as %q, %v", stdout, got, err)
		}
	}
}

func TestAnAnswerThatIsNotThere(t *testing.T) {
	s := script(map[string]answer{"ceph": {noFile: true}})
	if _, err := s.admin(pacific).FSID(t.Context()); !errors.Is(err, ceph.ErrGarbled) || !strings.Contains(err.Error(), "/tmp/1") {
		t.Errorf("the error is %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add("\n{\"fsid\":\"f\"}")
	f.Add("[1,2")
	f.Add("log\n[{\"entity\":\"client.a\",\"key\":\"k\"}]")
	f.Add(`{"feature_map":{"mon":{"group":{"num":1}}},"extra_probe_peers":["a/1",{"addrvec":[]}],` + monmap + `}`)
	f.Fuzz(func(t *testing.T, stdout string) {
		s := script(map[string]answer{"": {stdout: stdout}})
		for words, read := range readers {
			if read == nil {
				continue
			}
			if _, err := read(t.Context(), s.admin(nautilus)); err != nil && !errors.Is(err, ceph.ErrGarbled) {
				t.Errorf("%s: %q gives %v", words, stdout, err)
			}
		}
	})
}
