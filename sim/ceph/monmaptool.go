package ceph

import (
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// monmaptoolMain is the program monmaptool.
func monmaptoolMain(s *Sim, r *release, p *host.Process) int {
	t := &monmaptool{sim: s, p: p, r: r}
	if code, end := t.parse(p.Args[1:]); end {
		return code
	}
	return t.run()
}

type monmaptool struct {
	sim                    *Sim
	p                      *host.Process
	r                      *release
	file                   string
	create, clobber, print bool
	fsid                   string
	add, addv              [][2]string
	rm                     []string
	minRelease             string
}

func (t *monmaptool) usage(text string) (int, bool) {
	t.p.Errorf("monmaptool: %s\n", text)
	return 1, true
}

func (t *monmaptool) parse(args []string) (code int, end bool) {
	for i := 0; i < len(args); i++ {
		name, value, inWord := strings.Cut(args[i], "=")
		words := func(n int) ([]string, bool) {
			var w []string
			if inWord {
				w = append(w, value)
			}
			for len(w) < n && i+1 < len(args) {
				i++
				w = append(w, args[i])
			}
			return w, len(w) == n
		}
		switch name {
		case "--version", "-v":
			t.p.Printf("%s\n", t.r.long())
			return 0, true
		case "--print", "-p":
			t.print = true
		case "--create":
			t.create = true
		case "--clobber":
			t.clobber = true
		case "--add", "--addv":
			w, ok := words(2)
			if !ok {
				return t.usage("wrong number of arguments for " + name)
			}
			if name == "--add" {
				t.add = append(t.add, [2]string{w[0], w[1]})
			} else {
				t.addv = append(t.addv, [2]string{w[0], w[1]})
			}
		case "--rm", "--fsid", "--set-min-mon-release":
			w, ok := words(1)
			if !ok {
				return t.usage("Option " + name + " requires an argument.")
			}
			switch name {
			case "--rm":
				t.rm = append(t.rm, w[0])
			case "--fsid":
				t.fsid = w[0]
			case "--set-min-mon-release":
				t.minRelease = w[0]
			}
		default:
			if strings.HasPrefix(name, "-") || t.file != "" {
				return t.usage("too many arguments: '" + args[i] + "'")
			}
			t.file = args[i]
		}
	}
	if t.file == "" {
		return t.usage("must specify monmap filename")
	}
	return 0, false
}

func (t *monmaptool) run() int {
	p := t.p
	p.Printf("monmaptool: monmap file %s\n", t.file)
	data, err := p.Files.ReadFile(t.file)
	var mm *MonMap
	now := p.Loop.Now()
	switch {
	case t.create && err == nil && !t.clobber:
		p.Errorf("monmaptool: %s exists, --clobber to overwrite\n", t.file)
		return 255
	case t.create:
		mm = &MonMap{Created: now, Modified: now, FSID: t.sim.uuid()}
		if t.fsid == "" {
			p.Printf("monmaptool: generated fsid %s\n", mm.FSID)
		}
	case err != nil:
		p.Errorf("monmaptool: couldn't open %s: %s\n", t.file, cppError(err))
		return 255
	default:
		old, ok := decodeMonMap(data)
		if !ok {
			p.Errorf("monmaptool: unable to read monmap file\n")
			return 255
		}
		mm = old.clone()
	}
	changed, code := t.edit(mm)
	if code != 0 {
		return code
	}
	if t.print {
		p.Printf("%s", mm.text(t.r))
	}
	if !changed && !t.create {
		if !t.print {
			p.Errorf("monmaptool: no action specified\n")
			return 1
		}
		return 0
	}
	p.Printf("monmaptool: writing epoch %d to %s (%d monitors)\n", mm.Epoch, t.file, len(mm.Mons))
	if err := p.Files.WriteFile(t.file, mm.encode(), 0o644); err != nil {
		p.Errorf("monmaptool: error writing to '%s': %s\n", t.file, cppError(err))
		return 255
	}
	return 0
}

// edit carries out what argv asks for.
func (t *monmaptool) edit(mm *MonMap) (changed bool, code int) {
	p := t.p
	if t.fsid != "" {
		mm.FSID, changed = t.fsid, true
		p.Printf("monmaptool: set fsid to %s\n", mm.FSID)
	}
	for _, a := range append(slices.Clone(t.add), t.addv...) {
		if mm.Rank(a[0]) >= 0 {
			p.Errorf("monmaptool: map already contains mon.%s\n", a[0])
			return false, 255
		}
		v, ok := parseAddrVec(a[1])
		if !ok {
			p.Errorf("monmaptool: invalid ip:port '%s'\n", a[1])
			return false, 255
		}
		var addrs AddrVec
		for _, x := range v {
			addrs = append(addrs, t.r.monAddrs(x)...)
		}
		mm.put(MonInfo{Name: a[0], Addrs: addrs}, t.r)
		changed = true
	}
	if t.minRelease != "" {
		mm.MinRelease, changed = releaseNumber(t.minRelease), true
		p.Printf("monmaptool: setting min_mon_release = %s\n", t.minRelease)
	}
	for _, name := range t.rm {
		i := mm.Rank(name)
		p.Printf("monmaptool: removing %s\n", name)
		if i < 0 {
			p.Errorf("monmaptool: map does not contain %s\n", name)
			return false, 255
		}
		mm.Mons = slices.Delete(mm.Mons, i, i+1)
		changed = true
	}
	return changed, 0
}
