package v1

import (
	"encoding/json"
	"slices"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// UnservedField is a field of a manifest that the API's Go types do not know:
// one of another operator's version, or a misspelt one.
type UnservedField struct {
	// The way to the field from the spec: names of fields, and for an element
	// of a list its name or path, in brackets.
	Path []string
	// The field's value as it was written.
	Value json.RawMessage
}

// String returns the field as a person would write it, for example
// storage.nodes[node1].weight.
func (f UnservedField) String() string { return joinPath(f.Path) }

func joinPath(path []string) string {
	return strings.ReplaceAll(strings.Join(path, "."), ".[", "[")
}

// UnservedFields returns the names, sorted, of all fields that spec sets to
// something and that the operator does nothing with, for example
// storage.allowDeviceClassUpdate: fields that the API does not know (among
// them misspelt ones) and known maps' keys that the operator does not read. Null,
// "", {} and [] are nothing; false and 0 are something, since leaving a field
// out may mean the opposite.
func UnservedFields(spec ClusterSpec) []string {
	names := namesOf(spec.Unserved)
	if spec.Network.Provider == NetworkProviderMultus {
		names = append(names, "network.provider")
	}
	names = append(names, unservedKeys(spec.Placement, "placement")...)
	names = append(names, unservedKeys(spec.Annotations, "annotations")...)
	names = append(names, unservedKeys(spec.Resources, "resources")...)
	names = append(names, spec.Storage.unservedSettings()...)
	slices.Sort(names)
	return names
}

// namesOf are the names of fields that are set to something.
func namesOf(fields []UnservedField) []string {
	var names []string
	for _, f := range fields {
		if !isNothing(f.Value) {
			names = append(names, f.String())
		}
	}
	return names
}

// unservedKeys names the keys of a map by daemon that the operator does not read.
func unservedKeys[V any](byDaemon map[Daemon]V, field string) []string {
	var names []string
	for daemon := range byDaemon {
		if !daemon.served() {
			names = append(names, joinPath([]string{field, string(daemon)}))
		}
	}
	return names
}

// unservedSettings names the settings of every level that the operator does not read.
func (s StorageSpec) unservedSettings() []string {
	var names []string
	add := func(config Config, at ...string) {
		for setting := range config {
			if !config.served(setting) {
				names = append(names, joinPath(append(slices.Clone(at), "config", setting)))
			}
		}
	}
	addSelection := func(selection Selection, at ...string) {
		for _, d := range selection.Devices {
			add(d.Config, append(slices.Clone(at), "devices", bracket(d.Name))...)
		}
		for _, d := range selection.Directories {
			add(d.Config, append(slices.Clone(at), "directories", bracket(d.Path))...)
		}
	}
	add(s.Config, "storage")
	addSelection(s.Selection, "storage")
	for _, n := range s.Nodes {
		add(n.Config, "storage", "nodes", bracket(n.Name))
		addSelection(n.Selection, "storage", "nodes", bracket(n.Name))
	}
	return names
}

// isNothing tells whether the value says nothing: null, "", or an object or
// list of which no part says anything.
func isNothing(raw json.RawMessage) bool {
	var value any
	return kjson.Unmarshal(raw, &value) == nil && saysNothing(value)
}

func saysNothing(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return value == ""
	case []any:
		return !slices.ContainsFunc(value, func(v any) bool { return !saysNothing(v) })
	case map[string]any:
		for _, v := range value {
			if !saysNothing(v) {
				return false
			}
		}
		return true
	}
	return false
}
