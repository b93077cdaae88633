// Package host is the one door to the machine that the product runs on: its
// files, and (for the CSI driver) its mounts.
//
// [Files] is what production code asks for; [OS] serves it from the real file
// system, the simulation from a simulated one. Errors are those of package
// io/fs: a file that is not there satisfies errors.Is(err, fs.ErrNotExist), and
// any other error means "unknown", never "absent" (design rule 4).
package host
