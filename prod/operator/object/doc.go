// Package object brings Kubernetes objects to what the operator wants of them,
// and leaves alone what others want.
//
// [Ensure] creates an object or, where a field that the operator sets differs,
// updates it; a call with nothing to do writes nothing (acceptance: a reconcile
// with nothing to do makes no write). What the API server fills in, and what
// other people add (labels, annotations, finalizers, owners), stays. [EnsureOnce]
// only creates. [Delete] takes away what belongs to the owner, and nothing else.
//
// An object of the wanted name that belongs to another cluster is an error that
// names both and never overwritten. Lost races come back as errors for which
// [Raced] is true: the next pass sees the newer object.
package object
