package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cucumber/godog"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func statusSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `the CephCluster ` + name + ` is in state ` + name + `$`,
			Example: `within 5m the CephCluster "rook-ceph" is in state "Created"`,
			Meaning: "compares status.state (S52)",
			Do: func(ctx context.Context, limit, named, state string) error {
				return soon(ctx, limit, func() error { return statusIs(ctx, named, state, "state") })
			},
		},
		{
			Pattern: `^` + within + `the CephCluster ` + name + ` has health ` + name + `$`,
			Example: `within 5m the CephCluster "rook-ceph" has health "HEALTH_OK"`,
			Meaning: "compares status.ceph.health (S53)",
			Do: func(ctx context.Context, limit, named, health string) error {
				return soon(ctx, limit, func() error { return statusIs(ctx, named, health, "ceph", "health") })
			},
		},
		{
			Pattern: `^` + within + `the message of the CephCluster ` + name + ` is ` + name + `$`,
			Example: `within 1m the message of the CephCluster "rook-ceph" is "giving up creating cluster in namespace rook-ceph after 1h0m0s"`,
			Meaning: "compares status.message",
			Do: func(ctx context.Context, limit, named, text string) error {
				return soon(ctx, limit, func() error { return statusIs(ctx, named, text, "message") })
			},
		},
		{
			Pattern: `^` + within + `the condition ` + name + ` of the ` + kind + ` ` + name + ` is ` + name + `$`,
			Example: `within 1m the condition "Ready" of the CephCluster "rook-ceph" is "True"`,
			Meaning: "compares a condition's status",
			Do: func(ctx context.Context, limit, condition, kind, named, status string) error {
				return soon(ctx, limit, func() error { return conditionIs(ctx, kind, named, condition, status, "", "") })
			},
		},
		{
			Pattern: `^` + within + `the condition ` + name + ` of the ` + kind + ` ` + name + ` is ` + name + ` because of ` + name + `$`,
			Example: `within 1m the condition "Ready" of the CephCluster "rook-ceph" is "False" because of "InvalidSpec"`,
			Meaning: "compares a condition's status and reason",
			Do: func(ctx context.Context, limit, condition, kind, named, status, reason string) error {
				return soon(ctx, limit, func() error { return conditionIs(ctx, kind, named, condition, status, reason, "") })
			},
		},
		{
			Pattern: `^` + within + `the condition ` + name + ` of the ` + kind + ` ` + name + ` says$`,
			Example: `within 1m the condition "Ready" of the CephCluster "rook-ceph" says`,
			Meaning: "each line of the doc string stands in the condition's message",
			Do: func(ctx context.Context, limit, condition, kind, named string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error { return conditionIs(ctx, kind, named, condition, "", "", doc.Content) })
			},
		},
		{
			Pattern: `^in (\S+) the status of the ` + kind + ` ` + name + ` moves ` + name + ` and keeps ` + names + `$`,
			Example: `in 5m the status of the CephCluster "rook-ceph" moves "ceph.lastChecked" and keeps "ceph.lastChanged" and "ceph.health"`,
			Meaning: "lets time pass after which the first field has another value and the others the same",
			Do:      movesAndKeeps,
		},
		{
			Pattern: `^` + within + `the status of the ` + kind + ` ` + name + ` holds$`,
			Example: `within 1m the status of the CephCluster "rook-ceph" holds`,
			Meaning: "the status has what the doc string (YAML) says",
			Do: func(ctx context.Context, limit, kind, named string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					u, err := get(ctx, kind, named)
					if err != nil {
						return err
					}
					return holdsYAML(doc.Content, u.Object["status"])
				})
			},
		},
		{
			Pattern: `^` + within + `an Event ` + name + ` says ` + name + `$`,
			Example: `within 1m an Event "UnsupportedVersion" says "allowUnsupported"`,
			Meaning: "there is an Event with the reason whose message holds the text",
			Do: func(ctx context.Context, limit, reason, text string) error {
				return soon(ctx, limit, func() error { return eventSays(ctx, reason, text) })
			},
		},
	}
}

func statusIs(ctx context.Context, named, want string, path ...string) error {
	u, err := get(ctx, "CephCluster", named)
	if err != nil {
		return err
	}
	is, _, err := unstructured.NestedString(u.Object, append([]string{"status"}, path...)...)
	if err != nil {
		return err
	}
	if !matches(want, is) {
		return fmt.Errorf("status.%s is %q, want %q%s", strings.Join(path, "."), is, want, account(u))
	}
	return nil
}

// account is what the resource says of itself, for a step that failed.
func account(u *unstructured.Unstructured) string {
	out := ""
	if m, _, _ := unstructured.NestedString(u.Object, "status", "message"); m != "" {
		out += "\nmessage: " + m
	}
	conditions, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		out += fmt.Sprintf("\ncondition %v: %v, %v: %v", m["type"], m["status"], m["reason"], m["message"])
	}
	return out
}

// movesAndKeeps lets time pass and compares fields of a status before and after.
func movesAndKeeps(ctx context.Context, limit, kind, named, moves, keeps string) error {
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	before, err := get(ctx, kind, named)
	if err != nil {
		return err
	}
	in(ctx).Pass(d)
	after, err := get(ctx, kind, named)
	if err != nil {
		return err
	}
	fields := func(u *unstructured.Unstructured, path string) any {
		v, _, _ := unstructured.NestedFieldNoCopy(u.Object, append([]string{"status"}, strings.Split(path, ".")...)...)
		return v
	}
	if was, is := fields(before, moves), fields(after, moves); equality.Semantic.DeepEqual(was, is) {
		return fmt.Errorf("status.%s is still %s", moves, show(is))
	}
	for _, path := range list(keeps) {
		if was, is := fields(before, path), fields(after, path); !equality.Semantic.DeepEqual(was, is) {
			return fmt.Errorf("status.%s was %s and is %s", path, show(was), show(is))
		}
	}
	return nil
}

func conditionIs(ctx context.Context, kind, named, condition, status, reason, says string) error {
	u, err := get(ctx, kind, named)
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, c := range conditions {
		m, _ := c.(map[string]any)
		if m["type"] != condition {
			continue
		}
		switch {
		case status != "" && m["status"] != status:
			return fmt.Errorf("condition %s is %v, want %s%s", condition, m["status"], status, account(u))
		case reason != "" && m["reason"] != reason:
			return fmt.Errorf("the reason of condition %s is %v, want %s%s", condition, m["reason"], reason, account(u))
		}
		for _, line := range strings.Split(strings.TrimSpace(says), "\n") {
			if !strings.Contains(plain(m["message"]), strings.TrimSpace(line)) {
				return fmt.Errorf("condition %s does not say %q%s", condition, line, account(u))
			}
		}
		return nil
	}
	return fmt.Errorf("there is no condition %s%s", condition, account(u))
}

func eventSays(ctx context.Context, reason, text string) error {
	events, err := find(ctx, "Event", "", "")
	if err != nil {
		return err
	}
	var seen []string
	for _, e := range events {
		r, m := plain(e.Object["reason"]), plain(e.Object["message"])
		if r == reason && strings.Contains(m, text) {
			return nil
		}
		seen = append(seen, r+": "+m)
	}
	return fmt.Errorf("no Event %q says %q; there are:\n%s", reason, text, strings.Join(seen, "\n"))
}
