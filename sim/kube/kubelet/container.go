package kubelet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// How long things take, between two bounds each.
const (
	pullLeast, pullMost     = 1 * time.Second, 4 * time.Second // of an image that is not there yet
	checkLeast, checkMost   = 200 * time.Millisecond, 500 * time.Millisecond
	createLeast, createMost = 50 * time.Millisecond, 250 * time.Millisecond
	pullFailureShown        = time.Second // before ErrImagePull becomes ImagePullBackOff
)

// exitKilled is the exit code of a process that SIGKILL ended.
const exitKilled = 137

// container is a container of a pod, over all its runs.
type container struct {
	pod  *pod
	spec *corev1.Container
	init bool
	// status is what the pod's status says of it. What it points to is never
	// changed, only replaced.
	status corev1.ContainerStatus
	runs   int // so far

	// attempt is the group of the present run, from image to end.
	attempt   *loop.Group
	process   *host.Process // nil if it does not run
	code      int           // of a process that ended by itself
	exited    bool
	killedFor string // reason of a kill, if it has one of its own

	restart, pull backoff
	config        bool // held back by what the environment refers to
	ready         bool // by the readiness probe, or without one
	begun         bool // by the startup probe, or without one
}

func newContainer(p *pod, spec *corev1.Container, init bool) *container {
	c := &container{pod: p, spec: spec, init: init, attempt: p.group.NewGroup(spec.Name)}
	c.status = corev1.ContainerStatus{Name: spec.Name, Image: spec.Image}
	c.wait("ContainerCreating", "")
	if len(p.object.Spec.InitContainers) > 0 {
		c.wait("PodInitializing", "")
	}
	return c
}

// wait sets the state to waiting.
func (c *container) wait(reason, message string) {
	c.change(corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}})
}

// change sets the state; a run that has ended becomes the last one.
func (c *container) change(s corev1.ContainerState) {
	if c.status.State.Terminated != nil {
		c.status.LastTerminationState = c.status.State
	}
	c.status.State = s
}

func (c *container) event(kind, reason, message string) {
	field := "spec.containers{" + c.spec.Name + "}"
	if c.init {
		field = "spec.initContainers{" + c.spec.Name + "}"
	}
	c.pod.k.events.EventAt(c.pod.object, field, kind, reason, message)
}

// start begins a run.
func (c *container) start() {
	c.attempt.Kill()
	c.attempt = c.pod.group.NewGroup(c.spec.Name)
	image, there := c.pod.k.Disk.images[c.spec.Image]
	switch policy := pullPolicy(c.spec); {
	case there && policy != corev1.PullAlways:
		c.create(image)
	case policy == corev1.PullNever:
		message := fmt.Sprintf("Container image %q is not present with pull policy of Never", c.spec.Image)
		c.wait("ErrImageNeverPull", message)
		c.event(corev1.EventTypeWarning, "ErrImageNeverPull", message)
		c.pod.publish()
	default:
		c.pullImage(there)
	}
}

// pullPolicy is the policy that the container has, or by default: always for
// the tag latest, else if not present.
func pullPolicy(c *corev1.Container) corev1.PullPolicy {
	if c.ImagePullPolicy != "" {
		return c.ImagePullPolicy
	}
	name := c.Image[strings.LastIndexByte(c.Image, '/')+1:]
	if _, tag, tagged := strings.Cut(name, ":"); !strings.Contains(name, "@") && (!tagged || tag == "latest") {
		return corev1.PullAlways
	}
	return corev1.PullIfNotPresent
}

