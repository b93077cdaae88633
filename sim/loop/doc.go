// Package loop is the simulation's clock and scheduler: one queue of events in
// virtual time, one seed, one thing running at a time.
//
// # Events
//
// [Loop.After] puts a function into the queue. Events run in order of virtual
// time; several due at one instant run in an order drawn from the seed, so that
// code which relies on a lucky order is found out. The same seed gives the same
// order on every machine.
//
// # Processes
//
// Code that waits (a reconcile that runs a slow command, a daemon's main
// function) runs as a process: [Loop.Go] gives it a goroutine of its own that
// the loop resumes and parks, so that still only one thing runs at a time. A
// process waits with [Loop.Sleep] or on a [Signal]; virtual time passes
// meanwhile, and other events run.
//
// # Groups
//
// What dies together is a [Group]: the operator's incarnation, a container, a
// machine. [Group.Kill] ends every process of the group where it stands and
// cancels its timers. Deferred functions still run, so a group's effects must be
// refused once [Group.Dead] says so.
//
// # Randomness and trace
//
// [Loop.Rand] hands out one independent stream of random numbers a name, so a
// new draw in one part of the simulation does not disturb the others.
// [Loop.Trace] writes the lines by which two runs are compared, byte for byte.
//
// Nothing here reads the wall clock.
package loop
