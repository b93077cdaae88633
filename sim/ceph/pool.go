package ceph

import "time"

// Pool is a pool of the OSD map.
type Pool struct {
	ID           int
	Name         string
	Created      time.Time
	Kind         int // crush.Replicated or crush.Erasure
	Size         int
	MinSize      int
	Rule         int // id of the CRUSH rule
	PGNum        int
	PGPNum       int
	PGNumTarget  int
	LastChange   int // epoch
	Autoscale    string
	Profile      string // erasure code profile; empty for a replicated pool
	QuotaBytes   uint64 // 0: no quota
	QuotaObjects uint64
	StripeWidth  int
	Flags        []string // "hashpspool", "nodelete", …
	Options      map[string]any
	// Applications are what the pool is for, each with keys and values of its own.
	Applications map[string]map[string]string
	Bulk         bool
	SnapMode     string // "selfmanaged", "pool"
}
