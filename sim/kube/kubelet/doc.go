// Package kubelet is the simulated kubelet: it makes of a pod what its spec
// says, and of what became of it a status.
//
// # From pod to process
//
// The translation is pure as far as it can be. expand.go does $(VAR), fields.go
// the downward API, env.go a container's environment, volumes.go what a volume
// shows, mounts.go a container's file system ([host.View]) and its argv. A [world]
// says which secrets, config maps and services there are. Nothing is
// added that the spec does not ask for, so a daemon whose spec lacks something
// lacks it.
//
// # A pod's life
//
// A [Kubelet] is one boot of one machine. pod.go takes a pod from admission over
// volumes and network to init containers and containers; container.go runs one
// container: image, start, end, restart with back-off; probe.go looks after it;
// end.go ends a pod, gently or not; status.go says how it is; restore.go finds
// after a boot what ran before. [Disk] is what outlives a boot: images and logs.
//
// Everything is driven by events and timers of the loop. A pod that waits for a
// secret has no timer; the secret's event wakes it.
package kubelet
