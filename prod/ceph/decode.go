package ceph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// decode reads a JSON answer. Ceph puts an empty line before it, and at times
// lines of its log; what stands after it is not looked at only if it is another
// answer (`osd blocklist ls` prints two), so half an answer is an error and a
// whole one with a tail is not.
func decode(answer []byte, into any) error {
	rest := answer
	for {
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(rest) == 0 {
			return errors.New("it holds no JSON")
		}
		if beginsJSON(rest) {
			break
		}
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return errors.New("it holds no JSON")
		}
		rest = rest[end+1:]
	}
	var value json.RawMessage
	if err := json.NewDecoder(bytes.NewReader(rest)).Decode(&value); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errors.New("its JSON ends too early")
		}
		return err
	}
	if string(value) == "null" {
		return errors.New("it is null")
	}
	return json.Unmarshal(value, into)
}

// beginsJSON says whether a line begins an object, an array or a scalar that
// stands alone; a line of the log begins with a date.
func beginsJSON(text []byte) bool {
	switch text[0] {
	case '{', '[', '"':
		return true
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return json.Valid(line)
}

// Time is a time as Ceph prints it. Up to nautilus there is no zone (it is the
// daemon's, UTC in a container) and a space stands between date and time.
type Time struct{ time.Time }

// timeForms are tried in turn.
var timeForms = []string{"2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.999999-0700", "2006-01-02 15:04:05.999999"}

// UnmarshalJSON reads any of the forms. "0.000000" and "" are the zero time.
func (t *Time) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" || strings.HasPrefix(text, "0.0") {
		*t = Time{}
		return nil
	}
	for _, form := range timeForms {
		if parsed, err := time.Parse(form, text); err == nil {
			t.Time = parsed.UTC()
			return nil
		}
	}
	return fmt.Errorf("%q is not a time", text)
}

// sortedKeys are a map's keys in order, so that nothing hangs on Go's.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// notEmpty refuses an answer without a field that it must have.
func notEmpty(field, value string) error {
	if value == "" {
		return fmt.Errorf("it has no %s", field)
	}
	return nil
}

// notNil refuses an answer without a list that it must have, empty or not.
func notNil[E any](field string, list []E) error {
	if list == nil {
		return fmt.Errorf("it has no %s", field)
	}
	return nil
}