func (c *container) pullImage(there bool) {
	k, name := c.pod.k, c.spec.Image
	c.event(corev1.EventTypeNormal, "Pulling", fmt.Sprintf("Pulling image %q", name))
	took := k.within(pullLeast, pullMost)
	if there {
		took = k.within(checkLeast, checkMost)
	}
	c.attempt.After(took, "pull image", func() {
		image, err := k.Registry(name)
		if err == nil {
			k.Disk.images[name] = image
			c.event(corev1.EventTypeNormal, "Pulled", fmt.Sprintf("Successfully pulled image %q", name))
			c.pull = backoff{}
			c.create(image)
			return
		}
		c.notPulled(fmt.Sprintf("failed to pull and unpack image %q: %v", name, err))
	})
}

func (c *container) notPulled(message string) {
	name := c.spec.Image
	c.wait("ErrImagePull", message)
	c.event(corev1.EventTypeWarning, "Failed", fmt.Sprintf("Failed to pull image %q: %s", name, message))
	c.event(corev1.EventTypeWarning, "Failed", "Error: ErrImagePull")
	c.pod.publish()
	c.pull.next(c.pod.k.Loop.Now())
	c.attempt.After(pullFailureShown, "image pull back-off", func() {
		c.wait("ImagePullBackOff", fmt.Sprintf("Back-off pulling image %q: ErrImagePull: %s", name, message))
		c.event(corev1.EventTypeNormal, "BackOff", fmt.Sprintf("Back-off pulling image %q", name))
		c.pod.publish()
	})
	c.attempt.After(c.pull.wait, "pull image again", func() { c.pullImage(false) })
}

// create makes the container: environment, files, command.
func (c *container) create(image host.Image) {
	p, k := c.pod, c.pod.k
	env, err := environment(p.object, c.spec, p.place(), k)
	if err != nil {
		c.config = true
		c.notCreated("CreateContainerConfigError", err)
		return
	}
	c.config = false
	env["HOSTNAME"] = p.object.Name
	if p.object.Spec.HostNetwork {
		env["HOSTNAME"] = k.Machine.Name
	}
	if h := p.object.Spec.Hostname; h != "" {
		env["HOSTNAME"] = h
	}
	files, err := fileSystem(image, c.spec, p.volumes, env)
	if err != nil {
		c.notCreated("CreateContainerError", err)
		c.attempt.After(c.pod.k.within(backoffFirst, 2*backoffFirst), "create container again", func() { c.create(image) })
		return
	}
	command := argv(c.spec, image, env)
	if len(command) == 0 {
		c.notCreated("CreateContainerError", fmt.Errorf("no command specified"))
		return
	}
	c.attempt.After(k.within(createLeast, createMost), "start container", func() {
		c.run(&host.Process{
			Args: command, Env: env, Files: files, Machine: k.Machine, Addr: p.addr, Image: image,
			Loop: k.Loop, Group: c.attempt, Container: security(p.object, c.spec),
		})
	})
}

func (c *container) notCreated(reason string, err error) {
	c.wait(reason, err.Error())
	c.event(corev1.EventTypeWarning, "Failed", "Error: "+err.Error())
	c.pod.publish()
}

// referred is called when an object that the pod refers to has changed.
func (c *container) referred() {
	if c.config {
		c.config = false
		c.start()
	}
}

// run starts the process and has its end reported.
func (c *container) run(proc *host.Process) {
	p, k := c.pod, c.pod.k
	now := metav1.NewTime(k.Loop.Now())
	c.process, c.exited, c.killedFor = proc, false, ""
	c.change(corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}})
	c.status.RestartCount = int32(c.runs)
	c.runs++
	c.status.ContainerID = "docker://" + k.newID()
	c.status.ImageID = imageID(c.spec.Image)
	log := k.Disk.logsOf(p.uid, c.spec.Name).next()
	proc.OnLine = log.line
	c.event(corev1.EventTypeNormal, "Started", "Started container "+c.spec.Name)

	attempt := c.attempt
	attempt.OnKill(func() {
		k.group.After(0, "container has ended", func() {
			if c.process == proc {
				c.ended(proc, log)
			}
		})
	})
	if _, found := proc.Lookup(); !found {
		c.code, c.exited, c.killedFor = 127, true, "ContainerCannotRun"
		k.group.After(0, "container cannot run", attempt.Kill)
		p.publish()
		return
	}
	attempt.Go(p.key.String()+"/"+c.spec.Name, func() {
		code := proc.Run()
		c.code, c.exited = code, true
		k.group.After(0, "container exits", attempt.Kill)
	})
	c.ready, c.begun = c.spec.ReadinessProbe == nil, c.spec.StartupProbe == nil
	c.probe()
	p.publish()
}

