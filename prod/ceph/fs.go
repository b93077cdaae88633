package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
)

// FSMap is which file systems there are and which metadata servers (MDS) serve
// them (`ceph fs dump`).
type FSMap struct {
	Epoch int
	// Multiple says whether there may be more than one file system.
	Multiple    bool
	Filesystems []Filesystem
	// Standbys are the MDS that serve none.
	Standbys []MDS
}

// Filesystem is one file system.
type Filesystem struct {
	ID   int
	Name string
	// MetadataPool and DataPools are pools by their numbers; the first data pool
	// is the default.
	MetadataPool int
	DataPools    []int
	// MaxMDS is how many ranks are asked for.
	MaxMDS int
	// In are the ranks that the file system consists of; Failed and Damaged are
	// those of them that no MDS holds.
	In, Failed, Damaged []int
	// Joinable says whether an MDS may take a rank, StandbyReplay whether standbys
	// follow ranks.
	Joinable, StandbyReplay bool
	// MDS hold ranks, or follow one.
	MDS []MDS
}

// MDS is a running metadata server.
type MDS struct {
	GID  uint64
	Name string
	// Rank is -1 for a standby.
	Rank int
	// State is one such as "up:active", "up:replay", "up:standby-replay".
	State string
	// Laggy says that the mons have not heard of it for some time.
	Laggy bool
}

// The states of an MDS that tell how it may be treated.
const (
	MDSActive        = "up:active"
	MDSStandbyReplay = "up:standby-replay"
)

// Flags of a file system.
const (
	flagNotJoinable   = 1 << 0
	flagStandbyReplay = 1 << 5
)

// Named finds a file system; nil if there is none.
func (m *FSMap) Named(name string) *Filesystem {
	i := slices.IndexFunc(m.Filesystems, func(f Filesystem) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &m.Filesystems[i]
}

// Active are the names of the MDS that hold ranks and serve, by rank.
func (f *Filesystem) Active() []string {
	var names []string
	for _, rank := range f.In {
		for _, m := range f.MDS {
			if m.Rank == rank && m.State == MDSActive && !m.Laggy {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// Pools are the numbers of all pools, that of the metadata first.
func (f *Filesystem) Pools() []int { return append([]int{f.MetadataPool}, f.DataPools...) }

// UnmarshalJSON reads `fs dump`.
func (m *FSMap) UnmarshalJSON(data []byte) error {
	var wire struct {
		Epoch int `json:"epoch"`
		Flags struct {
			Multiple bool `json:"enable_multiple"`
		} `json:"feature_flags"`
		Standbys    []wireMDS         `json:"standbys"`
		Filesystems []json.RawMessage `json:"filesystems"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*m = FSMap{Epoch: wire.Epoch, Multiple: wire.Flags.Multiple}
	for _, s := range wire.Standbys {
		m.Standbys = append(m.Standbys, s.mds())
	}
	for _, raw := range wire.Filesystems {
		f, err := readFilesystem(raw)
		if err != nil {
			return err
		}
		m.Filesystems = append(m.Filesystems, f)
	}
	return nil
}

type wireMDS struct {
	GID   uint64 `json:"gid"`
	Name  string `json:"name"`
	Rank  int    `json:"rank"`
	State string `json:"state"`
	Laggy string `json:"laggy_since"`
}

func (w wireMDS) mds() MDS {
	return MDS{GID: w.GID, Name: w.Name, Rank: w.Rank, State: w.State, Laggy: w.Laggy != ""}
}

func readFilesystem(data []byte) (Filesystem, error) {
	var wire struct {
		ID  int `json:"id"`
		Map struct {
			Flags        int                `json:"flags"`
			Name         string             `json:"fs_name"`
			MaxMDS       int                `json:"max_mds"`
			In           []int              `json:"in"`
			Failed       []int              `json:"failed"`
			Damaged      []int              `json:"damaged"`
			Info         map[string]wireMDS `json:"info"`
			DataPools    []int              `json:"data_pools"`
			MetadataPool int                `json:"metadata_pool"`
		} `json:"mdsmap"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return Filesystem{}, err
	}
	m := wire.Map
	if err := notEmpty("fs_name", m.Name); err != nil {
		return Filesystem{}, err
	}
	f := Filesystem{
		ID: wire.ID, Name: m.Name, MetadataPool: m.MetadataPool, DataPools: m.DataPools, MaxMDS: m.MaxMDS, In: m.In, Failed: m.Failed, Damaged: m.Damaged,
		Joinable: m.Flags&flagNotJoinable == 0, StandbyReplay: m.Flags&flagStandbyReplay != 0,
	}
	for _, key := range sortedKeys(m.Info) {
		f.MDS = append(f.MDS, m.Info[key].mds())
	}
	return f, nil
}

// FSDump asks for all file systems and MDS.
func (a *Admin) FSDump(ctx context.Context) (FSMap, error) {
	return ask(ctx, a, func(m FSMap) error {
		if m.Epoch == 0 {
			return errors.New("it has no epoch")
		}
		return nil
	}, "fs", "dump")
}

// FSNew makes a file system of two pools. One that is there with these pools is
// fine. A metadata pool that holds objects is refused: [ErrInvalid].
func (a *Admin) FSNew(ctx context.Context, name, metadataPool, dataPool string) error {
	return a.do(ctx, "fs", "new", name, metadataPool, dataPool)
}

// FSEnableMultiple lets there be more than one file system. It is said anyway
// from pacific on.
func (a *Admin) FSEnableMultiple(ctx context.Context) error {
	return a.do(ctx, "fs", "flag", "set", "enable_multiple", "true", "--yes-i-really-mean-it")
}

// FSAddDataPool gives a file system another pool for files. One that it has is
// fine.
func (a *Admin) FSAddDataPool(ctx context.Context, name, pool string) error {
	return a.do(ctx, "fs", "add_data_pool", name, pool)
}

// FSSetMaxMDS says how many ranks there should be.
func (a *Admin) FSSetMaxMDS(ctx context.Context, name string, ranks int) error {
	return a.do(ctx, "fs", "set", name, "max_mds", strconv.Itoa(ranks))
}

// FSSetStandbyReplay says whether standbys follow ranks. Up to mimic that is for
// each MDS to say: [ErrUnsupported].
func (a *Admin) FSSetStandbyReplay(ctx context.Context, name string, on bool) error {
	if err := a.needs(StandbyReplay, "fs set allow_standby_replay"); err != nil {
		return err
	}
	return a.do(ctx, "fs", "set", name, "allow_standby_replay", strconv.FormatBool(on))
}

// FSFail takes all MDS of a file system off it and lets none take a rank.
func (a *Admin) FSFail(ctx context.Context, f Filesystem) error {
	if a.version.Has(FSFail) {
		return a.do(ctx, "fs", "fail", f.Name)
	}
	if err := a.do(ctx, "fs", "set", f.Name, "cluster_down", "true"); err != nil {
		return err
	}
	for _, m := range f.MDS {
		if err := a.do(ctx, "mds", "fail", strconv.FormatUint(m.GID, 10)); err != nil {
			return err
		}
	}
	return nil
}

// FSRemove forgets a file system, whose pools stay. One that is not there is fine;
// one that an MDS still serves is refused: [ErrInvalid].
func (a *Admin) FSRemove(ctx context.Context, name string) error {
	return a.do(ctx, "fs", "rm", name, "--yes-i-really-mean-it")
}
