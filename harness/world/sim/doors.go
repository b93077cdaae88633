package sim

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// clock shows virtual time.
type clock struct{ loop *loop.Loop }

func (c clock) Now() time.Time                  { return c.loop.Now() }
func (c clock) Since(t time.Time) time.Duration { return c.loop.Since(t) }

// randomBytes makes a stream of random numbers an io.Reader.
type randomBytes struct{ *rand.Rand }

func (r randomBytes) Read(p []byte) (int, error) {
	for i := 0; i < len(p); i += 8 {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], r.Uint64())
		copy(p[i:], b[:])
	}
	return len(p), nil
}

// logger keeps what the operator logs.
type logger struct{ w *World }

func (l logger) Debugf(format string, args ...any)   { l.log("debug", format, args) }
func (l logger) Infof(format string, args ...any)    { l.log("info", format, args) }
func (l logger) Warningf(format string, args ...any) { l.log("warning", format, args) }
func (l logger) Errorf(format string, args ...any)   { l.log("error", format, args) }

func (l logger) log(severity, format string, args []any) {
	text := fmt.Sprintf(format, args...)
	l.w.log = append(l.w.log, world.LogLine{At: l.w.loop.Now(), Severity: severity, Text: text})
	l.w.loop.Trace("operator", "%s: %s", severity, text)
}

// podLogs reads the logs that the kubelets keep.
type podLogs struct{ w *World }

func (p podLogs) PodLog(_ context.Context, namespace, pod, container string) (string, error) {
	if pinned := p.w.logPins[container]; pinned != nil {
		return pinned.Text, pinned.Err
	}
	log, err := p.w.cluster.Log(namespace, pod, container)
	if err != nil {
		return "", err
	}
	if log == "" {
		if before, err := p.w.cluster.PreviousLog(namespace, pod, container); err == nil {
			return before, nil
		}
	}
	return log, nil
}

// recorder runs the operator's programs, keeps a record, and gives pinned
// answers where a scenario has set one.
type recorder struct {
	w    *World
	next exec.Executor
}

func (r recorder) Run(ctx context.Context, cmd exec.Command) (exec.Result, error) {
	line := cmd.String()
	res, err := r.w.runWithFault(cmd, func() (exec.Result, error) { return r.run(ctx, cmd, r.w.pinned(line)) })
	r.w.runs = append(r.w.runs, world.Run{At: r.w.loop.Now(), Command: cmd, Result: res, Err: err})
	r.w.loop.Trace("operator", "EXEC %s -> %d", line, res.ExitCode)
	return res, err
}

func (r recorder) run(ctx context.Context, cmd exec.Command, answer *world.Answer) (exec.Result, error) {
	if slow := r.w.slowness(cmd.String()); slow > 0 {
		timeout := timeoutOf(cmd)
		r.w.loop.Sleep(min(slow, timeout))
		if slow >= timeout {
			return timedOut(cmd)
		}
		cmd.Timeout = timeout - slow
	}
	if answer == nil {
		return r.next.Run(ctx, cmd)
	}
	if answer.Hang {
		r.w.loop.Sleep(timeoutOf(cmd))
		return timedOut(cmd)
	}
	res := exec.Result{Stdout: []byte(answer.Stdout), Stderr: []byte(answer.Stderr), ExitCode: answer.ExitCode}
	if err := r.w.writeOutFile(cmd, res.Stdout); err != nil {
		return res, err
	}
	if res.ExitCode != 0 {
		return res, exec.NewExitError(cmd, res)
	}
	return res, nil
}

// writeOutFile puts an answer where the command is told to put it, if it is.
func (w *World) writeOutFile(cmd exec.Command, answer []byte) error {
	if out := outFile(cmd.Args); out != "" {
		return w.operatorFiles.WriteFile(out, answer, 0o644)
	}
	return nil
}

// outFile is where a ceph command is told to put its answer.
func outFile(args []string) string {
	for i, a := range args {
		if (a == "--out-file" || a == "-o") && i+1 < len(args) {
			return args[i+1]
		}
		if v, ok := strings.CutPrefix(a, "--out-file="); ok {
			return v
		}
	}
	return ""
}

func (w *World) pinned(line string) *world.Answer {
	for _, p := range w.pins {
		if strings.Contains(line, p.words) {
			return p.answer
		}
	}
	return nil
}

// slowness is how much longer a command takes.
func (w *World) slowness(line string) time.Duration {
	var longest time.Duration
	for _, s := range w.slow {
		if strings.Contains(line, s.words) {
			longest = max(longest, s.takes)
		}
	}
	return longest
}

// events writes Kubernetes Events as client-go's recorder does: one object a
// text, with a count.
type events struct {
	w *World
	c client.Client
}

func (e events) Event(about client.Object, eventType, reason, message string) {
	gvk, err := apiutil.GVKForObject(about, e.w.api.Scheme())
	if err != nil {
		panic(err) // the operator speaks only of kinds that it knows
	}
	h := fnv.New64a()
	fmt.Fprint(h, about.GetUID(), eventType, reason, message)
	namespace := about.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	now := metav1.NewTime(e.w.loop.Now())
	ev := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("%s.%016x", about.GetName(), h.Sum64())},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
			Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID(),
		},
		Type: eventType, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source: corev1.EventSource{Component: "tidepool-operator"},
	}
	ctx := context.Background()
	err = e.c.Create(ctx, ev)
	if apierrors.IsAlreadyExists(err) {
		old := &corev1.Event{}
		if err = e.c.Get(ctx, client.ObjectKeyFromObject(ev), old); err == nil {
			old.Count++
			old.LastTimestamp = now
			err = e.c.Update(ctx, old)
		}
	}
	if err != nil { // an event is lost rather than waited for, as with client-go
		e.w.loop.Trace("operator", "event %s lost: %v", reason, err)
	}
}
