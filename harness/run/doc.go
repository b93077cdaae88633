// Package run runs scenarios: it finds them, gives each a world with a seed of
// its own, executes the steps with godog, and reports.
//
// The seed of a scenario follows from the run's seed and the scenario's place
// in its file, so a scenario goes the same way alone, among others and at any
// concurrency. [Options.Trace] collects what happened in all worlds, in the
// order of the files: two runs with one seed give the same bytes.
package run
