package secret

import (
	"fmt"
	"io"
)

// Stripped stands for a secret wherever text is for people (S162).
const Stripped = "***stripped***"

// Value is a secret. The zero value is the empty secret.
type Value struct{ text string }

// New wraps text.
func New(text string) Value { return Value{text} }

// Reveal is the secret itself, for the place that hands it to a program or
// stores it in a Kubernetes Secret.
func (v Value) Reveal() string { return v.text }

// Empty says whether there is no secret.
func (v Value) Empty() bool { return v.text == "" }

// Format prints [Stripped] whatever the verb.
func (v Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, Stripped) }

// MarshalJSON writes [Stripped].
func (v Value) MarshalJSON() ([]byte, error) { return []byte(`"` + Stripped + `"`), nil }

// MarshalText writes [Stripped].
func (v Value) MarshalText() ([]byte, error) { return []byte(Stripped), nil }
