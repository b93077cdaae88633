// Package exec is the one door to other programs: a [Command] in, a [Result]
// out.
//
// [Executor] is what production code asks for. [OS] runs real programs and
// ends one that outlives its deadline together with everything it started; the
// simulation has an executor of its own, behind which the programs are
// simulated. [Recording] stands around either and reports each run.
//
// A command prints as a person may paste it into a shell, with every key
// replaced ([Command.String], S162).
package exec
