package ceph

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/caps"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// radosMain is the program rados: pools and plain objects.
func radosMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "client", "admin")
	if err != nil {
		p.Errorf("did not load config file, using default settings.\n")
		o = &options{release: r}
	}
	t := &rados{sim: s, p: p, r: r, o: o}
	if code, end := t.parse(); end {
		return code
	}
	key, errno := o.keyOf(p, "/etc/ceph/$cluster.$name.keyring,/etc/ceph/$cluster.keyring,/etc/ceph/keyring")
	if errno != 0 {
		p.Errorf("couldn't connect to cluster: %s\n", cppError(errno))
		return 1
	}
	t.session, err = s.connect(p, o.monsOf(), o.who.Name(), key, t.limit())
	if err != nil {
		why := syscall.EACCES
		if errors.As(err, &errTimedOut{}) {
			why = syscall.ETIMEDOUT
		}
		p.Errorf("couldn't connect to cluster: %s\n", cppError(why))
		return 1
	}
	return t.run()
}

type rados struct {
	sim             *Sim
	p               *host.Process
	r               *release
	o               *options
	session         *session
	pool, namespace string
	format          string
	all             bool
	words           []string
}

// limit is client_mount_timeout.
func (t *rados) limit() time.Duration {
	return time.Duration(t.o.number("client_mount_timeout", int(clientMount/time.Second))) * time.Second
}

func (t *rados) parse() (code int, end bool) {
	texts := map[string]*string{
		"-p": &t.pool, "--pool": &t.pool, "-N": &t.namespace, "--namespace": &t.namespace, "--format": &t.format,
	}
	rest := t.o.rest
	for i := 0; i < len(rest); i++ {
		name, value, inWord := strings.Cut(rest[i], "=")
		switch to := texts[name]; {
		case to != nil && inWord:
			*to = value
		case to != nil:
			if i++; i >= len(rest) {
				t.p.Errorf("Option %s requires an argument.\n", name)
				return 1, true
			}
			*to = rest[i]
		case name == "--all":
			t.all = true
		case strings.HasPrefix(name, "-") && name != "-":
			t.p.Errorf("unrecognized command %s; -h or --help for usage\n", name)
			return 1, true
		default:
			t.words = append(t.words, rest[i])
		}
	}
	if len(t.words) == 0 {
		t.p.Errorf("rados: you must give an action. Try --help\n")
		return 1, true
	}
	return 0, false
}

func (t *rados) fail(what string, errno syscall.Errno) int {
	t.p.Errorf("%s: %s\n", what, cppError(errno))
	return 1
}

func (t *rados) run() int {
	switch verb := t.words[0]; {
	case verb == "lspools":
		return t.lspools()
	case verb == "df":
		return t.df()
	case verb == "mkpool" && !t.r.atLeast(nautilus), verb == "rmpool":
		return t.changePool()
	case t.pool == "":
		t.p.Errorf("pool name is not specified or error opening pool for %s\n", verb)
		return 1
	}
	return t.object()
}

// look reads the state at the leader.
func (t *rados) look(fn func(c *call)) {
	_, _ = t.session.submit(false, func(c *call) reply { // connected with this key a moment ago
		fn(c)
		return reply{}
	})
}

func (t *rados) lspools() int {
	t.look(func(c *call) {
		for _, p := range c.state.OSDMap.Pools {
			t.p.Printf("%s\n", p.Name)
		}
	})
	return 0
}

