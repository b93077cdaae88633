// Package crd holds the CustomResourceDefinitions that are generated from the
// types in prod/api/v1, for whoever installs or serves them: the deployment's
// manifests, the simulated API server, tests. `go generate ./prod/api/v1`
// writes the files anew; a test says when that is due.
package crd
