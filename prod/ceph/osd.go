package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// OSDTree is the crush hierarchy with the OSDs' states (`ceph osd tree`).
type OSDTree struct {
	Nodes []TreeNode `json:"nodes"`
	// Stray are OSDs that stand in no bucket.
	Stray []TreeNode `json:"stray"`
}

// TreeNode is a bucket (id below 0) or an OSD.
type TreeNode struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// Type is "root", "host", "osd", ….
	Type        string  `json:"type"`
	Children    []int   `json:"children"`
	DeviceClass string  `json:"device_class"`
	CrushWeight float64 `json:"crush_weight"`
	Reweight    float64 `json:"reweight"`
	// Status is "up" or "down", or "destroyed"; empty for a bucket.
	Status string `json:"status"`
	Exists int    `json:"exists"`
}

// Node finds a node by its name.
func (t OSDTree) Node(name string) (TreeNode, bool) {
	for _, list := range [][]TreeNode{t.Nodes, t.Stray} {
		for _, n := range list {
			if n.Name == name {
				return n, true
			}
		}
	}
	return TreeNode{}, false
}

// OSDs are the OSDs of the tree, stray ones last.
func (t OSDTree) OSDs() []TreeNode {
	var osds []TreeNode
	for _, list := range [][]TreeNode{t.Nodes, t.Stray} {
		for _, n := range list {
			if n.ID >= 0 {
				osds = append(osds, n)
			}
		}
	}
	return osds
}

// OSDTree asks for the crush hierarchy.
func (a *Admin) OSDTree(ctx context.Context) (OSDTree, error) {
	return ask(ctx, a, func(t OSDTree) error { return notNil("nodes", t.Nodes) }, "osd", "tree")
}

// OSDMap is the map of OSDs and pools (`ceph osd dump`).
type OSDMap struct {
	Epoch    int    `json:"epoch"`
	FSID     string `json:"fsid"`
	Created  Time   `json:"created"`
	Modified Time   `json:"modified"`
	// Flags are cluster-wide, such as "noout,sortbitwise".
	Flags string `json:"flags"`
	// RequireOSDRelease is the oldest release that an OSD may have.
	RequireOSDRelease string    `json:"require_osd_release"`
	Pools             []Pool    `json:"pools"`
	OSDs              []OSDInfo `json:"osds"`
	// CrushNodeFlags are the flags of buckets of the crush hierarchy, by their
	// names. Releases before nautilus have none.
	CrushNodeFlags map[string][]string `json:"crush_node_flags"`
	// Blocklist are shut out clients by "ip:port/nonce", with the end of it.
	Blocklist map[string]string `json:"blocklist"`
}

