package ceph

// InitialCrushProfile is the profile of tunables that goes with
// [InitialCrushMap] (S103).
const InitialCrushProfile = "firefly"

// InitialCrushMap is the text of the map that a new luminous or mimic cluster is
// given (S107): firefly's tunables, the usual types of buckets, an empty root
// and one rule, which puts each copy on a host of its own. Later releases keep
// the map that Ceph makes (Settled 24).
const InitialCrushMap = `# begin crush map
tunable choose_local_tries 0
tunable choose_local_fallback_tries 0
tunable choose_total_tries 50
tunable chooseleaf_descend_once 1
tunable chooseleaf_vary_r 1
tunable straw_calc_version 1

# types
type 0 osd
type 1 host
type 2 chassis
type 3 rack
type 4 row
type 5 pdu
type 6 pod
type 7 room
type 8 datacenter
type 9 region
type 10 root

# buckets
root default {
	id -1
	alg straw
	hash 0
}

# rules
rule replicated_ruleset {
	ruleset 0
	type replicated
	min_size 1
	max_size 10
	step take default
	step chooseleaf firstn 0 type host
	step emit
}

# end crush map
`
