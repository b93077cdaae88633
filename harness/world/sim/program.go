package sim

import (
	"context"
	"fmt"
	"maps"
	"path"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/operator/cleanup"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// operatorProgram is the operator's binary.
const operatorProgram = "tidepool-operator"

// operatorImage has the operator's binary, and the command line tools of a
// Ceph release of its own.
func (w *World) operatorImage() host.Image {
	image := w.ceph.Image(operatorCeph)
	image.Programs = maps.Clone(image.Programs)
	image.Programs[operatorProgram] = w.operatorMain
	return image
}

// operatorMain is the main function of the operator's binary in the pods of
// jobs: the commands that the binary has beside running the operator.
func (w *World) operatorMain(p *host.Process) int {
	if len(p.Args) < 2 {
		p.Errorf("%s: a simulated pod runs one of its commands, not the operator\n", operatorProgram)
		return 2
	}
	var err error
	switch p.Args[1] {
	case "copy-binary":
		err = w.copyBinary(p)
	case "osd-prepare":
		err = w.prepare(p)
	case "cleanup":
		err = w.cleanup(p)
	default:
		err = fmt.Errorf("unknown command %q", p.Args[1])
	}
	if err != nil {
		p.Errorf("%s: %v\n", operatorProgram, err)
		return 1
	}
	return 0
}

func (w *World) copyBinary(p *host.Process) error {
	for _, a := range p.Args[2:] {
		if dir, ok := strings.CutPrefix(a, "--to="); ok {
			return host.Install(p.Files, path.Join(dir, operatorProgram), w.operatorMain)
		}
	}
	return fmt.Errorf("copy-binary needs --to=DIRECTORY")
}

func (w *World) prepare(p *host.Process) error {
	env, err := prepare.ParseEnv(func(name string) string { return p.Env[name] })
	if err != nil {
		return err
	}
	return prepare.Run(context.Background(), door.Doors{
		Client: w.api.Client(prepareUser),
		Exec:   p.Executor(),
		Files:  p.Files,
		Clock:  clock{w.loop},
		IDs:    id.From(randomBytes{w.loop.Rand("prepare: ids")}),
		Log:    processLog{p},
	}, env)
}

func (w *World) cleanup(p *host.Process) error {
	request, err := cleanup.ParseEnv(func(name string) string { return p.Env[name] })
	if err != nil {
		return err
	}
	return cleanup.Run(context.Background(), door.Doors{
		Exec:  p.Executor(),
		Files: p.Files,
		Clock: clock{w.loop},
		IDs:   id.From(randomBytes{w.loop.Rand("cleanup: ids")}),
		Log:   processLog{p},
	}, request)
}

// prepareUser is who the OSD jobs are for the API server.
const prepareUser = "osd-prepare"

// processLog writes to a container's log.
type processLog struct{ p *host.Process }

func (l processLog) Debugf(string, ...any)             {}
func (l processLog) Infof(format string, args ...any)  { l.p.Errorf("I "+format+"\n", args...) }
func (l processLog) Errorf(format string, args ...any) { l.p.Errorf("E "+format+"\n", args...) }

func (l processLog) Warningf(format string, args ...any) {
	l.p.Errorf("W "+format+"\n", args...)
}
