package ceph

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
	"unicode/utf8"
)

// object is a JSON object whose fields keep their order, also when two have the
// same name (Ceph writes such).
type object []field

// field is one field of an object.
type field struct {
	name  string
	value any
}

// array is a JSON array.
type array []any

// raw is JSON text that stands as it is.
type raw string

// arrayOf makes an array of each element of s.
func arrayOf[T any](s []T, fn func(T) any) array {
	a := make(array, 0, len(s))
	for _, e := range s {
		a = append(a, fn(e))
	}
	return a
}

// toJSON writes a value as Ceph does: fields in order, no space, nothing
// escaped that need not be. Values are object, array, raw, strings, integers,
// floats, booleans, slices of strings and integers; any other goes through
// encoding/json.
func toJSON(v any) []byte {
	return appendJSON(make([]byte, 0, 512), v)
}

// toPrettyJSON is toJSON with Ceph's indentation for json-pretty, and a final
// newline.
func toPrettyJSON(v any) []byte {
	var b bytes.Buffer
	if err := json.Indent(&b, toJSON(v), "", "    "); err != nil {
		panic(fmt.Sprintf("ceph: the simulation wrote bad JSON: %v", err))
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func appendJSON(b []byte, v any) []byte {
	switch v := v.(type) {
	case object:
		b = append(b, '{')
		for i, f := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, f.name)
			b = append(b, ':')
			b = appendJSON(b, f.value)
		}
		return append(b, '}')
	case array:
		return appendList(b, v)
	case []object:
		return appendList(b, v)
	case []string:
		return appendList(b, v)
	case []int:
		return appendList(b, v)
	case raw:
		return append(b, v...)
	case string:
		return appendString(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	case uint32:
		return strconv.AppendUint(b, uint64(v), 10)
	case uint64:
		return strconv.AppendUint(b, v, 10)
	case float64:
		return strconv.AppendFloat(b, v, 'g', 17, 64)
	case bool:
		return strconv.AppendBool(b, v)
	case nil:
		return append(b, "null"...)
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("ceph: %T cannot be JSON: %v", v, err))
	}
	return append(b, bytes.TrimSuffix(buf.Bytes(), []byte("\n"))...)
}

func appendList[T any](b []byte, list []T) []byte {
	b = append(b, '[')
	for i, e := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendJSON(b, e)
	}
	return append(b, ']')
}

const hexDigits = "0123456789abcdef"

func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < 0x20 || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			b = append(b, s[i:i+n]...)
			i += n - 1
		}
	}
	return append(b, '"')
}

// stamp is a time as most of Ceph's JSON has it: up to mimic
// "2019-05-23 06:47:12.870838", later "2026-11-30T20:24:13.024505+0000".
func (r *release) stamp(t time.Time) string {
	if !r.atLeast(octopus) {
		return t.UTC().Format("2006-01-02 15:04:05.000000")
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000+0000")
}

// gmtime is a time as the monmap's JSON has it: as stamp, but with a Z from
// octopus on.
func (r *release) gmtime(t time.Time) string {
	if !r.atLeast(octopus) {
		return r.stamp(t)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000000Z")
}
