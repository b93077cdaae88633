package steps

import "context"

func networkSteps() []Step {
	return []Step{
		{
			Pattern: `^the network between the node ` + name + ` and the others is (cut|whole again)$`,
			Example: `the network between the node "n1" and the others is cut`,
			Meaning: "neither the machine nor its pods reach anything elsewhere, nor the other way round; its kubelet still reaches the control plane",
			Do: func(ctx context.Context, node, how string) error {
				if how == "cut" {
					return in(ctx).Isolate(node)
				}
				return in(ctx).Rejoin(node)
			},
		},
	}
}
