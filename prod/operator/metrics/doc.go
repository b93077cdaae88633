// Package metrics counts what the operator does, for Prometheus: passes of its
// controllers, commands that it runs, and the health of each cluster.
//
// [New] registers them where main says; there is no registry of the package's
// own. The names begin with tidepool_.
package metrics
