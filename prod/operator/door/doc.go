// Package door gathers the doors through which the operator has effects: the
// Kubernetes client, pod logs, programs, files, clock, identifiers, log, events.
//
// Main opens them once and hands them in; nothing in the operator reaches for
// one. So each effect can be recorded, refused, delayed, or be the last thing
// before a crash (design rule 3).
package door
