// Package conf reads and writes the two text formats of Ceph that look alike:
// ceph.conf and keyrings.
//
// [Parse] reads a ceph.conf. [File.Lookup] answers what an option is for a
// daemon or client ([Who]): its own section before its type's before [global],
// metavariables such as $cluster expanded. Names are equal whether written
// with spaces, dashes or underscores ([Name]).
//
// [ParseKeyring] reads a keyring, [Keyring.String] writes it as ceph-authtool
// and `ceph auth get` do.
package conf
