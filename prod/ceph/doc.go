// Package ceph administers a Ceph cluster through its command line, typed.
//
// [Admin] has one method for each command that the product uses. A method
// builds the argv, runs it through prod/exec with the four connection flags
// (S99), and reads the answer into a type that understands every release from
// luminous to tentacle. What a release lacks, renames or adds is in the release
// table (release.go) and nowhere else (design rule 6).
//
// The files, one a subject: version.go reads version texts; admin.go runs a
// command and errors.go says what kind of failure it was; mon.go, monmap.go and
// msgr2.go ask about the mons; status.go and health.go about the whole cluster;
// auth.go and authtool.go deal in keys; crush.go and crushmap.go in the initial
// crush map; config.go in the configuration database; mgr.go and dashboard.go in
// the mgr and its modules; osd.go, pool.go, erasure.go and use.go in storage; fs.go
// in file systems and their MDS.
//
// Errors wrap one of the kinds of errors.go, so that a caller decides with
// errors.Is and shows the text as it is: it names the command, the answer and
// never a key.
package ceph