func (t *rados) df() int {
	t.look(func(c *call) {
		c.format = t.format
		d := c.digest()
		pools := array{}
		table := table{head: []string{"POOL_NAME", "USED", "OBJECTS", "CLONES", "COPIES"}, right: []int{1, 2, 3, 4}}
		sorted := slices.SortedFunc(slices.Values(c.state.OSDMap.Pools), func(a, b *Pool) int { return strings.Compare(a.Name, b.Name) })
		for _, p := range sorted {
			var used uint64
			objects := c.state.PGMap.Objects[p.ID]
			for _, data := range objects.each() {
				used += (uint64(len(data)) + 4095) / 4096 * 4096 * uint64(p.Size)
			}
			n, _ := objects.total()
			pools = append(pools, object{
				{"name", p.Name},
				{"id", p.ID},
				{"size_bytes", used},
				{"size_kb", used / 1024},
				{"num_objects", n},
				{"num_object_clones", 0},
				{"num_object_copies", n * p.Size},
				{"num_objects_missing_on_primary", 0},
				{"num_objects_unfound", 0},
				{"num_objects_degraded", 0},
				{"read_ops", 0},
				{"read_bytes", 0},
				{"write_ops", 0},
				{"write_bytes", 0},
				{"compress_bytes_used", 0},
				{"compress_under_bytes", 0},
			})
			table.rows = append(table.rows, []string{p.Name, byteText(used), strconv.Itoa(n), "0", strconv.Itoa(n * p.Size)})
		}
		if t.format == "json" || t.format == "json-pretty" {
			t.p.Printf("%s", toJSON(object{
				{"pools", pools},
				{"total_objects", d.objects},
				{"total_used", d.used / 1024},
				{"total_avail", (d.total - d.used) / 1024},
				{"total_space", d.total / 1024},
			}))
			return
		}
		t.p.Printf("%s\ntotal_objects    %d\ntotal_used       %s\ntotal_avail      %s\ntotal_space      %s\n", table.text(), d.objects,
			byteText(d.used), byteText(d.total-d.used), byteText(d.total))
	})
	return 0
}

// changePool is mkpool and rmpool: they are commands of the monitors.
func (t *rados) changePool() int {
	if len(t.words) < 2 {
		t.p.Errorf("must specify pool name\n")
		return 1
	}
	name := t.words[1]
	words := []string{"osd", "pool", "create", name, "8"}
	said := "successfully created pool " + name
	if t.words[0] == "rmpool" {
		if len(t.words) < 4 || t.words[2] != name || t.words[3] != "--yes-i-really-really-mean-it" {
			t.p.Errorf("WARNING:\n  This will PERMANENTLY DESTROY an entire pool of objects with no way back.\n  To confirm, pass the pool to remove twice, followed by\n  --yes-i-really-really-mean-it\n")
			return 1
		}
		words, said = []string{"osd", "pool", "rm", name, name, "--yes-i-really-really-mean-it"}, "successfully deleted pool "+name
	}
	d, a, wrong := t.r.commands().choose(words)
	if wrong != nil {
		t.p.Errorf("%s", wrong.stderr)
		return 1
	}
	r, err := t.session.run(d, a, "plain", nil)
	if err != nil {
		return t.fail("error changing pool "+name, syscall.EACCES)
	}
	if r.errno != 0 {
		t.p.Errorf("error changing pool %s: %s\n", name, cppError(r.errno))
		return 1
	}
	t.p.Printf("%s\n", said)
	return 0
}

