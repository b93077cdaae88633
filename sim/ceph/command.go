package ceph

import (
	"fmt"
	"syscall"
	"time"
)

// handler carries out one command. It runs at one instant: what it reads and
// what it commits is one step.
type handler func(c *call) reply

// commandTables lists the tables of handlers, each by the command's prefix.
func commandTables() []map[string]handler {
	return []map[string]handler{
		monCommands(), statusCommands(), authCommands(), configCommands(), configKeyCommands(), logCommands(), healthCommands(),
		osdShowCommands(), osdChangeCommands(), osdTreeCommands(), crushShowCommands(), crushChangeCommands(), ecCommands(), poolCommands(), pgCommands(), dfCommands(), mgrCommands(), fsCommands(), mdsCommands(), dashboardCommands(), mgrModuleCommands(),
	}
}

// reply is a command's answer.
type reply struct {
	errno  syscall.Errno // 0: it worked
	status string        // what the command line prints on stderr
	// out is what goes to stdout: nil is nothing, string and []byte go as they
	// are, anything else as JSON (toJSON) in the format asked for.
	out any
}

// done is the answer of a command that worked and has nothing to show.
func done(status string, args ...any) reply { return reply{status: fmt.Sprintf(status, args...)} }

// show is the answer of a command that worked: JSON, or plain text. plain is
// called only if it is needed.
func (c *call) show(json any, plain func() string) reply {
	if c.plain() {
		return reply{out: plain()}
	}
	return reply{out: json}
}

// fail is the answer of a command that did not work and changes nothing.
func fail(errno syscall.Errno, status string, args ...any) reply {
	return reply{errno: errno, status: fmt.Sprintf(status, args...)}
}

// call is one command on its way through its handler.
type call struct {
	sim     *Sim
	mon     *mon   // who answers: the leader, or for what only reads the monitor that the client is connected to
	state   *State // committed; never written to
	now     time.Time
	release *release // of the monitor
	caller  caller
	desc    *description
	args    args
	format  string // "json", "json-pretty", "plain", …
	input   []byte // of -i
	session *session
	tx      *change
}

// caller is who sent a command.
type caller struct {
	entity string            // "client.admin"
	caps   map[string]string // by service
	addr   string            // IP address
}

// plain says whether the answer is for people.
func (c *call) plain() bool { return c.format != "json" && c.format != "json-pretty" }

// change is the proposal of this command. It is committed when the handler
// returns without error, and dropped otherwise.
func (c *call) change() *change {
	if c.tx == nil {
		c.tx = begin(c.state, c.now)
	}
	return c.tx
}

// args are a command's arguments as the description names them. A CephInt is an
// int64, a CephFloat a float64, a CephBool a bool, what may stand several times
// a []string, all else a string.
type args map[string]any

func (a args) has(name string) bool { _, ok := a[name]; return ok }

func (a args) str(name string) string { s, _ := a[name].(string); return s }

func (a args) list(name string) []string {
	switch v := a[name].(type) {
	case []string:
		return v
	case string:
		return []string{v}
	}
	return nil
}

// texts is an argument as text, each value of it.
func (a args) texts(name string) []string {
	switch v := a[name].(type) {
	case []string:
		return v
	case nil:
		return nil
	default:
		return []string{fmt.Sprint(v)}
	}
}

func (a args) int(name string) (int64, bool) { n, ok := a[name].(int64); return n, ok }

func (a args) float(name string) (float64, bool) {
	switch v := a[name].(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// flag is whether a CephBool, or the historical "--yes-i-…" choice, was given.
func (a args) flag(name string) bool {
	switch v := a[name].(type) {
	case bool:
		return v
	case string:
		return v != ""
	}
	return false
}
