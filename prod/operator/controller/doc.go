// Package controller says what a controller is: a value that names what it
// reconciles, what it watches, and how an event becomes a request.
//
// [Controller.Register] hands it to a controller-runtime manager in production.
// The simulation drives the same value from its loop, so that what is watched
// and what is ignored is itself under test (design rule 5, S18-S25).
package controller
