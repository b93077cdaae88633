package ceph

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// MonStatusReport is what one mon says of itself (`mon_status`, S96).
type MonStatusReport struct {
	Name string `json:"name"`
	Rank int    `json:"rank"`
	// State is "leader", "peon", "probing", "electing" or "synchronizing".
	State         string `json:"state"`
	ElectionEpoch int    `json:"election_epoch"`
	// Quorum are the ranks of the mons in quorum.
	Quorum         []int                   `json:"quorum"`
	OutsideQuorum  []string                `json:"outside_quorum"`
	ExtraProbes    []Addrs                 `json:"extra_probe_peers"`
	SyncProviders  []any                   `json:"sync_provider"`
	MonMap         MonMap                  `json:"monmap"`
	Features       MonFeatures             `json:"features"`
	FeaturesByType map[string]ClientGroups `json:"feature_map"`
}

// MonFeatures are what a mon requires and what the quorum agreed on.
type MonFeatures struct {
	RequiredCon string   `json:"required_con"`
	RequiredMon []string `json:"required_mon"`
	QuorumCon   string   `json:"quorum_con"`
	QuorumMon   []string `json:"quorum_mon"`
}

// ClientGroups are the groups of daemons or clients of one kind, by features.
type ClientGroups []ClientFeatures

// UnmarshalJSON reads a list, and the object that luminous prints, where every
// group goes by the same name, "group".
func (g *ClientGroups) UnmarshalJSON(data []byte) error {
	if len(data) == 0 || data[0] != '{' {
		var list []ClientFeatures
		err := json.Unmarshal(data, &list)
		*g = list
		return err
	}
	groups := json.NewDecoder(bytes.NewReader(data))
	if _, err := groups.Token(); err != nil {
		return err
	}
	*g = nil
	for groups.More() {
		if _, err := groups.Token(); err != nil {
			return err
		}
		var one ClientFeatures
		if err := groups.Decode(&one); err != nil {
			return err
		}
		*g = append(*g, one)
	}
	return nil
}

// ClientFeatures says how many daemons or clients of one kind have a set of
// features.
type ClientFeatures struct {
	Features string `json:"features"`
	Release  string `json:"release"`
	Num      int    `json:"num"`
}

// QuorumReport is what the quorum says of itself (`quorum_status`, S108).
type QuorumReport struct {
	ElectionEpoch int `json:"election_epoch"`
	// Quorum are the ranks of the mons in quorum, QuorumNames their names in the
	// same order.
	Quorum           []int    `json:"quorum"`
	QuorumNames      []string `json:"quorum_names"`
	QuorumLeaderName string   `json:"quorum_leader_name"`
	// QuorumAge is how long this quorum has stood, in seconds; up to mimic 0.
	QuorumAge int    `json:"quorum_age"`
	MonMap    MonMap `json:"monmap"`
}

// Quorum is who is in quorum, whichever command told it.
type Quorum struct {
	ElectionEpoch int
	// Ranks are those in quorum.
	Ranks []int
	// Leader is the leading mon's name.
	Leader string
	MonMap MonMap
}

// Has says whether the mon of that name is in quorum; one that the monmap does
// not have is not (S97).
func (q Quorum) Has(name string) bool {
	mon, ok := q.MonMap.Mon(name)
	return ok && slices.Contains(q.Ranks, mon.Rank)
}

// Names are the mons in quorum, by rank.
func (q Quorum) Names() []string {
	var names []string
	for _, mon := range q.MonMap.Mons {
		if slices.Contains(q.Ranks, mon.Rank) {
			names = append(names, mon.Name)
		}
	}
	return names
}

// Majority says whether more than half of the monmap's mons are in quorum, as
// they always are when a mon answers at all.
func (q Quorum) Majority() bool { return 2*len(q.Ranks) > len(q.MonMap.Mons) }

// MonStatus asks a mon for its state (S95). Releases from octopus on do not have
// the command: [ErrUnsupported].
func (a *Admin) MonStatus(ctx context.Context) (MonStatusReport, error) {
	if err := a.needs(MonStatus, "mon_status"); err != nil {
		return MonStatusReport{}, err
	}
	return ask(ctx, a, func(r MonStatusReport) error { return r.MonMap.check() }, "mon_status")
}

// QuorumStatus asks for the quorum (S108).
func (a *Admin) QuorumStatus(ctx context.Context) (QuorumReport, error) {
	return ask(ctx, a, func(r QuorumReport) error { return r.MonMap.check() }, "quorum_status")
}

// Quorum asks who is in quorum, by the command of the release: `mon_status` up
// to nautilus, `quorum_status` from octopus on (Settled 19).
func (a *Admin) Quorum(ctx context.Context) (Quorum, error) {
	if a.version.Has(MonStatus) {
		report, err := a.MonStatus(ctx)
		if err != nil {
			return Quorum{}, err
		}
		q := Quorum{ElectionEpoch: report.ElectionEpoch, Ranks: report.Quorum, MonMap: report.MonMap}
		if len(q.Ranks) > 0 {
			// The lowest rank of a quorum leads it (S108).
			for _, mon := range q.MonMap.Mons {
				if mon.Rank == slices.Min(q.Ranks) {
					q.Leader = mon.Name
				}
			}
		}
		return q, nil
	}
	report, err := a.QuorumStatus(ctx)
	if err != nil {
		return Quorum{}, err
	}
	return Quorum{ElectionEpoch: report.ElectionEpoch, Ranks: report.Quorum, Leader: report.QuorumLeaderName, MonMap: report.MonMap}, nil
}

// MonDump asks for the monmap.
func (a *Admin) MonDump(ctx context.Context) (MonMap, error) {
	return ask(ctx, a, MonMap.check, "mon", "dump")
}

// MonRemove takes a mon out of the monmap. One that is not in it is fine.
func (a *Admin) MonRemove(ctx context.Context, name string) error {
	err := a.do(ctx, "mon", "remove", name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// check refuses a map that cannot be one: `null`, or an object of something else.
func (m MonMap) check() error {
	if m.FSID == "" || len(m.Mons) == 0 {
		return errors.New("it has no monmap")
	}
	for _, mon := range m.Mons {
		if mon.Name == "" {
			return fmt.Errorf("the mon of rank %d has no name", mon.Rank)
		}
	}
	return nil
}
