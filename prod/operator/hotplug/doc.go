// Package hotplug has the OSD preparation of a node run again when a device of
// the node has become usable or is gone (S21-S23).
//
// Who says so is a discover daemon on each node, as Rook's rook-discover: it
// keeps a ConfigMap for its node, labelled app=rook-discover, in the operator's
// namespace, with the node's devices as JSON under the key "devices". Tidepool
// brings no such daemon along. Where none runs there are no such ConfigMaps and
// nothing here acts: a new disk is then found when the node's job runs next, as
// after a change of spec.storage. ROOK_DISABLE_DEVICE_HOTPLUG=true switches the
// package off.
//
// The daemon writes its list again and again. What it says is compared by
// meaning (B20, device.go): the order and number of links, uuids, sizes and what
// merely follows from a disk's being used are no change, and devices that never
// carry an OSD (network block devices, loop devices, partitions) do not count.
//
// What a cluster last knew of a node's devices is the [Record], an annotation of
// the node's result ConfigMap (record.go). So a change is found however it is
// come by: from the update of a list, or from the first look after the operator
// was down. A node is first known by the result of its job: what the job has
// accounted for is no news, what it has not seen is. Before a node has a result
// nothing is recorded, as its job will see all there is.
//
// The order of writes makes a crash harmless: first the job is asked for
// ([osd.PrepareAgain], with a mark that follows from the record and the list),
// then the list is recorded. One limit stays: a disk that is consumed and wiped
// between two looks of the operator looks as if nothing had happened.
package hotplug
