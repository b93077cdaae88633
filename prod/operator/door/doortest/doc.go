// Package doortest has doors for the operator's own tests: an in-memory
// Kubernetes of objects alone, files in memory, programs that a test writes, a
// clock that a test moves, and records of what was logged, reported and written.
//
// It is to unit tests what the simulation is to scenarios: nothing in it behaves
// by itself.
package doortest
