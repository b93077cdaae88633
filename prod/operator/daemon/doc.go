// Package daemon has the pieces of which the pods of all Ceph daemons are put
// together: labels, environment, flags, configuration, keyring, log and data.
//
// Each piece is a small function that returns plain Kubernetes values, so that
// the packages mon, mgr, osd and mirror read as the list of what their pod has
// (S111-S131). [Deployment] wraps a pod into the Deployment that all daemons
// share (S112). [Trouble] says in a sentence why a daemon does not run, with
// the daemon's own last words; [Running] turns that into what a step returns.
package daemon
