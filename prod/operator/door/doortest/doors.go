package doortest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

// World is what stands behind the doors of a test.
type World struct {
	Kube  client.WithWatch
	Files Files
	Clock *clocktesting.FakePassiveClock
	// Programs are run by Exec, by name. One that is missing cannot be started.
	Programs map[string]Program
	// Commands are all that were run, as printed.
	Commands []string
	// Logs are the logs of pods, by pod name.
	Logs map[string]string
	// Lines are what was logged, each with its severity as first letter.
	Lines []string
	// Reported are the events, each as "Type Reason message".
	Reported []string
	// Writes are the writes to Kubernetes, each as "verb Kind name".
	Writes []string
	// Refuse, if set, answers a request before it is made: verb is get, list,
	// create, update, patch or delete.
	Refuse func(verb string, object client.Object, name string) error
}

// Program is a simulated program: it returns its stdout, or an error.
type Program func(args []string) (string, error)

// New makes a world with these objects.
func New(t *testing.T, objects ...client.Object) *World {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	w := &World{
		Files: Files{}, Clock: clocktesting.NewFakePassiveClock(time.Date(2019, 5, 23, 6, 46, 46, 0, time.UTC)),
		Programs: map[string]Program{}, Logs: map[string]string{},
	}
	// A tracker of its own, which does without managed fields, is far quicker.
	tracker := clienttesting.NewObjectTracker(scheme, serializer.NewCodecFactory(scheme).UniversalDecoder())
	w.Kube = fake.NewClientBuilder().WithScheme(scheme).WithObjectTracker(tracker).WithObjects(objects...).
		WithStatusSubresource(&v1.CephCluster{}, &v1.CephBlockPool{}).WithInterceptorFuncs(w.funcs()).Build()
	return w
}

// Doors opens the doors to the world.
func (w *World) Doors() door.Doors {
	return door.Doors{
		Client: w.Kube, Pods: (*podLogs)(w), Exec: (*programs)(w), Files: w.Files, Clock: w.Clock,
		IDs: id.From(rand.NewChaCha8([32]byte{1})), Log: (*logger)(w), Events: (*events)(w),
	}
}

// Get reads an object; the test fails if it is not there.
func Get[T client.Object](t *testing.T, w *World, namespace, name string, into T) T {
	t.Helper()
	if err := w.Kube.Get(context.Background(), client.ObjectKey{Namespace: namespace, Name: name}, into); err != nil {
		t.Fatal(err)
	}
	return into
}

// Logged says whether a line of that severity and text was logged.
func (w *World) Logged(line string) bool {
	for _, l := range w.Lines {
		if l == line {
			return true
		}
	}
	return false
}

func (w *World) request(verb string, object client.Object, name string) error {
	if w.Refuse != nil {
		if err := w.Refuse(verb, object, name); err != nil {
			return err
		}
	}
	if verb != "get" && verb != "list" {
		w.Writes = append(w.Writes, fmt.Sprintf("%s %T %s", verb, object, name))
	}
	return nil
}

func (w *World) funcs() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if err := w.request("get", o, key.Name); err != nil {
				return err
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if err := w.request("create", o, o.GetName()); err != nil {
				return err
			}
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if err := w.request("update", o, o.GetName()); err != nil {
				return err
			}
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if err := w.request("patch", o, o.GetName()); err != nil {
				return err
			}
			return c.Patch(ctx, o, p, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			if err := w.request("delete", o, o.GetName()); err != nil {
				return err
			}
			return c.Delete(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			if err := w.request("patch-"+sub, o, o.GetName()); err != nil {
				return err
			}
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}
}

// programs is the world as an executor.
type programs World

func (p *programs) Run(_ context.Context, cmd exec.Command) (exec.Result, error) {
	p.Commands = append(p.Commands, cmd.String())
	program, ok := p.Programs[cmd.Program]
	if !ok {
		return exec.Result{}, fmt.Errorf("%s: %w", cmd, exec.ErrNotStarted)
	}
	out, err := program(cmd.Args)
	res := exec.Result{Stdout: []byte(out)}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		res.ExitCode, res.Stderr = exit.Code, []byte(exit.Stderr)
		return res, exec.NewExitError(cmd, res)
	}
	return res, err
}

// Exit is the error of a program that ends with a code other than 0.
func Exit(code int, stderr string) error { return &exec.ExitError{Code: code, Stderr: stderr} }

type podLogs World

func (p *podLogs) PodLog(_ context.Context, _, pod, _ string) (string, error) {
	if text, ok := p.Logs[pod]; ok {
		return text, nil
	}
	return "", apierrors.NewNotFound(corev1.Resource("pods"), pod)
}

type logger World

func (l *logger) add(severity, format string, args []any) {
	l.Lines = append(l.Lines, severity+" "+fmt.Sprintf(format, args...))
}
func (l *logger) Debugf(format string, args ...any)   { l.add("D", format, args) }
func (l *logger) Infof(format string, args ...any)    { l.add("I", format, args) }
func (l *logger) Warningf(format string, args ...any) { l.add("W", format, args) }
func (l *logger) Errorf(format string, args ...any)   { l.add("E", format, args) }

type events World

func (e *events) Event(_ client.Object, eventType, reason, message string) {
	e.Reported = append(e.Reported, strings.Join([]string{eventType, reason, message}, " "))
}

// Files are files in memory, by path. Directories need not be made.
type Files map[string]File

// File is a file's content and mode.
type File struct {
	Data []byte
	Mode fs.FileMode
}

// ReadFile returns a file's content.
func (f Files) ReadFile(name string) ([]byte, error) {
	file, ok := f[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return file.Data, nil
}

// WriteFile replaces a file.
func (f Files) WriteFile(name string, data []byte, mode fs.FileMode) error {
	f[name] = File{data, mode}
	return nil
}

// MkdirAll does nothing.
func (f Files) MkdirAll(string, fs.FileMode) error { return nil }

// ReadDir returns the names of the files directly in a directory.
func (f Files) ReadDir(dir string) ([]string, error) {
	var names []string
	for name := range f {
		if path.Dir(name) == path.Clean(dir) {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

// Remove removes a file.
func (f Files) Remove(name string) error {
	if _, ok := f[name]; !ok {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrNotExist}
	}
	delete(f, name)
	return nil
}
