package ceph

import (
	"bytes"
	"compress/gzip"
	_ "embed" // of the options
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

//go:embed descriptions/options.json.gz
var optionsJSON []byte

// option is a configuration option that Ceph knows.
type option struct {
	name, kind, level      string // kind: "bool", "int", "uint", "float", "str", "secs", "size", …
	fallback, daemon       string // default value; of daemons if it differs
	runtime                bool   // may change while a daemon runs
	low, high, description string
	enum                   []string
}

// optionTable is pacific's options by name. Other releases have nearly the
// same; what a scenario sets exists in all of them.
var optionTable = sync.OnceValue(func() map[string]*option {
	z, err := gzip.NewReader(bytes.NewReader(optionsJSON))
	if err != nil {
		panic(fmt.Sprintf("ceph: embedded options: %v", err))
	}
	var rows [][]json.RawMessage
	if err := json.NewDecoder(z).Decode(&rows); err != nil {
		panic(fmt.Sprintf("ceph: embedded options: %v", err))
	}
	table := make(map[string]*option, len(rows))
	for _, r := range rows {
		o := &option{}
		for i, to := range []any{&o.name, &o.kind, &o.level, &o.fallback, &o.daemon, &o.runtime, &o.low, &o.high, &o.enum, &o.description} {
			if err := json.Unmarshal(r[i], to); err != nil {
				panic(fmt.Sprintf("ceph: embedded options: %s: %v", r[i], err))
			}
		}
		table[o.name] = o
	}
	for name, kind := range map[string]string{ // older ones, and debug levels that the list leaves out
		"mon_keyvaluedb": "str", "filestore_omap_backend": "str", "osd_pg_bits": "int", "osd_pgp_bits": "int",
		"debug_default": "str", "debug_leveldb": "str",
	} {
		if table[name] == nil {
			table[name] = &option{name: name, kind: kind, level: "dev"}
		}
	}
	return table
})

// lookupOption finds an option; a debug level exists for any subsystem.
func lookupOption(name string) (*option, bool) {
	name = conf.Name(name)
	o, ok := optionTable()[name]
	if !ok && strings.HasPrefix(name, "debug_") {
		return &option{name: name, kind: "str", level: "dev", runtime: true, fallback: "1/5"}, true
	}
	return o, ok
}

var debugLevels = regexp.MustCompile(`^\d+(/\d+)?$`)

// parse says what is wrong with a value, in the words of `ceph config set`;
// the value comes back as Ceph stores it.
func (o *option) parse(v string) (string, error) {
	switch o.kind {
	case "bool":
		switch strings.ToLower(v) {
		case "true", "false":
			return strings.ToLower(v), nil
		}
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			return "", says("Expected option value to be integer, got '%s'", v)
		}
		return strconv.FormatBool(n != 0), nil
	case "int", "uint":
		n, err := strconv.ParseInt(v, 0, 64)
		if err != nil {
			return "", says("strict_si_cast: unit prefix not recognized")
		}
		if n < 0 && o.kind == "uint" {
			return "", says("strict_sistrtoll: value should not be negative")
		}
		return v, o.within(float64(n), v)
	case "float":
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return "", fmt.Errorf("strict_strtod: expected double, got: '%s'", v)
		}
		return v, o.within(f, v)
	}
	if strings.HasPrefix(o.name, "debug_") && o.fallback != "" && !debugLevels.MatchString(v) {
		return "", says("value must take the form N or N/M, where N and M are integers")
	}
	if len(o.enum) > 0 && !slices.Contains(o.enum, v) {
		return "", fmt.Errorf("'%s' is not one of the permitted values: %s", v, strings.Join(o.enum, ", "))
	}
	return v, nil
}

func (o *option) within(n float64, v string) error {
	low, errLow := strconv.ParseFloat(o.low, 64)
	high, errHigh := strconv.ParseFloat(o.high, 64)
	if errLow == nil && errHigh == nil && (n < low || n > high) {
		return says("Value '%s' is out of range, must be between %s and %s", v, o.low, o.high)
	}
	return nil
}