// object is put, get, create, ls, stat and rm.
func (t *rados) object() int {
	verb := t.words[0]
	need := map[string]caps.Access{"put": caps.W, "create": caps.W, "rm": caps.W, "get": caps.R, "ls": caps.R, "stat": caps.R}[verb]
	if need == 0 {
		t.p.Errorf("unrecognized command %s; -h or --help for usage\n", verb)
		return 1
	}
	args := map[string]int{"put": 3, "get": 3, "create": 2, "rm": 2, "stat": 2, "ls": 1}[verb]
	if len(t.words) < args {
		t.p.Errorf("rados: too few arguments for %s\n", verb)
		return 1
	}
	name := ObjectName{Namespace: t.namespace}
	if args > 1 {
		name.Name = t.words[1]
	}
	var data []byte
	if verb == "put" {
		var err error
		if data, err = t.input(t.words[2]); err != nil {
			return t.fail("error reading input file "+t.words[2], syscall.ENOENT)
		}
	}
	var code int
	for {
		wait := false
		_, err := t.session.submit(false, func(c *call) reply {
			p := c.state.OSDMap.poolNamed(t.pool)
			if p == nil {
				code = t.fail("error opening pool "+t.pool, syscall.ENOENT)
				return reply{}
			}
			at := caps.Object{Pool: p.Name, Namespace: t.namespace, Name: name.Name, Tags: p.Applications}
			granted, err := caps.ParseOSD(c.caller.caps["osd"])
			if err != nil || !granted.Allows(at, need) {
				code = t.fail("error in "+verb+" "+t.pool+"/"+name.Name, syscall.EPERM)
				return reply{}
			}
			if g := c.sim.pgs(c.state, c.now); args > 1 && !activeAt(g, p, name) {
				wait = true // the operation waits until the placement group is active
				return reply{}
			}
			code = t.act(c, p, name, verb, data)
			return reply{}
		})
		if err != nil {
			return t.fail("error in "+verb, syscall.EACCES)
		}
		if !wait {
			return code
		}
		t.p.Sleep(time.Second)
	}
}

func activeAt(pgs []pg, p *Pool, name ObjectName) bool {
	return slices.ContainsFunc(pgs, func(g pg) bool { return g.pool.ID == p.ID && g.seed == name.seed(p.PGNum) && g.active })
}

func (t *rados) input(file string) ([]byte, error) {
	if file == "-" {
		return t.p.Stdin, nil
	}
	return t.p.Files.ReadFile(file)
}

func (t *rados) act(c *call, p *Pool, name ObjectName, verb string, data []byte) int {
	objects := c.state.PGMap.Objects[p.ID]
	content, there := objects.each()[name]
	what := "error in " + verb + " " + p.Name + "/" + name.Name
	store := func(fn func(of map[ObjectName][]byte)) int {
		of := maps.Clone(objects.each())
		if of == nil {
			of = map[ObjectName][]byte{}
		}
		fn(of)
		c.change().pgmap().Objects[p.ID] = &Objects{of}
		return 0
	}
	if (verb == "put" || verb == "create") && c.full(p) {
		return t.fail(what, syscall.EDQUOT)
	}
	switch verb {
	case "put":
		return store(func(of map[ObjectName][]byte) { of[name] = slices.Clone(data) })
	case "create":
		if there {
			return t.fail(what, syscall.EEXIST)
		}
		return store(func(of map[ObjectName][]byte) { of[name] = nil })
	case "ls":
		for _, n := range slices.SortedFunc(maps.Keys(objects.each()), func(a, b ObjectName) int { return strings.Compare(a.Name, b.Name) }) {
			if t.all && n.Namespace != "" {
				t.p.Printf("%s\t", n.Namespace)
			}
			if t.all || n.Namespace == t.namespace {
				t.p.Printf("%s\n", n.Name)
			}
		}
		return 0
	}
	if !there {
		return t.fail(what, syscall.ENOENT)
	}
	switch verb {
	case "rm":
		return store(func(of map[ObjectName][]byte) { delete(of, name) })
	case "stat":
		t.p.Printf("%s/%s mtime %s, size %d\n", p.Name, name.Name, c.release.stamp(c.now), len(content))
		return 0
	}
	if t.words[2] == "-" {
		t.p.Printf("%s", content)
		return 0
	}
	if err := t.p.Files.WriteFile(t.words[2], content, 0o644); err != nil {
		return t.fail("error writing "+t.words[2], syscall.Errno(errnoOf(err)))
	}
	return 0
}

// full says whether a pool has used up its quota.
func (c *call) full(p *Pool) bool {
	objects, bytes := c.state.PGMap.Objects[p.ID].total()
	return p.QuotaBytes > 0 && uint64(bytes) >= p.QuotaBytes || p.QuotaObjects > 0 && uint64(objects) >= p.QuotaObjects
}
