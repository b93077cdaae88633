package ceph

import (
	"bytes"
	"encoding/json"
)

// magic begins a monmap file of the simulation. The real format is binary too,
// and nobody but Ceph's programs reads it.
const monMapMagic = "\x00ceph monmap\n"

// encode is the map as `ceph mon getmap` and monmaptool write it.
func (mm *MonMap) encode() []byte {
	b, err := json.Marshal(mm)
	if err != nil {
		panic("ceph: a monmap cannot be encoded: " + err.Error())
	}
	return append([]byte(monMapMagic), b...)
}

// decodeMonMap reads what encode wrote.
func decodeMonMap(data []byte) (*MonMap, bool) {
	text, ok := bytes.CutPrefix(data, []byte(monMapMagic))
	if !ok {
		return nil, false
	}
	mm := &MonMap{}
	return mm, json.Unmarshal(text, mm) == nil
}

// json is the monmap as mon_status and `mon dump` show it.
func (mm *MonMap) json(r *release) object {
	fsid := mm.FSID
	o := object{{"epoch", mm.Epoch}, {"fsid", fsid}, {"modified", r.gmtime(mm.Modified)}, {"created", r.gmtime(mm.Created)}}
	if r.atLeast(nautilus) {
		name := releaseNames[mm.MinRelease]
		if name == "" {
			name = "unknown"
		}
		o = append(o, field{"min_mon_release", mm.MinRelease}, field{"min_mon_release_name", name})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"election_strategy", 1}, field{"disallowed_leaders" + r.oddColon(), ""}, field{"stretch_mode", false},
			field{"tiebreaker_mon", ""}, field{"removed_ranks" + r.oddColon(), joinInts(mm.RemovedRanks, ",")})
	}
	features := mm.Features
	if features == nil {
		features = []string{}
	}
	o = append(o, field{"features", object{{"persistent", features}, {"optional", []string{}}}})
	mons := make(array, len(mm.Mons))
	for i, info := range mm.Mons {
		mons[i] = info.json(i, r)
	}
	return append(o, field{"mons", mons})
}

// oddColon is what stands at the end of two names of the monmap's JSON, by an
// oversight that every release since pacific has.
func (r *release) oddColon() string { return ": " }

func (info MonInfo) json(rank int, r *release) object {
	o := object{{"rank", rank}, {"name", info.Name}}
	addr := info.Addrs.legacy().legacy()
	if !r.atLeast(nautilus) {
		return append(o, field{"addr", addr}, field{"public_addr", addr})
	}
	o = append(o, field{"public_addrs", info.Addrs.json()}, field{"addr", addr}, field{"public_addr", addr})
	if r.atLeast(octopus) {
		o = append(o, field{"priority", 0}, field{"weight", 0})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"crush_location", "{}"})
	}
	if r.atLeast(squid) {
		return o
	}
	return o
}
