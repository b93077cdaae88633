// Package steps holds the vocabulary of the scenarios: each step once, with
// what it means and an example.
//
// The steps are data ([All]), one file a subject. A step sees the world of its
// scenario through package world and nothing else. `tidepool steps` prints the
// vocabulary; a sentence that matches no step is answered with the nearest ones
// ([Nearest]).
//
// Steps that look at something wait for nothing, unless they say "within".
package steps
