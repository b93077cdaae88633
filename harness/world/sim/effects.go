package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// restartDelay is how long the kubelet takes to start a killed operator again.
const restartDelay = time.Second

// requestTimeout is how long a request is that gets no answer.
const requestTimeout = 30 * time.Second

// OperatorEffects are what the operator did outside itself, oldest first.
func (w *World) OperatorEffects() []world.Effect { return w.effects }

// FailOperator makes one of the operator's effects go wrong, once.
func (w *World) FailOperator(f world.Fault) { w.faults = append(w.faults, f) }

// FaultsLeft are the faults that have not happened.
func (w *World) FaultsLeft() []world.Fault { return slices.Clone(w.faults) }

// OperatorEvents are what the operator's watches told it, oldest first.
func (w *World) OperatorEvents() []world.Event { return w.events }

// fault takes the fault that hits something of that number and text.
func (w *World) fault(number int, text string, touches func(world.FaultKind) bool) (kind world.FaultKind, hit bool) {
	at := slices.IndexFunc(w.faults, func(f world.Fault) bool { return touches(f.Kind) && f.Hits(number, text) })
	if at < 0 {
		return 0, false
	}
	kind = w.faults[at].Kind
	w.faults = slices.Delete(w.faults, at, at+1)
	return kind, true
}

// effect counts an effect, carries it out as the fault that hits it allows, and
// says which that is; hit is false if none does.
func (w *World) effect(e world.Effect, do func()) (kind world.FaultKind, hit bool) {
	e.At = w.loop.Now()
	w.effects = append(w.effects, e)
	number := len(w.effects)
	kind, hit = w.fault(number, e.Text, func(k world.FaultKind) bool { return k.Touches(e) })
	if !hit {
		do()
		return kind, hit
	}
	switch kind {
	case world.KillAfter, world.LoseAnswer, world.Garble:
		do()
	}
	w.loop.Trace("operator", "effect %d (%s) is %s", number, e.Text, kind)
	if kind == world.KillBefore || kind == world.KillAfter {
		w.loop.After(restartDelay, "restart operator", func() {
			if w.operator == nil {
				w.mustStartOperator()
			}
		})
		w.StopOperator()
	}
	return kind, true
}

// event counts an event and says whether it is lost.
func (w *World) event(kind string, e kube.Event) bool {
	what, about := "modified", e.New
	switch {
	case e.Old == nil:
		what = "added"
	case e.New == nil:
		what, about = "deleted", e.Old
	}
	key := about.GetName()
	if namespace := about.GetNamespace(); namespace != "" {
		key = namespace + "/" + key
	}
	text := what + " " + kind + " " + key
	w.events = append(w.events, world.Event{At: w.loop.Now(), Text: text})
	_, lost := w.fault(len(w.events), text, world.FaultKind.OfEvents)
	if lost {
		w.loop.Trace("operator", "event %d (%s) is %s", len(w.events), text, world.LoseEvent)
	}
	return lost
}

// effectClient is the operator's client, whose writes are effects.
func (w *World) effectClient() client.Client {
	return interceptor.NewClient(w.cache.Client(), interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return w.write("create", o, func() error { return c.Create(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return w.write("update", o, func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return w.write("patch", o, func() error { return c.Patch(ctx, o, p, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.write("delete", o, func() error { return c.Delete(ctx, o, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return w.write("update "+sub+" of", o, func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return w.write("patch "+sub+" of", o, func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	})
}

func (w *World) write(verb string, o client.Object, do func() error) error {
	gvk, err := apiutil.GVKForObject(o, w.api.Scheme())
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s %s %s", verb, gvk.Kind, client.ObjectKeyFromObject(o))
	kind, hit := w.effect(world.Effect{Text: text}, func() { err = do() })
	if !hit {
		return err
	}
	resource := schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}
	switch {
	case kind == world.Refuse:
		return apierrors.NewInternalError(errors.New("etcdserver: request timed out"))
	case kind == world.Conflict && verb == "create":
		quota := schema.GroupResource{Resource: "resourcequotas"}
		return apierrors.NewConflict(quota, "quota", errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	case kind == world.Conflict:
		return apierrors.NewConflict(resource, o.GetName(), errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	default:
		w.wait(requestTimeout)
		return apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0)
	}
}

// runWithFault runs a program of the operator as an effect.
func (w *World) runWithFault(cmd exec.Command, run func() (exec.Result, error)) (exec.Result, error) {
	var res exec.Result
	var err error
	kind, hit := w.effect(world.Effect{Text: cmd.String(), Command: true}, func() { res, err = run() })
	switch {
	case !hit:
		return res, err
	case kind == world.Garble:
		res.Stdout = res.Stdout[:len(res.Stdout)/2]
		return res, errors.Join(err, w.writeOutFile(cmd, res.Stdout))
	case kind == world.Refuse:
		res = exec.Result{Stderr: []byte("Error EIO: input/output error\n"), ExitCode: 1}
		return res, exec.NewExitError(cmd, res)
	}
	w.wait(timeoutOf(cmd))
	return timedOut(cmd)
}

func timeoutOf(cmd exec.Command) time.Duration {
	if cmd.Timeout == 0 {
		return exec.DefaultTimeout
	}
	return cmd.Timeout
}

// timedOut is the answer of a program that its deadline ended.
func timedOut(cmd exec.Command) (exec.Result, error) {
	return exec.Result{ExitCode: -1}, fmt.Errorf("%s: %w after %v", cmd.Name(), exec.ErrTimeout, timeoutOf(cmd))
}

// wait lets time pass for a caller that can wait.
func (w *World) wait(d time.Duration) {
	if w.loop.InProcess() {
		w.loop.Sleep(d)
	}
}
