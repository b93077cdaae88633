// Package schema treats a custom resource as the API server does before it
// stores it: unknown fields are pruned, nulls that the schema does not allow are
// dropped, defaults are filled in, and the result is validated, CEL rules and
// list keys included. It stands on the API server's own packages, so that what
// the simulated API server refuses is refused in production too, in the same
// words.
//
// [New] compiles a CustomResourceDefinition, which takes tens of milliseconds;
// the [Validator] it returns is for all worlds, at the same time, and admits an
// object in less than a millisecond:
//
//   - [Validator.Admit] is for create and update of the resource,
//   - [Validator.AdmitStatus] for an update of the status subresource.
//
// Not here, since it is the same for every kind and the API server's own
// business: names, resourceVersion, generation, and the rest of metadata. Nor is
// an update forgiven for what was wrong before it (ratcheting), because in a
// simulated world the schema does not change under an object.
package schema
