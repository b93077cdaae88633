// Package caps reads the capabilities of cephx entities and says what they
// allow.
//
// [Check] refuses what a monitor would refuse, in its words. [Parse] gives the
// grants of a mon or mgr cap; [Caps.Allows] answers for one command whether
// they reach. [ParseOSD] and [OSD.Allows] do the same for access to objects.
//
// The grammar is that of Ceph's documentation, "User management, authorization
// (capabilities)". A text is read grant by grant; the message for a bad one
// quotes the rest at which reading stopped.
package caps
