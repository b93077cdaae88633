package steps

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func faultSteps() []Step {
	return []Step{
		{
			Pattern: `^the operator is killed (before|after) its effect number (\d+)$`,
			Example: `the operator is killed after its effect number 17`,
			Meaning: "an effect is a write to Kubernetes or a command; the operator is started again with empty memory",
			Do: func(ctx context.Context, when, number string) error {
				n, err := strconv.Atoi(number)
				if err == nil && n < 1 {
					err = fmt.Errorf("effects are counted from 1 on")
				}
				if err == nil {
					in(ctx).FailOperator(world.Fault{Kind: killed(when), Number: n})
				}
				return err
			},
		},
		{
			Pattern: `^the operator is killed (before|after) its effect ` + name + `$`,
			Example: `the operator is killed after its effect "create Secret rook-ceph/rook-ceph-mon"`,
			Meaning: "the same, of the next effect whose text holds the words: VERB KIND NAMESPACE/NAME, or a command line",
			Do: func(ctx context.Context, when, words string) {
				in(ctx).FailOperator(world.Fault{Kind: killed(when), Words: words})
			},
		},
		{
			Pattern: `^the operator's effect ` + name + ` (is refused|meets a conflict|times out|loses its answer|is garbled)$`,
			Example: `the operator's effect "create Secret rook-ceph/rook-ceph-mon" loses its answer`,
			Meaning: "the next such effect goes wrong: refused, in conflict (a write) or timed out without having happened, or it happens and the answer is a time-out or (of a command) cut off in the middle",
			Do: func(ctx context.Context, words, how string) {
				kind := map[string]world.FaultKind{
					"is refused": world.Refuse, "meets a conflict": world.Conflict, "times out": world.TimeOut,
					"loses its answer": world.LoseAnswer, "is garbled": world.Garble,
				}[how]
				in(ctx).FailOperator(world.Fault{Kind: kind, Words: words})
			},
		},
		{
			Pattern: `^the operator's next write is answered with a conflict$`,
			Example: `the operator's next write is answered with a conflict`,
			Meaning: "the next create, update, patch or delete is answered with 409 and has no effect",
			Do: func(ctx context.Context) {
				in(ctx).FailOperator(world.Fault{Kind: world.Conflict})
			},
		},
		{
			Pattern: `^the operator misses the next event of an? ` + kind + `$`,
			Example: `the operator misses the next event of a Node`,
			Meaning: "it is not told of the next change of such an object, and reads what was before, until a list 5m later",
			Do: func(ctx context.Context, kind string) {
				in(ctx).FailOperator(world.Fault{Kind: world.LoseEvent, Words: " " + kind + " "})
			},
		},
		{
			Pattern: `^the operator reads what was (\S+) ago$`,
			Example: `the operator reads what was 30s ago`,
			Meaning: "from now on it sees changes of Kubernetes objects, and hears of them, that much later",
			Do: func(ctx context.Context, ago string) error {
				d, err := time.ParseDuration(ago)
				if err != nil {
					return err
				}
				in(ctx).DelayOperator(d)
				return nil
			},
		},
		{
			Pattern: `^the operator reads what is there$`,
			Example: `the operator reads what is there`,
			Meaning: "takes back that it reads what was",
			Do:      func(ctx context.Context) { in(ctx).DelayOperator(0) },
		},
		{
			Pattern: `^the operator's ` + name + ` takes (\S+)$`,
			Example: `the operator's "ceph osd tree" takes 40s`,
			Meaning: "from now on commands that hold the text take that long before they do anything, or until their deadline; 0s takes it back",
			Do: func(ctx context.Context, words, takes string) error {
				d, err := time.ParseDuration(takes)
				if err != nil {
					return err
				}
				in(ctx).SlowOperator(words, d)
				return nil
			},
		},
		{
			Pattern: `^the API server refuses the operator to (create|update|patch|delete|get|list) an? ` + kind + ` (?:(\d+) times?|from now on)(?: with "(` + refusals + `)")?$`,
			Example: `the API server refuses the operator to create a Secret 1 time`,
			Meaning: `the next requests of this verb and kind have no effect and are answered with an internal error, or what is said: from now on with "Forbidden"`,
			Do:      refuseOperator,
		},
		{
			Pattern: `^the API server lets the operator (create|update|patch|delete|get|list) an? ` + kind + ` again$`,
			Example: `the API server lets the operator create a Secret again`,
			Meaning: "ends such refusals",
			Do: func(ctx context.Context, verb, kind string) {
				in(ctx).RefuseOperator(verb, kind, 0, nil)
			},
		},
		{
			Pattern: `^` + within + `every fault has happened$`,
			Example: `within 5m every fault has happened`,
			Meaning: "no effect that was to go wrong is still to come",
			Do: func(ctx context.Context, limit string) error {
				return soon(ctx, limit, func() error {
					if left := in(ctx).FaultsLeft(); len(left) > 0 {
						return fmt.Errorf("these have not happened: %+v", left)
					}
					return nil
				})
			},
		},
	}
}

func killed(when string) world.FaultKind {
	if when == "before" {
		return world.KillBefore
	}
	return world.KillAfter
}

// refusals are the answers of an API server that does not do what it is asked.
const refusals = `InternalError|Forbidden|Unauthorized|Conflict|TooManyRequests|Timeout|ServiceUnavailable`

func refuseOperator(ctx context.Context, verb, kind, count, reason string) error {
	n := -1
	if count != "" {
		var err error
		if n, err = strconv.Atoi(count); err != nil {
			return err
		}
	}
	resource := schema.GroupResource{Resource: strings.ToLower(kind) + "s"}
	var err error
	switch reason {
	case "Forbidden":
		why := fmt.Sprintf("User %q cannot %s resource %q", "system:serviceaccount:rook-ceph-system:rook-ceph-system", verb, resource.Resource)
		err = apierrors.NewForbidden(resource, "", errors.New(why))
	case "Unauthorized":
		err = apierrors.NewUnauthorized("the token has expired")
	case "Conflict":
		err = apierrors.NewConflict(resource, "", errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	case "TooManyRequests":
		err = apierrors.NewTooManyRequests("the server is too busy", 1)
	case "Timeout":
		err = apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	case "ServiceUnavailable":
		err = apierrors.NewServiceUnavailable("the server is currently unable to handle the request")
	default:
		err = errors.New("etcdserver: request timed out")
	}
	in(ctx).RefuseOperator(verb, kind, n, err)
	return nil
}
