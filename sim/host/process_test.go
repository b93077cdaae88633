package host_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func machine(t *testing.T) *host.Machine {
	t.Helper()
	l := loop.New(1)
	t.Cleanup(l.Close)
	return host.NewMachine(l, host.NewNetwork(), "n1", "192.168.0.1")
}

// in runs fn as a process of the machine.
func in(m *host.Machine, fn func()) {
	m.Running.Go("test", fn)
	m.Loop.RunFor(time.Hour)
}

func process(m *host.Machine, program host.Program, args ...string) *host.Process {
	return &host.Process{
		Args: append([]string{"prog"}, args...), Machine: m, Loop: m.Loop, Files: m.Files, Group: m.Running.NewGroup("prog"),
		Image: host.Image{Programs: map[string]host.Program{"prog": program}},
	}
}

func TestLinesComeWholeAndTheLastAtTheEnd(t *testing.T) {
	m := machine(t)
	p := process(m, func(p *host.Process) int {
		p.Printf("one\ntw")
		p.Errorf("error ")
		p.Printf("o\nrest")
		p.Errorf("line\n")
		return 3
	})
	var lines []string
	p.OnLine = func(line string) { lines = append(lines, line) }
	in(m, func() {
		if code := p.Run(); code != 3 {
			t.Errorf("exit code %d", code)
		}
	})
	if want := []string{"one", "two", "error line", "rest"}; !slices.Equal(lines, want) {
		t.Errorf("lines %q", lines)
	}
	if p.Stdout.String() != "one\ntwo\nrest" || p.Stderr.String() != "error line\n" {
		t.Errorf("stdout %q, stderr %q", p.Stdout.String(), p.Stderr.String())
	}
}

func TestServeUntilTerminate(t *testing.T) {
	m := machine(t)
	var ended time.Duration
	p := process(m, func(p *host.Process) int { p.Serve(); ended = p.Loop.Elapsed(); return 0 })
	m.Loop.After(10*time.Second, "SIGTERM", p.Terminate)
	in(m, func() { p.Run() })
	if ended != 10*time.Second || !p.Stopping() {
		t.Errorf("ended after %v, stopping %v", ended, p.Stopping())
	}
	early := process(m, func(p *host.Process) int { p.Serve(); return 7 })
	early.Terminate()
	in(m, func() {
		if code := early.Run(); code != 7 {
			t.Errorf("exit code %d", code)
		}
	})
}

func TestLookup(t *testing.T) {
	m := machine(t)
	if err := m.Files.MkdirAll("/rook", 0o755); err != nil {
		t.Fatal(err)
	}
	program := func(*host.Process) int { return 0 }
	if err := m.Files.WriteFile("/rook/data", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := host.Install(m.Files, "/rook/copied", program); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"prog": true, "/usr/bin/prog": true, "/opt/prog": false, "other": false, "/usr/bin/other": false,
		"/rook/copied": true, "/rook/data": false,
	} {
		p := process(m, program)
		p.Args[0] = name
		if _, got := p.Lookup(); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDevices(t *testing.T) {
	m := machine(t)
	m.Devices = []*host.Device{{Name: "sda"}}
	for _, c := range []struct {
		in   *host.Container
		want int
	}{
		{nil, 1},
		{&host.Container{}, 0},
		{&host.Container{Privileged: true}, 0},
		{&host.Container{HostDev: true}, 0},
		{&host.Container{Privileged: true, HostDev: true}, 1},
	} {
		p := process(m, nil)
		p.Container = c.in
		if got := len(p.Child("lsblk").Devices()); got != c.want {
			t.Errorf("%+v: %d devices", c.in, got)
		}
	}
}

func TestExecutor(t *testing.T) {
	m := machine(t)
	outer := process(m, nil)
	outer.Env = map[string]string{"A": "1", "B": "2"}
	outer.Image.Programs = map[string]host.Program{
		"env":  func(p *host.Process) int { p.Printf("%s%s%s", p.Env["A"], p.Env["B"], p.Stdin); return 0 },
		"fail": func(p *host.Process) int { p.Errorf("no\n"); return 2 },
		"hang": func(p *host.Process) int { p.Printf("so far"); p.Serve(); return 0 },
		"die":  func(p *host.Process) int { p.Group.Kill(); return 0 },
	}
	run := outer.Executor().Run
	ctx := context.Background()
	in(m, func() {
		res, err := run(ctx, exec.Command{Program: "env", Env: []string{"B=3"}, Stdin: []byte("in")})
		if err != nil || string(res.Stdout) != "13in" {
			t.Errorf("env: %q, %v", res.Stdout, err)
		}
		res, err = run(ctx, exec.Command{Program: "fail"})
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Code != 2 || res.ExitCode != 2 || string(res.Stderr) != "no\n" {
			t.Errorf("fail: %+v, %v", res, err)
		}
		_, err = run(ctx, exec.Command{Program: "none"})
		if !errors.Is(err, exec.ErrNotStarted) {
			t.Errorf("none: %v", err)
		}
		began := m.Loop.Elapsed()
		res, err = run(ctx, exec.Command{Program: "hang", Timeout: 5 * time.Second})
		if took := m.Loop.Elapsed() - began; !errors.Is(err, exec.ErrTimeout) || took != 5*time.Second || string(res.Stdout) != "so far" {
			t.Errorf("hang: %q, %v after %v", res.Stdout, err, took)
		}
		began = m.Loop.Elapsed()
		res, err = run(ctx, exec.Command{Program: "die"})
		if took := m.Loop.Elapsed() - began; res.ExitCode != 137 || err == nil || took != 0 {
			t.Errorf("die: %+v, %v after %v", res, err, took)
		}
		if outer.Group.Dead() {
			t.Error("a program that was killed took its caller with it")
		}
	})
}

func TestPowerCut(t *testing.T) {
	m := machine(t)
	ended := false
	p := process(m, func(p *host.Process) int { p.Serve(); ended = true; return 0 })
	p.Group.Go("prog", func() { p.Run() })
	m.Loop.RunFor(time.Second)
	m.PowerOff()
	m.Loop.RunFor(time.Second)
	if m.Up() || ended || !p.Group.Dead() {
		t.Errorf("up %v, ended %v, dead %v", m.Up(), ended, p.Group.Dead())
	}
	m.PowerOn()
	if !m.Up() {
		t.Error("it is down")
	}
	before := m.Running
	m.PowerOn()
	if m.Running != before {
		t.Error("power on has restarted a machine that was up")
	}
}
