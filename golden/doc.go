// Package golden holds recorded outputs of real Ceph, one folder a release.
//
// [Case] returns a recorded run by release and name, [Names] lists them, and
// [File] returns a file that is not a run, such as a sample ceph.conf. README.md
// and the PROVENANCE files say where all of it comes from.
package golden
