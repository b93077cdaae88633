package ceph

import (
	"context"
	"encoding/json"
)

// StatusReport is the state of the whole cluster (`ceph status`).
type StatusReport struct {
	FSID          string       `json:"fsid"`
	Health        HealthReport `json:"health"`
	ElectionEpoch int          `json:"election_epoch"`
	Quorum        []int        `json:"quorum"`
	QuorumNames   []string     `json:"quorum_names"`
	OSDs          OSDCounts    `json:"osdmap"`
	PGs           PGSummary    `json:"pgmap"`
	Mgr           MgrSummary   `json:"mgrmap"`
	Services      ServiceMap   `json:"servicemap"`
}

// OSDCounts counts OSDs, as in `osd stat` and `status`.
type OSDCounts struct {
	Epoch  int `json:"epoch"`
	NumOSD int `json:"num_osds"`
	NumUp  int `json:"num_up_osds"`
	NumIn  int `json:"num_in_osds"`
	// NumRemapped is how many PGs are not where crush wants them.
	NumRemapped int `json:"num_remapped_pgs"`
}

// UnmarshalJSON reads the counts where they stand: up to nautilus `status` has
// them one level deeper.
func (o *OSDCounts) UnmarshalJSON(data []byte) error {
	type counts OSDCounts
	var wire struct {
		counts
		Inner *counts `json:"osdmap"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*o = OSDCounts(wire.counts)
	if wire.Inner != nil {
		*o = OSDCounts(*wire.Inner)
	}
	return nil
}

// PGSummary sums up the placement groups and the space.
type PGSummary struct {
	ByState    []PGState `json:"pgs_by_state"`
	NumPGs     int       `json:"num_pgs"`
	NumPools   int       `json:"num_pools"`
	NumObjects int64     `json:"num_objects"`
	// All in bytes.
	BytesData  int64 `json:"data_bytes"`
	BytesUsed  int64 `json:"bytes_used"`
	BytesAvail int64 `json:"bytes_avail"`
	BytesTotal int64 `json:"bytes_total"`
}

// PGState counts the PGs in one state, such as "active+clean".
type PGState struct {
	Name  string `json:"state_name"`
	Count int    `json:"count"`
}

// Clean says whether every PG is active+clean (or there is none).
func (p PGSummary) Clean() bool {
	clean := 0
	for _, s := range p.ByState {
		if s.Name == "active+clean" || s.Name == "active+clean+scrubbing" || s.Name == "active+clean+scrubbing+deep" {
			clean += s.Count
		}
	}
	return clean == p.NumPGs
}

// MgrSummary is the mgrmap as `status` tells it.
type MgrSummary struct {
	Available bool
	// ActiveName is told up to nautilus only; [Admin.MgrStat] tells it always.
	ActiveName  string
	NumStandbys int
	// Services are the addresses where modules serve, such as "dashboard".
	Services map[string]string
}

// UnmarshalJSON reads the summary, and the whole mgrmap that `status` has up to
// nautilus.
func (m *MgrSummary) UnmarshalJSON(data []byte) error {
	var wire struct {
		Available  bool              `json:"available"`
		ActiveName string            `json:"active_name"`
		Standbys   []json.RawMessage `json:"standbys"`
		Num        int               `json:"num_standbys"`
		Services   map[string]string `json:"services"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*m = MgrSummary{Available: wire.Available, ActiveName: wire.ActiveName, NumStandbys: wire.Num + len(wire.Standbys), Services: wire.Services}
	return nil
}

// ServiceMap is which daemons have made themselves known to the mgr, by the type
// of service, such as "rbd-mirror".
type ServiceMap struct {
	Epoch int
	// Daemons are the daemons' names, sorted, by service.
	Daemons map[string][]string
}

// UnmarshalJSON reads the services; among their daemons stands a "summary" that
// is none.
func (s *ServiceMap) UnmarshalJSON(data []byte) error {
	var wire struct {
		Epoch    int `json:"epoch"`
		Services map[string]struct {
			Daemons map[string]json.RawMessage `json:"daemons"`
		} `json:"services"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*s = ServiceMap{Epoch: wire.Epoch, Daemons: map[string][]string{}}
	for service, of := range wire.Services {
		for _, name := range sortedKeys(of.Daemons) {
			if name != "summary" {
				s.Daemons[service] = append(s.Daemons[service], name)
			}
		}
	}
	return nil
}

// Status asks for the state of the whole cluster.
func (a *Admin) Status(ctx context.Context) (StatusReport, error) {
	return ask(ctx, a, StatusReport.check, "status")
}

// FSID asks for the cluster's id.
func (a *Admin) FSID(ctx context.Context) (string, error) {
	type answer struct {
		FSID string `json:"fsid"`
	}
	said, err := ask(ctx, a, func(said answer) error { return notEmpty("fsid", said.FSID) }, "fsid")
	return said.FSID, err
}

// check refuses an object of something else.
func (s StatusReport) check() error {
	if err := notEmpty("fsid", s.FSID); err != nil {
		return err
	}
	return notEmpty("health", s.Health.Status)
}
