// Package scheduler is the simulated kube-scheduler: it finds a node for each
// pod that has none.
//
// The rules are pure. [Node] is a node with the pods that are on it; filter.go
// says which nodes can take a pod and why the others cannot, affinity.go the
// part of it that looks at other pods, score.go which of those is best; and
// [Unfit] words it as the real scheduler does when there is none. Among equals
// the first by name wins, so a placement follows from the pods alone.
//
// [Start] runs them: on each event that could make a difference, never by
// asking again and again.
package scheduler
