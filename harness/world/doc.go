// Package world is what step definitions see: a place where Kubernetes, Ceph
// and the product run, whether simulated or real.
//
// A [World] lets a step do what a person could do (apply a manifest, pull a
// power plug, look at a log) and look at what a person could look at. It does
// not let a step reach into the product. Package world/sim implements it on the
// simulation.
package world
