package host

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Program is the main function of a simulated program. It runs as a process of
// the loop and returns the exit code.
type Program func(p *Process) int

// Image is what an image or a machine has installed.
type Image struct {
	// Programs by name, as found on PATH.
	Programs map[string]Program
	// Entrypoint is what a container runs that names no command.
	Entrypoint []string
	// Dirs are the directories that the image brings, besides the usual ones.
	Dirs []string
	// Version is the Ceph version of the image, such as "14.2.0"; empty if it
	// has no Ceph.
	Version string
}

// Process is one run of a program.
type Process struct {
	Args  []string // argv; Args[0] is the program
	Env   map[string]string
	Stdin []byte
	// Stdout and Stderr take what the program writes.
	Stdout, Stderr bytes.Buffer
	Files          Files
	Machine        *Machine
	Addr           string // IP address: the pod's, or the machine's
	Image          Image
	Loop           *loop.Loop
	// Group ends with the process, by SIGKILL or by itself; daemons put their
	// timers there.
	Group *loop.Group
	// OnLine, if set, sees each whole line that Printf and Errorf write, when
	// it is written: the log of a container. A last line without an end comes
	// when the program returns.
	OnLine func(line string)
	// Container says what the process may do if it runs in one; nil for a
	// process on the bare machine.
	Container *Container

	partial  [2][]byte // of stdout and stderr: a line that has no end yet
	stopping bool
	stop     *loop.Signal
}

// Container is what a container's security context and mounts let a process do.
type Container struct {
	Privileged bool
	RunAsUser  int64 // 0 is root
	// HostDev says that the machine's /dev is mounted at /dev.
	HostDev bool
	// Capabilities are those added, such as "SYS_ADMIN".
	Capabilities []string
}

// Devices are the block devices that the process can open: the machine's, for
// a process on the bare machine or in a privileged container that has the
// machine's /dev; none otherwise.
func (p *Process) Devices() []*Device {
	if c := p.Container; c != nil && !(c.Privileged && c.HostDev) {
		return nil
	}
	return p.Machine.Devices
}

// Executor runs programs beside this one, in the same container, for
// production code that p's program consists of. They end with p.
func (p *Process) Executor() *Executor {
	return &Executor{
		Machine: p.Machine, Files: p.Files, Addr: p.Addr, Image: p.Image, Env: p.Env,
		Group: p.Group, Container: p.Container,
	}
}

// Lookup finds the program that argv's first element names: by its name on
// PATH, by a path in a directory of programs, or by the path of a file that a
// program was copied to ([Install]).
func (p *Process) Lookup() (Program, bool) {
	name := p.Args[0]
	if strings.Contains(name, "/") {
		if p.Files != nil {
			if program, ok := p.Files.State(name).(Program); ok {
				return program, true
			}
		}
		switch path.Dir(name) {
		case "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin":
			name = path.Base(name)
		}
	}
	program, ok := p.Image.Programs[name]
	return program, ok
}

// Run starts the process's program and returns its exit code: the shell's 127
// if there is no such program. It must be called from a process of the loop,
// one of p.Group's so that killing the group ends it.
func (p *Process) Run() int {
	program, ok := p.Lookup()
	if !ok {
		p.Errorf("exec: %q: executable file not found in $PATH\n", p.Args[0])
		return 127
	}
	code := program(p)
	for i, rest := range p.partial {
		p.partial[i] = nil
		if len(rest) > 0 && p.OnLine != nil {
			p.OnLine(string(rest))
		}
	}
	return code
}

// Install writes a file that runs program.
func Install(files Files, name string, program Program) error {
	if err := files.WriteFile(name, []byte("\x7fELF"), 0o755); err != nil {
		return err
	}
	return files.SetState(name, program)
}

// Child is a run of another program from inside this one, with the same files,
// environment and address.
func (p *Process) Child(args ...string) *Process {
	return &Process{
		Args: args, Env: p.Env, Files: p.Files, Machine: p.Machine, Addr: p.Addr,
		Image: p.Image, Loop: p.Loop, Group: p.Group, Container: p.Container,
	}
}

// Printf writes to stdout.
func (p *Process) Printf(format string, args ...any) {
	p.write(0, &p.Stdout, fmt.Sprintf(format, args...))
}

// Errorf writes to stderr.
func (p *Process) Errorf(format string, args ...any) {
	p.write(1, &p.Stderr, fmt.Sprintf(format, args...))
}

func (p *Process) write(stream int, b *bytes.Buffer, text string) {
	b.WriteString(text)
	if p.OnLine == nil {
		return
	}
	rest := append(p.partial[stream], text...)
	for {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if !whole {
			break
		}
		p.OnLine(string(line))
		rest = after
	}
	p.partial[stream] = bytes.Clone(rest)
}

// Sleep lets virtual time pass.
func (p *Process) Sleep(d time.Duration) { p.Loop.Sleep(d) }

// Terminate is SIGTERM: the program learns it from Stopping or Serve.
func (p *Process) Terminate() {
	p.stopping = true
	if p.stop != nil {
		p.stop.Broadcast()
	}
}

// Stopping says whether SIGTERM was received.
func (p *Process) Stopping() bool { return p.stopping }

// Serve parks the process until SIGTERM: what a daemon's main function does
// once it is up.
func (p *Process) Serve() {
	if p.stop == nil {
		p.stop = p.Loop.NewSignal()
	}
	for !p.stopping {
		p.stop.Wait(0)
	}
}
