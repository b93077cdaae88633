package v1

import (
	"fmt"
	"maps"
	"strconv"
)

// Setting is the value of one setting. Numbers and booleans are written as
// strings too (S13).
//
// +kubebuilder:validation:MaxLength=1024
type Setting string

// Config is a map of settings of OSDs (S13). It stands at the cluster, at a
// node, at a device and at a directory; the nearer one wins, setting by setting.
//
// +kubebuilder:validation:MaxProperties=64
// +kubebuilder:validation:XValidation:rule="!('storeType' in self) || self['storeType'] in ['bluestore', 'filestore']",message="storeType must be bluestore or filestore"
// +kubebuilder:validation:XValidation:rule="!('osdsPerDevice' in self) || int(self['osdsPerDevice']) >= 1",message="osdsPerDevice must be a number of 1 or more, as a string"
// +kubebuilder:validation:XValidation:rule="!('databaseSizeMB' in self) || int(self['databaseSizeMB']) >= 0",message="databaseSizeMB must be a number of megabytes, as a string"
// +kubebuilder:validation:XValidation:rule="!('journalSizeMB' in self) || int(self['journalSizeMB']) >= 0",message="journalSizeMB must be a number of megabytes, as a string"
// +kubebuilder:validation:XValidation:rule="!('encryptedDevice' in self) || self['encryptedDevice'] in ['true', 'false']",message="encryptedDevice must be true or false, as a string"
type Config map[string]Setting

// The settings that the operator reads (S13). Any other is accepted and kept,
// and named by [UnservedFields].
const (
	// StoreType is bluestore or filestore; not set, it is bluestore for devices and filestore for directories.
	StoreType = "storeType"
	// MetadataDevice is the device that holds the bluestore databases.
	MetadataDevice = "metadataDevice"
	// DatabaseSizeMB is the size of a bluestore database in megabytes.
	DatabaseSizeMB = "databaseSizeMB"
	// JournalSizeMB is the size of a filestore journal in megabytes.
	JournalSizeMB = "journalSizeMB"
	// OSDsPerDevice is how many OSDs one device carries.
	OSDsPerDevice = "osdsPerDevice"
	// EncryptedDevice is "true" for encrypted devices.
	EncryptedDevice = "encryptedDevice"
)

// The values of StoreType.
const (
	Bluestore Setting = "bluestore"
	Filestore Setting = "filestore"
)

// served tells whether the operator reads the setting.
func (Config) served(setting string) bool {
	switch setting {
	case StoreType, MetadataDevice, DatabaseSizeMB, JournalSizeMB, OSDsPerDevice, EncryptedDevice:
		return true
	}
	return false
}

// Merge returns c with the settings of nearer over its own (S16). Neither map
// is changed; the result is nil where both are empty.
func (c Config) Merge(nearer Config) Config {
	if len(c)+len(nearer) == 0 {
		return nil
	}
	merged := make(Config, len(c)+len(nearer))
	maps.Copy(merged, c)
	maps.Copy(merged, nearer)
	return merged
}

// Number returns the number that a setting holds, or otherwise where it is not
// set. The error names setting and value; the schema lets no such object in.
func (c Config) Number(setting string, otherwise int) (int, error) {
	value, ok := c[setting]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(string(value))
	if err != nil {
		return 0, fmt.Errorf("%s must be a number, not %q", setting, value)
	}
	return n, nil
}

// Encrypted tells whether devices are to be encrypted; not set means no (S13).
func (c Config) Encrypted() bool { return c[EncryptedDevice] == "true" }
