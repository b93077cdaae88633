// Package crush is a CRUSH map: devices in a tree of buckets, the rules by which
// placement groups find devices in it, and its text and binary form.
//
// [New] makes the map of a new cluster. Methods that change a map (edit.go,
// class.go) keep the weights of the buckets above and the shadow trees of device
// classes up to date; whoever shares a map changes a [Map.Clone].
//
// [Compile] and [Map.Text] are what crushtool -c and -d do, with its messages.
// [Map.Marshal] and [Unmarshal] are the file between crushtool and
// `ceph osd setcrushmap`; the encoding is this package's own, but what is no
// map is refused as by Ceph.
//
// [Map.Place] chooses devices for a placement group. It honours root, device
// class, failure domain and weights, and moves little when the map changes; the
// devices that it chooses are not those that Ceph's own hash would choose.
package crush
