// Package crush gives a new luminous or mimic cluster the initial crush map of
// its time, once (S103-S107). A cluster that has OSDs or rules of its own is
// never touched, and from nautilus on Ceph's own map stays (Settled 24, B29).
package crush
