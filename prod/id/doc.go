// Package id is the door to identifiers that must not repeat: cluster ids,
// volume ids, names of temporary files.
//
// Main hands in [System]; the simulation hands in a source that follows from
// its seed.
package id
