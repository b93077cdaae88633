// Package record writes Kubernetes Events for the simulated controllers, and
// counts repeats of the same one in place of piling them up.
package record
