// Package equal compares API objects by what they mean.
//
// [Semantic] answers as equality.Semantic.DeepEqual of apimachinery does, which
// its test holds it to, and is here because that one allocates for each string
// and number that it meets: operator and simulation compare whole objects so
// often that it was the costliest function of both.
package equal
