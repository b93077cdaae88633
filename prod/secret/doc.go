// Package secret holds the one type for what must never be printed: cephx keys,
// passwords, keyrings.
//
// A [Value] formats as ***stripped*** under every verb and in JSON. The text
// itself comes out of [Value.Reveal] alone, so a search for that name finds
// every place where a secret leaves the type (design rule 8, S162).
package secret
