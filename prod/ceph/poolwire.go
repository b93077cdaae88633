package ceph

import (
	"encoding/json"
	"errors"
	"strings"
)

// UnmarshalJSON reads a pool; its id is "pool" in the osdmap and "pool_id" in
// the list of pools.
func (p *Pool) UnmarshalJSON(data []byte) error {
	var wire struct {
		ID            *int                         `json:"pool_id"`
		InMap         *int                         `json:"pool"`
		Name          string                       `json:"pool_name"`
		Type          int                          `json:"type"`
		Size          int                          `json:"size"`
		MinSize       int                          `json:"min_size"`
		PGNum         int                          `json:"pg_num"`
		CrushRule     int                          `json:"crush_rule"`
		Profile       string                       `json:"erasure_code_profile"`
		QuotaBytes    int64                        `json:"quota_max_bytes"`
		QuotaObjects  int64                        `json:"quota_max_objects"`
		AutoscaleMode string                       `json:"pg_autoscale_mode"`
		Flags         string                       `json:"flags_names"`
		Applications  map[string]map[string]string `json:"application_metadata"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	id := wire.ID
	if id == nil {
		id = wire.InMap
	}
	if wire.Name == "" {
		return errors.New("a pool has no name")
	}
	var flags []string
	if wire.Flags != "" {
		flags = strings.Split(wire.Flags, ",")
	}
	*p = Pool{
		Name: wire.Name, Type: wire.Type, Size: wire.Size, MinSize: wire.MinSize, PGNum: wire.PGNum,
		CrushRule: wire.CrushRule, ErasureProfile: wire.Profile, QuotaBytes: wire.QuotaBytes,
		QuotaObjects: wire.QuotaObjects, AutoscaleMode: wire.AutoscaleMode, Flags: flags,
		ApplicationMetadata: wire.Applications,
	}
	if id != nil {
		p.ID = *id
	}
	return nil
}
