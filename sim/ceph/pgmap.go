package ceph

import (
	"maps"
	"time"
)

// PGMap is what the states of placement groups follow from, besides the OSD map
// of the moment.
type PGMap struct {
	// Settled is the last OSD map under which all placement groups had come to
	// rest, and Since the time at which the map last changed in a way that moves
	// some.
	Settled *OSDMap
	Since   time.Time
	// Objects are the contents of the pools, by the pool's id.
	Objects map[int]*Objects
}

func (m *PGMap) clone() *PGMap {
	c := *m
	c.Objects = maps.Clone(m.Objects)
	return &c
}

// Objects are those of one pool. A value that is in a state is never changed.
type Objects struct{ Of map[ObjectName][]byte }

// ObjectName is where an object lies in its pool.
type ObjectName struct{ Namespace, Name string }

// newPGMap is the map of a cluster that has just been made.
func newPGMap() *PGMap { return &PGMap{Objects: map[int]*Objects{}} }