// imageID is the digest that an image of that name has.
func imageID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "docker://sha256:" + hex.EncodeToString(sum[:])
}

// restarts says whether the container, which has ended, is to run again.
func (c *container) restarts() bool {
	t := c.status.State.Terminated
	if t == nil {
		return true
	}
	switch c.pod.object.Spec.RestartPolicy {
	case corev1.RestartPolicyNever:
		return false
	case corev1.RestartPolicyOnFailure:
		return t.ExitCode != 0
	}
	return !c.init || t.ExitCode != 0
}

// ended takes the end of a run in.
func (c *container) ended(proc *host.Process, log *output) {
	p, now := c.pod, c.pod.k.Loop.Now()
	t := &corev1.ContainerStateTerminated{
		ExitCode: exitKilled, Reason: "Error", StartedAt: c.status.State.Running.StartedAt,
		FinishedAt: metav1.NewTime(now), ContainerID: c.status.ContainerID,
	}
	if c.exited {
		t.ExitCode = int32(c.code)
	}
	if t.ExitCode == 0 {
		t.Reason = "Completed"
	}
	if c.killedFor != "" {
		t.Reason = c.killedFor
	}
	t.Message = c.message(proc, log, t)
	c.process = nil
	c.status.State = corev1.ContainerState{Terminated: t}
	c.ready, c.begun = false, false
	p.publish()
	switch {
	case p.ending:
		p.ended()
	case p.done:
	case c.init && t.ExitCode == 0:
		p.next++
		p.proceed()
	case !c.restarts():
		p.settled()
	default:
		c.again(now)
	}
}

// again runs the container again, after its back-off.
func (c *container) again(now time.Time) {
	p := c.pod
	wait := c.restart.next(now)
	c.attempt = p.group.NewGroup(c.spec.Name)
	if wait == 0 {
		c.start()
		return
	}
	c.wait("CrashLoopBackOff", fmt.Sprintf("back-off %v restarting failed container=%s pod=%s_%s(%s)",
		wait, c.spec.Name, p.key.Name, p.key.Namespace, p.uid))
	c.event(corev1.EventTypeWarning, "BackOff", fmt.Sprintf("Back-off restarting failed container %s in pod %s_%s(%s)",
		c.spec.Name, p.key.Name, p.key.Namespace, p.uid))
	c.attempt.After(wait, "restart container", c.start)
}

// message is what the container says about its end.
func (c *container) message(proc *host.Process, log *output, t *corev1.ContainerStateTerminated) string {
	const most = 4096 // bytes
	if t.Reason == "ContainerCannotRun" {
		return fmt.Sprintf("OCI runtime create failed: starting container process caused \"exec: \\\"%s\\\": executable file not found in $PATH\": unknown", proc.Args[0])
	}
	if text, err := proc.Files.ReadFile(messagePath(c.spec)); err == nil && len(text) > 0 {
		return string(text[max(0, len(text)-most):])
	}
	if c.spec.TerminationMessagePolicy == corev1.TerminationMessageFallbackToLogsOnError && t.ExitCode != 0 {
		return log.tail()
	}
	return ""
}

// stop asks a run to end: SIGTERM if it runs, and no start if it does not yet.
func (c *container) stop() {
	if c.process == nil {
		c.attempt.Kill()
		return
	}
	c.event(corev1.EventTypeNormal, "Killing", "Stopping container "+c.spec.Name)
	c.process.Terminate()
}
