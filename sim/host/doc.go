// Package host is the simulated machine: file systems, block devices, a
// network, and the programs that run there.
//
// # Files
//
// [FS] is a tree of files with modes. [View] is what a container sees of it: a
// root of its own with volumes mounted into it. Both are [Files], and satisfy
// the production door prod/host.Files. A program may keep state that is no
// bytes (a mon's key-value store) in a directory with [FS.SetState]; it stays
// where a real store's files would stay, survives a restart of the program, and
// goes when the directory is removed.
//
// # Programs
//
// A [Program] is the main function of a simulated program: it sees its argv,
// environment, files and network address through its [Process], writes to
// stdout and stderr, and returns its exit code. Where time passes it sleeps on
// the loop; a daemon serves until it is told to stop. What runs where is an
// [Image]: a set of programs of one release.
//
// [Executor] runs programs for production code, behind prod/exec.Executor.
//
// # Network
//
// [Network] knows who listens at which address. Addresses of Kubernetes
// services are translated by whoever simulates them ([Network.Translate]).
package host
