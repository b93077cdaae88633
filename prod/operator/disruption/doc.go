// Package disruption lets people drain nodes without taking data away: it keeps
// the PodDisruptionBudgets of the OSDs where spec.disruptionManagement asks for
// it.
//
// Ordinarily one budget, rook-ceph-osd, lets one OSD go at a time. As soon as an
// OSD does not run on a node that is cordoned, the node is being drained: the
// failure domain that it stands in may go whole, so that its other OSDs follow at
// once, and all other domains get budgets that let nothing go, in place of the
// ordinary one. The drained domain keeps its data where it is (the flag noout) for
// as long as the spec allows. When its OSDs are back, or their data has moved, and
// all placement groups are active and clean, the ordinary budget returns; whoever
// drains a second node meanwhile waits until then.
//
// The domains are those of the CRUSH map, at the finest level that a rule in use
// spreads copies over, and the budgets name the OSDs of a domain by their ids:
// Ceph decides where copies lie, not the labels of nodes.
//
// It is a controller of its own and no step of the cluster's pass, since it must
// answer a drain in seconds, whatever an orchestration waits for. [New] makes it;
// plan decides, from what observe has seen and what the ConfigMap
// rook-ceph-pdbstatemap remembers, and carryOut acts. What it remembers is stored
// before it acts, so that a restart goes on with the same drain, and takes no flag
// away that people have set. Ceph is asked only while an OSD is missing or a drain
// is on.
package disruption
