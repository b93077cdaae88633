// Package cluster is a simulated Kubernetes cluster in which pods live: the API
// server with the controllers, the scheduler, and nodes.
//
// [New] starts it and [Cluster.AddNode] adds machines. From then on it is used as
// any cluster: objects go in through the API, and what becomes of them stands in
// their status. Besides that one can look into it ([Cluster.Log],
// [Cluster.Process]) and do to it what happens to clusters: kill a container,
// cut a machine's power ([Cluster.PowerOff]), reboot it ([Cluster.Reboot]).
//
// Here are also the parts that know of all nodes: node_lifecycle.go finds nodes
// that are down and evicts their pods, proxy.go makes services reachable on the
// network.
package cluster
