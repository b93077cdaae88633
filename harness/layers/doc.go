// Package layers keeps the rules of who may know whom: production code knows
// neither simulation nor harness; the simulation knows of production only its
// doors and the API; the simulated Ceph never sees how production reads it.
// Its test walks the imports of every package, tests included.
package layers
