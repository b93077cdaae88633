package kubelet

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// probe begins to look after a run: the startup probe first, and the others
// once it has succeeded. A container without probes has no timer.
func (c *container) probe() {
	if !c.begun {
		c.watch("Startup", c.spec.StartupProbe, func(ok bool) bool {
			if !ok {
				c.unhealthy("startup", c.spec.StartupProbe)
				return false
			}
			c.begun = true
			c.pod.publish()
			c.probe()
			return false
		})
		return
	}
	if p := c.spec.LivenessProbe; p != nil {
		c.watch("Liveness", p, func(ok bool) bool {
			if !ok {
				c.unhealthy("liveness", p)
			}
			return ok
		})
	}
	if p := c.spec.ReadinessProbe; p != nil {
		c.watch("Readiness", p, func(ok bool) bool {
			if c.ready != ok {
				c.ready = ok
				c.pod.publish()
			}
			return true
		})
	}
}

// watch asks a probe once a period for as long as the run lasts. When it has
// failed, or succeeded, as often as its threshold says, result is told, and says
// whether to go on.
func (c *container) watch(kind string, probe *corev1.Probe, result func(ok bool) (goOn bool)) {
	attempt := c.attempt
	period := seconds(probe.PeriodSeconds, 10)
	var failures, successes int32
	var ask func()
	take := func(err error) {
		if attempt.Dead() || c.pod.ending {
			return
		}
		goOn := true
		if err == nil {
			successes, failures = successes+1, 0
			if successes >= max(probe.SuccessThreshold, 1) {
				goOn = result(true)
			}
		} else {
			successes, failures = 0, failures+1
			c.event(corev1.EventTypeWarning, "Unhealthy", fmt.Sprintf("%s probe failed: %v", kind, err))
			if failures >= threshold(probe) {
				goOn = result(false)
			}
		}
		if goOn {
			attempt.After(period, "probe", ask)
		}
	}
	ask = func() {
		if probe.Exec != nil {
			attempt.Go("probe "+c.spec.Name, func() { take(c.askExec(probe)) })
			return
		}
		take(c.askNetwork(probe))
	}
	first := seconds(probe.InitialDelaySeconds, 0) + c.pod.k.within(0, time.Second)
	attempt.After(first, "probe", ask)
}

func threshold(probe *corev1.Probe) int32 {
	if probe.FailureThreshold > 0 {
		return probe.FailureThreshold
	}
	return 3
}

func seconds(n, otherwise int32) time.Duration {
	if n == 0 {
		n = otherwise
	}
	return time.Duration(n) * time.Second
}

// unhealthy has the run ended, to be restarted as its pod's policy says.
func (c *container) unhealthy(kind string, probe *corev1.Probe) {
	grace := graceSeconds(c.pod.object.Spec.TerminationGracePeriodSeconds)
	if probe.TerminationGracePeriodSeconds != nil {
		grace = graceSeconds(probe.TerminationGracePeriodSeconds)
	}
	c.event(corev1.EventTypeNormal, "Killing", fmt.Sprintf("Container %s failed %s probe, will be restarted", c.spec.Name, kind))
	c.process.Terminate()
	c.attempt.After(grace, "grace period is over", c.attempt.Kill)
}

func graceSeconds(s *int64) time.Duration {
	if s == nil {
		return 30 * time.Second
	}
	return time.Duration(*s) * time.Second
}

// askExec runs a command in the container.
func (c *container) askExec(probe *corev1.Probe) error {
	process := c.process
	if process == nil {
		return fmt.Errorf("container is not running")
	}
	command := probe.Exec.Command
	res, err := process.Executor().Run(context.Background(), exec.Command{
		Program: command[0], Args: command[1:], Timeout: seconds(probe.TimeoutSeconds, 1),
	})
	if err != nil {
		if text := strings.TrimSpace(string(res.Stdout) + string(res.Stderr)); text != "" {
			return fmt.Errorf("%s", text)
		}
	}
	return err
}

// askNetwork connects to the container's port. A server that speaks HTTP is
// asked for the path; of any other, that it listens is all that can be told.
func (c *container) askNetwork(probe *corev1.Probe) error {
	var at intstr.IntOrString
	ip := c.pod.addr
	switch {
	case probe.HTTPGet != nil:
		at = probe.HTTPGet.Port
		if probe.HTTPGet.Host != "" {
			ip = probe.HTTPGet.Host
		}
	case probe.TCPSocket != nil:
		at = probe.TCPSocket.Port
		if probe.TCPSocket.Host != "" {
			ip = probe.TCPSocket.Host
		}
	case probe.GRPC != nil:
		at = intstr.FromInt32(probe.GRPC.Port)
	}
	port, err := containerPort(c.spec, at)
	if err != nil {
		return err
	}
	server, err := c.pod.k.Machine.Network.Dial(c.pod.k.Machine.Addr, ip, port)
	if err != nil {
		return err
	}
	if handler, ok := server.(http.Handler); ok && probe.HTTPGet != nil {
		return askHTTP(handler, probe.HTTPGet)
	}
	return nil
}

func askHTTP(handler http.Handler, get *corev1.HTTPGetAction) error {
	path := "/" + strings.TrimPrefix(get.Path, "/")
	request, err := http.NewRequest(http.MethodGet, path, nil)
	if err != nil {
		return fmt.Errorf("probe path %q: %w", get.Path, err)
	}
	for _, h := range get.HTTPHeaders {
		request.Header.Add(h.Name, h.Value)
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	if answer.Code < 200 || answer.Code >= 400 {
		return fmt.Errorf("HTTP probe failed with statuscode: %d", answer.Code)
	}
	return nil
}

// containerPort is a port by its number or its name.
func containerPort(c *corev1.Container, at intstr.IntOrString) (int, error) {
	if at.Type == intstr.Int {
		return at.IntValue(), nil
	}
	for _, p := range c.Ports {
		if p.Name == at.StrVal {
			return int(p.ContainerPort), nil
		}
	}
	return 0, fmt.Errorf("couldn't find port: %s in container %s", at.StrVal, c.Name)
}

var _ world = (*Kubelet)(nil)
