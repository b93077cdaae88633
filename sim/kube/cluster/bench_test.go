package cluster_test

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkThousandPods brings up 1,000 pods on ten nodes: ten Deployments of a
// hundred, and for comparison a thousand of one, as an operator makes them.
func BenchmarkThousandPods(b *testing.B) {
	for _, shape := range []struct{ deployments, replicas int }{{10, 100}, {1000, 1}} {
		b.Run(fmt.Sprintf("%dx%d", shape.deployments, shape.replicas), func(b *testing.B) {
			for b.Loop() {
				w := newWorld(b)
				for i := range 10 {
					w.AddNode(nodeOf(fmt.Sprintf("n%d", i)))
				}
				for i := range shape.deployments {
					w.create(newDeployment(fmt.Sprintf("d%d", i), int32(shape.replicas), podSpec("serve", "80")))
				}
				w.until("all pods are ready", 10*time.Minute, func() bool {
					return w.ready() == 1000
				})
				w.loop.Close()
			}
		})
	}
}