// UnmarshalJSON reads the map; up to octopus the blocklist goes by its former
// name.
func (m *OSDMap) UnmarshalJSON(data []byte) error {
	type osdMap OSDMap
	var wire struct {
		osdMap
		Former map[string]string `json:"blacklist"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	*m = OSDMap(wire.osdMap)
	if m.Blocklist == nil {
		m.Blocklist = wire.Former
	}
	return nil
}

// HasFlag says whether a flag such as "noout" is set.
func (m OSDMap) HasFlag(flag string) bool {
	for f := range strings.SplitSeq(m.Flags, ",") {
		if f == flag {
			return true
		}
	}
	return false
}

// OSDInfo is one OSD of the map.
type OSDInfo struct {
	ID   int    `json:"osd"`
	UUID string `json:"uuid"`
	// Up and In are 1 or 0.
	Up     int     `json:"up"`
	In     int     `json:"in"`
	Weight float64 `json:"weight"`
	// State are words such as "exists", "up", "new", "destroyed".
	State      []string `json:"state"`
	PublicAddr string   `json:"public_addr"`
}

// OSDDump asks for the osdmap.
func (a *Admin) OSDDump(ctx context.Context) (OSDMap, error) {
	return ask(ctx, a, func(m OSDMap) error { return notEmpty("fsid", m.FSID) }, "osd", "dump")
}

// OSDStat counts the OSDs.
func (a *Admin) OSDStat(ctx context.Context) (OSDCounts, error) {
	return ask(ctx, a, func(c OSDCounts) error {
		if c.Epoch == 0 {
			return errors.New("it has no epoch")
		}
		return nil
	}, "osd", "stat")
}

// OSDLs returns the ids of all OSDs.
func (a *Admin) OSDLs(ctx context.Context) ([]int, error) {
	return ask[[]int](ctx, a, nil, "osd", "ls")
}

// OSDUse is how full one OSD is (`ceph osd df`).
type OSDUse struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	// In KiB.
	KB      int64 `json:"kb"`
	KBUsed  int64 `json:"kb_used"`
	KBAvail int64 `json:"kb_avail"`
	// Utilization in percent.
	Utilization float64 `json:"utilization"`
	PGs         int     `json:"pgs"`
}

// OSDDf asks how full the OSDs are. The mgr answers.
func (a *Admin) OSDDf(ctx context.Context) ([]OSDUse, error) {
	type answer struct {
		Nodes []OSDUse `json:"nodes"`
	}
	said, err := ask(ctx, a, func(said answer) error { return notNil("nodes", said.Nodes) }, "osd", "df")
	return said.Nodes, err
}

// OSDNew gives an OSD of that uuid its id and its key. It may be repeated: the
// same uuid has the same id. The zero secret leaves the OSD without a key.
func (a *Admin) OSDNew(ctx context.Context, uuid string, key secret.Value) (int, error) {
	if key.Empty() {
		answer, err := ask[osdID](ctx, a, nil, "osd", "new", uuid)
		return answer.ID, err
	}
	// The command reads {"cephx_secret": key} from its input file.
	params, err := json.Marshal(map[string]string{"cephx_secret": key.Reveal()})
	if err != nil {
		return 0, err
	}
	var answer osdID
	err = a.withFile(params, func(path string) (err error) {
		answer, err = ask[osdID](ctx, a, nil, "osd", "new", uuid, "-i", path)
		return err
	})
	return answer.ID, err
}

// OSDCreate gives an OSD of that uuid its id, without a key. It may be repeated.
func (a *Admin) OSDCreate(ctx context.Context, uuid string) (int, error) {
	answer, err := ask[osdID](ctx, a, nil, "osd", "create", uuid)
	return answer.ID, err
}

// osdID is the answer of `osd new` and `osd create`: {"osdid": 2}.
type osdID struct{ ID int }

// UnmarshalJSON reads the id, which has to be there: 0 is an id.
func (o *osdID) UnmarshalJSON(data []byte) error {
	var wire struct {
		ID *int `json:"osdid"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.ID == nil {
		return errors.New("it has no osdid")
	}
	o.ID = *wire.ID
	return nil
}

// OSDCrushCreateOrMove puts an OSD at a place of the crush hierarchy, such as
// "root=default", "host=node1", with a weight in TiB if it is new there.
func (a *Admin) OSDCrushCreateOrMove(ctx context.Context, id int, weight float64, location ...string) error {
	args := []string{"osd", "crush", "create-or-move", osdName(id), strconv.FormatFloat(weight, 'f', 4, 64)}
	return a.do(ctx, append(args, location...)...)
}

// OSDCrushReweight sets an OSD's crush weight, in TiB.
func (a *Admin) OSDCrushReweight(ctx context.Context, id int, weight float64) error {
	return a.do(ctx, "osd", "crush", "reweight", osdName(id), strconv.FormatFloat(weight, 'f', 4, 64))
}

// OSDCrushSetClass sets the device class of an OSD, in place of any other.
func (a *Admin) OSDCrushSetClass(ctx context.Context, id int, class string) error {
	if err := a.do(ctx, "osd", "crush", "rm-device-class", osdName(id)); err != nil {
		return err
	}
	return a.do(ctx, "osd", "crush", "set-device-class", class, osdName(id))
}

// OSDCrushRemove takes an OSD or an empty bucket out of the crush hierarchy. One
// that is not there is fine; a bucket that is not empty is [ErrBusy].
func (a *Admin) OSDCrushRemove(ctx context.Context, name string) error {
	err := a.do(ctx, "osd", "crush", "rm", name)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// OSDOut marks OSDs out, so that their data moves away.
func (a *Admin) OSDOut(ctx context.Context, ids ...int) error {
	return a.do(ctx, append([]string{"osd", "out"}, names(ids)...)...)
}

// OSDIn marks OSDs in.
func (a *Admin) OSDIn(ctx context.Context, ids ...int) error {
	return a.do(ctx, append([]string{"osd", "in"}, names(ids)...)...)
}

// OSDPurge takes an OSD away for good: map, crush, key. One that still runs is
// [ErrBusy].
func (a *Admin) OSDPurge(ctx context.Context, id int) error {
	return a.do(ctx, "osd", "purge", strconv.Itoa(id), "--yes-i-really-mean-it")
}

// OSDSafeToDestroy says whether an OSD holds no data that is needed. One that
// does not exist is safe; one of which the mgr does not know is not.
func (a *Admin) OSDSafeToDestroy(ctx context.Context, id int) (bool, error) {
	// Only the plain form says it with its exit code, and early releases have no
	// other.
	return a.yes(ctx, "osd", "safe-to-destroy", strconv.Itoa(id))
}

// OSDRequireRelease has Ceph take no OSD that is older than r, for good. It is
// [ErrNotPermitted] as long as an older one is up.
func (a *Admin) OSDRequireRelease(ctx context.Context, r Release) error {
	return a.do(ctx, "osd", "require-osd-release", r.String())
}

// yes asks a question that is answered with EBUSY or EAGAIN for no.
func (a *Admin) yes(ctx context.Context, args ...string) (bool, error) {
	_, _, err := a.run(ctx, call{args: args, format: plain})
	if errors.Is(err, ErrBusy) {
		return false, nil
	}
	return err == nil, err
}

// OSDSetFlag sets a cluster-wide flag such as "noout".
func (a *Admin) OSDSetFlag(ctx context.Context, flag string) error {
	return a.do(ctx, "osd", "set", flag)
}

// OSDUnsetFlag unsets a cluster-wide flag.
func (a *Admin) OSDUnsetFlag(ctx context.Context, flag string) error {
	return a.do(ctx, "osd", "unset", flag)
}

// OSDBlocklistAdd shuts a client out, by "ip", "ip:port" or "ip:port/nonce".
func (a *Admin) OSDBlocklistAdd(ctx context.Context, addr string) error {
	return a.do(ctx, "osd", a.blocklistWord(), "add", addr)
}

// OSDBlocklistRm lets a client in again. One that is not shut out is fine.
func (a *Admin) OSDBlocklistRm(ctx context.Context, addr string) error {
	return a.do(ctx, "osd", a.blocklistWord(), "rm", addr)
}

func (a *Admin) blocklistWord() string {
	if a.version.Has(Blocklist) {
		return "blocklist"
	}
	return "blacklist"
}

func osdName(id int) string { return "osd." + strconv.Itoa(id) }

func names(ids []int) []string {
	var all []string
	for _, id := range ids {
		all = append(all, osdName(id))
	}
	return all
}
