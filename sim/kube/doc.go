// Package kube is a Kubernetes API server in memory: what an operator can see
// of one, at the speed of a map, in virtual time, the same for the same seed.
//
// # Ways in
//
// [New] makes an [API] for a loop, a scheme and the CustomResourceDefinitions
// that are installed. [API.Client] is a controller-runtime client, typed,
// unstructured and metadata-only alike; [API.Clientset] is client-go's; both see
// one world. [API.Apply] is kubectl apply, its words included. [API.Subscribe]
// tells a controller on the loop what changed, a little later, as a watch does;
// [API.View] and [API.Each] read without a copy, for the simulation's own
// controllers.
//
// # What is kept
//
// Objects stand as Go types in one [table] a kind, sorted by namespace and name,
// and are never changed in place: each write puts a new object there. A custom
// resource is kept as JSON too, so that fields which its Go type does not know
// survive. kinds.go lists what is served; everything else is "no matches for
// kind".
//
// # What happens to a write
//
// A write goes through what a request to the real server goes through: the hooks
// of [API.OnRequest], namespace and name, defaults, admission, validation,
// optimistic concurrency, what its kind does with it (strategy_*.go), and at last
// the store, which gives it a resourceVersion and tells the subscribers. A write
// that changes nothing gets no new resourceVersion and no event.
//
// Two controllers belong to the server because nothing works without them: the
// garbage collector of dependents (gc.go) and the one that empties namespaces
// (namespace.go).
//
// Everything runs on the loop: nothing here is safe for use from goroutines that
// the loop does not know.
package kube
