// Package sim is the simulated world: one loop, one API server, a Kubernetes
// cluster of simulated nodes, a simulated Ceph in its pods, and the operator.
//
// The operator is the production code itself. [World.StartOperator] opens the
// doors on the simulation (doors.go) and drives the controllers' values as
// controller-runtime's manager would, with a work queue in virtual time
// (manager.go). Everything that the operator does goes through those doors, so
// all of it is recorded, and stopping it leaves nothing behind but what it had
// done.
package sim
