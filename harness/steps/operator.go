package steps

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cucumber/godog"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func operatorSteps() []Step {
	return []Step{
		{
			Pattern: `^the operator is restarted$`,
			Example: `the operator is restarted`,
			Meaning: "kills the operator and starts it again with empty memory",
			Do: func(ctx context.Context) error {
				in(ctx).StopOperator()
				return in(ctx).StartOperator()
			},
		},
		{
			Pattern: `^the operator is stopped$`,
			Example: `the operator is stopped`,
			Meaning: "kills the operator",
			Do:      func(ctx context.Context) { in(ctx).StopOperator() },
		},
		{
			Pattern: `^the operator starts$`,
			Example: `the operator starts`,
			Meaning: "starts an operator that was stopped",
			Do:      func(ctx context.Context) error { return in(ctx).StartOperator() },
		},
		{
			Pattern: `^the operator runs with ([A-Z_]+)=(\S*)$`,
			Example: `the operator runs with ROOK_HOSTPATH_REQUIRES_PRIVILEGED=true`,
			Meaning: "restarts the operator with an environment variable set",
			Do: func(ctx context.Context, variable, value string) error {
				in(ctx).StopOperator()
				in(ctx).SetOperatorEnv(variable, value)
				return in(ctx).StartOperator()
			},
		},
		{
			Pattern: `^` + within + `the operator logs (debug|info|warning|error) ` + name + `$`,
			Example: `within 1m the operator logs warning "mon count is even (given: 4), should be uneven, continuing"`,
			Meaning: "a line of the log has this severity and text",
			Do: func(ctx context.Context, limit, severity, text string) error {
				return soon(ctx, limit, func() error { return logged(ctx, severity, text) })
			},
		},
		{
			Pattern: `^the operator never logs ` + name + `$`,
			Example: `the operator never logs "AQB6ZxVd"`,
			Meaning: "no line of the log so far holds the text",
			Do: func(ctx context.Context, text string) error {
				for _, l := range in(ctx).OperatorLog() {
					if strings.Contains(l.Text, text) {
						return fmt.Errorf("the operator logged %s: %s", l.Severity, l.Text)
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the file ` + name + ` of the operator is$`,
			Example: `the file "/var/lib/rook/rook-ceph/rook-ceph.config" of the operator is`,
			Meaning: "compares a file in the operator's container with the doc string, whole",
			Do: func(ctx context.Context, path string, doc *godog.DocString) error {
				b, err := in(ctx).OperatorFile(path)
				if err != nil {
					return err
				}
				return sameText(doc.Content, string(b))
			},
		},
		{
			Pattern: `^the operator has the file ` + name + `$`,
			Example: `the operator has the file "/var/lib/rook/rook-ceph/mon.keyring"`,
			Meaning: "writes a file (the doc string) into the operator's container, with the directories above it",
			Do: func(ctx context.Context, path string, doc *godog.DocString) error {
				return in(ctx).WriteOperatorFile(path, []byte(doc.Content+"\n"))
			},
		},
		{
			Pattern: `^the files ` + name + ` and ` + name + ` of the operator are the same$`,
			Example: `the files "/var/lib/rook/rook-ceph/rook-ceph.config" and "/etc/ceph/ceph.conf" of the operator are the same`,
			Meaning: "compares two files in the operator's container",
			Do: func(ctx context.Context, one, other string) error {
				a, err := in(ctx).OperatorFile(one)
				if err != nil {
					return err
				}
				b, err := in(ctx).OperatorFile(other)
				if err != nil {
					return err
				}
				return sameText(string(a), string(b))
			},
		},
		{
			Pattern: `^the operator has no file in ` + name + `$`,
			Example: `the operator has no file in "/tmp"`,
			Meaning: "the directory of the operator's container is empty",
			Do: func(ctx context.Context, dir string) error {
				names, err := in(ctx).OperatorDir(dir)
				if err == nil && len(names) > 0 {
					err = fmt.Errorf("%s has %q", dir, names)
				}
				return err
			},
		},
		{
			Pattern: `^the operator created in this order$`,
			Example: `the operator created in this order`,
			Meaning: "the rows of the table (kind, name) are objects that the operator made in this order, others between them allowed",
			Do: func(ctx context.Context, t *godog.Table) error {
				return created(in(ctx).OperatorWrites(), rows(t))
			},
		},
		{
			Pattern: `^the operator wrote in this order$`,
			Example: `the operator wrote in this order`,
			Meaning: "the rows of the table (verb, kind, name) are writes of the operator in this order, others between them allowed",
			Do: func(ctx context.Context, t *godog.Table) error {
				return wrote(in(ctx).OperatorWrites(), rows(t))
			},
		},
		{
			Pattern: `^no log line, command line, event or status of the operator shows a key$`,
			Example: `no log line, command line, event or status of the operator shows a key`,
			Meaning: "nothing that a person may read of the operator holds a cephx key of the cluster",
			Do:      showsNoKey,
		},
		{
			Pattern: `^the operator changes nothing for (\S+)$`,
			Example: `the operator changes nothing for 10m`,
			Meaning: "lets time pass in which the operator writes nothing to Kubernetes but health times, and runs no command that changes Ceph",
			Do: func(ctx context.Context, limit string) error {
				d, err := time.ParseDuration(limit)
				if err != nil {
					return err
				}
				return idle(in(ctx), d)
			},
		},
		{
			Pattern: `^` + within + `the operator wrote ` + name + ` (\d+) times?$`,
			Example: `within 5m the operator wrote "create Deployment rook-ceph/rook-ceph-mon-a" 1 time`,
			Meaning: "counts the writes to Kubernetes so far, tried ones included, whose text VERB KIND NAMESPACE/NAME is this or holds it up to a blank or slash",
			Do: func(ctx context.Context, limit, text string, count int) error {
				return soon(ctx, limit, func() error { return wroteTimes(in(ctx).OperatorEffects(), text, count) })
			},
		},
	}
}

func logged(ctx context.Context, severity, text string) error {
	var same []string
	for _, l := range in(ctx).OperatorLog() {
		if l.Severity != severity {
			continue
		}
		if matches(text, l.Text) {
			return nil
		}
		same = append(same, l.Text)
	}
	return fmt.Errorf("no %s line of the operator's log is %q; there are:\n%s", severity, text, strings.Join(same, "\n"))
}

// wroteTimes counts the writes that hold the words.
func wroteTimes(effects []world.Effect, text string, count int) error {
	var found, all []string
	for _, e := range effects {
		if e.Command {
			continue
		}
		all = append(all, e.Text)
		if strings.Contains(e.Text+" ", text+" ") || strings.Contains(e.Text, text+"/") {
			found = append(found, e.Text)
		}
	}
	if len(found) == count {
		return nil
	}
	if len(found) == 0 {
		found = all
	}
	return fmt.Errorf("the operator wrote it %d times, want %d; it wrote:\n%s", len(found), count, strings.Join(found, "\n"))
}

// created checks that the rows were created in this order.
func created(writes []world.Write, rows []map[string]string) error {
	for _, r := range rows {
		r["verb"] = "create"
	}
	return wrote(slices.DeleteFunc(slices.Clone(writes), func(w world.Write) bool { return w.Verb != "create" }), rows)
}

// wrote checks that the rows were written in this order.
func wrote(writes []world.Write, rows []map[string]string) error {
	var all []string
	for _, w := range writes {
		all = append(all, w.Verb+" "+w.Kind+" "+w.Key.Name)
	}
	next := 0
	for _, r := range rows {
		want := r["verb"] + " " + r["kind"] + " " + r["name"]
		at := slices.Index(all[next:], want)
		if at < 0 {
			return fmt.Errorf("the operator did not %s after %d of these:\n%s", want, next, strings.Join(all, "\n"))
		}
		next += at + 1
	}
	return nil
}

// showsNoKey searches all that a person may read for the keys of the cluster.
func showsNoKey(ctx context.Context) error {
	var keys []string
	for _, k := range []string{"mon-secret", "admin-secret"} {
		text, err := dataOf(ctx, "Secret", "rook-ceph-mon", k)
		if err != nil {
			return err
		}
		keys = append(keys, text)
	}
	var texts []string
	for _, l := range in(ctx).OperatorLog() {
		texts = append(texts, l.Text)
	}
	for _, r := range in(ctx).OperatorRuns() {
		texts = append(texts, r.Command.String(), strings.Join(r.Command.Args, " "))
		if r.Err != nil {
			texts = append(texts, r.Err.Error())
		}
	}
	for _, kind := range []string{"Event", "CephCluster", "ConfigMap", "Deployment"} {
		objects, err := find(ctx, kind, "", "")
		if err != nil {
			return err
		}
		for _, o := range objects {
			texts = append(texts, show(o.Object))
		}
	}
	for _, t := range texts {
		for _, k := range keys {
			if strings.Contains(t, k) {
				return fmt.Errorf("a key shows in:\n%s", strings.ReplaceAll(t, k, "(the key)"))
			}
		}
	}
	return nil
}

// healthInterval is how often health is looked at, and dated in the status.
const healthInterval = time.Minute

// idle lets time pass and checks that the operator leaves all as it is. The
// times at which health was looked at are the one thing that moves (S53).
func idle(w world.World, d time.Duration) error {
	writes, runs := len(w.OperatorWrites()), len(w.OperatorRuns())
	w.Pass(d)
	var wrong []string
	checks := map[client.ObjectKey]int{}
	for _, c := range w.OperatorWrites()[writes:] {
		if c.Verb == "patch" && c.Kind == "CephCluster" {
			if checks[c.Key]++; checks[c.Key] <= int(d/healthInterval)+1 {
				continue
			}
		}
		wrong = append(wrong, fmt.Sprintf("%s %s %s", c.Verb, c.Kind, c.Key))
	}
	for _, r := range w.OperatorRuns()[runs:] {
		if !readOnly(r.Command.Args) {
			wrong = append(wrong, r.Command.String())
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the operator made %d changes:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	return nil
}

// readOnly says whether a ceph command only looks.
func readOnly(args []string) bool {
	line := " " + strings.Join(args, " ") + " "
	for _, c := range []string{
		"mon_status", "quorum_status", "status", "-s", "health", "version", "versions", "fsid", "mon dump", "mon stat", "mon metadata",
		"mgr dump", "mgr stat", "mgr services", "mgr module ls", "auth get", "auth ls", "config get", "config dump", "config-key get",
		"osd tree", "osd dump", "osd stat", "osd ls", "osd find", "osd metadata", "osd crush dump", "osd crush show-tunables", "osd crush rule ls", "osd crush rule dump", "osd erasure-code-profile get",
		"osd pool ls", "osd pool get", "osd df", "pg stat", "df", "dashboard ac-user-show", "dashboard get-", "lvm list", "--version",
	} {
		if strings.HasPrefix(line, " "+c) {
			return !strings.HasPrefix(line, " auth get-or-create")
		}
	}
	return false
}
