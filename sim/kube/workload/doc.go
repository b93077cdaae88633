// Package workload is the simulated kube-controller-manager, as far as pods come
// from it: Deployments make ReplicaSets, ReplicaSets, Jobs and DaemonSets make
// pods, and Services find them.
//
// Each controller decides by a pure function (rollout.go, surplus.go, jobPlan in
// job_plan.go, daemonPlan in daemonset_plan.go) and acts thinly. [Start] runs
// them all; they are woken by events of the API and by timers for what has a
// deadline. What a controller owns is found by an index over owner references
// ([owned]) and read as it is stored, so that a controller sees its own writes.
package workload
