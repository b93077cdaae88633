package id

import (
	"io"

	"github.com/google/uuid"
)

// Source makes identifiers.
type Source interface {
	// UUID is a random (version 4) UUID in its usual form of 36 characters.
	UUID() string
}

// System makes identifiers from the operating system's randomness.
type System struct{}

// UUID is a random UUID.
func (System) UUID() string { return uuid.NewString() }

// From makes identifiers from a stream of random bytes that never ends.
func From(random io.Reader) Source { return from{random} }

type from struct{ random io.Reader }

func (f from) UUID() string { return uuid.Must(uuid.NewRandomFromReader(f.random)).String() }
