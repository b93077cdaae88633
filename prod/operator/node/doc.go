// Package node judges nodes: whether a daemon may be placed on one, and if not,
// why. All functions are pure; mons and OSDs are placed by them (S30, S35).
package node
