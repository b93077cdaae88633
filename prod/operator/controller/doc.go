// Package controller says what a controller is: a value that names what it
// reconciles, what it watches, and how an event becomes a request.
//
// [Watch.RequestsFor] is the one place in which an event is judged.
// [Controller.Register] hands the value to a controller-runtime manager in
// production, the simulation drives it from its loop; so what is watched and what
// is ignored is itself under test (design rule 5, S18-S25). A kind that need not
// be there is watched only if it is served at the start ([Watch.IfServed]).
package controller
