package ceph

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// authtoolUsage is the help of ceph-authtool.
const authtoolUsage = `usage: ceph-authtool keyringfile [OPTIONS]...
where the options are:
  -l, --list                    will list all keys and capabilities present in
                                the keyring
  -p, --print-key               will print an encoded key for the specified
                                entityname. This is suitable for the
                                'mount -o secret=..' argument
  -C, --create-keyring          will create a new keyring, overwriting any
                                existing keyringfile
  -g, --gen-key                 will generate a new secret key for the
                                specified entityname
  --gen-print-key               will generate a new secret key without set it
                                to the keyringfile, prints the secret to stdout
  --import-keyring FILE         will import the content of a given keyring
                                into the keyringfile
  -n NAME, --name NAME          specify entityname to operate on
  -a BASE64, --add-key BASE64   will add an encoded key to the keyring
  --cap SUBSYSTEM CAPABILITY    will set the capability for given subsystem
  --caps CAPSFILE               will set all of capabilities associated with a
                                given key, for all subsystems
  --mode MODE                   will set the desired file mode to the keyring
                                e.g: '0644', defaults to '0600'
`

// authtool is one run of ceph-authtool.
type authtool struct {
	sim  *Sim
	p    *host.Process
	file string

	list, print, create, gen, genPrint bool
	importFrom, name, addKey, capsFile string
	caps                               map[string]string
	mode                               fs.FileMode
}

// authtoolMain is the program ceph-authtool (S70, S71).
func authtoolMain(s *Sim, r *release, p *host.Process) int {
	t := &authtool{sim: s, p: p, name: "client.admin", caps: map[string]string{}, mode: 0o600}
	args := p.Args[1:]
	if len(args) == 0 {
		p.Errorf("ceph-authtool: -h or --help for usage\n")
		return 1
	}
	for len(args) > 0 {
		switch args[0] {
		case "--version", "-v":
			p.Printf("%s\n", r.long())
			return 0
		case "-h", "--help":
			return t.usage()
		}
		n, code := t.take(args)
		if code != 0 {
			return code
		}
		args = args[n:]
	}
	if t.genPrint {
		p.Printf("%s\n", s.newKey())
		return 0
	}
	if t.file == "" {
		p.Errorf("ceph-authtool: must specify filename\n")
		return t.usage()
	}
	if !(t.gen || t.addKey != "" || t.list || t.capsFile != "" || len(t.caps) > 0 || t.print || t.create || t.importFrom != "") {
		p.Errorf("no command specified\n")
		return t.usage()
	}
	if t.gen && t.addKey != "" {
		p.Errorf("can't both gen-key and add-key\n")
		return t.usage()
	}
	return t.run()
}

func (t *authtool) usage() int {
	t.p.Printf("%s", authtoolUsage)
	return 1
}

// take reads one option and says how many words it has.
func (t *authtool) take(args []string) (n, code int) {
	word, value, inWord := strings.Cut(args[0], "=")
	if !strings.HasPrefix(args[0], "--") {
		word, inWord = args[0], false
	}
	flags := map[string]*bool{
		"-g": &t.gen, "--gen-key": &t.gen, "--gen-print-key": &t.genPrint, "-l": &t.list, "--list": &t.list,
		"-p": &t.print, "--print-key": &t.print, "-C": &t.create, "--create-keyring": &t.create,
	}
	if f := flags[word]; f != nil {
		*f = true
		return 1, 0
	}
	mode := ""
	values := map[string]*string{
		"-n": &t.name, "--name": &t.name, "-a": &t.addKey, "--add-key": &t.addKey, "--import-keyring": &t.importFrom,
		"--caps": &t.capsFile, "-c": &t.capsFile, "--mode": &mode, "--conf": new(string), "--cluster": new(string),
	}
	switch to := values[word]; {
	case to != nil && inWord:
		*to, n = value, 1
	case to != nil && len(args) < 2:
		t.p.Errorf("Option %s requires an argument.\n", word)
		return 0, 1
	case to != nil:
		*to, n = args[1], 2
	case word == "--cap":
		if len(args) < 3 {
			t.p.Errorf("must give two arguments to --cap: key and val.\n")
			return 0, 1
		}
		t.caps[args[1]] = unquoted(args[2])
		return 3, 0
	case t.file == "" && !strings.HasPrefix(word, "-"):
		t.file = args[0]
		return 1, 0
	default:
		t.p.Errorf("ceph-authtool: unexpected '%s'\n", args[0])
		return 0, t.usage()
	}
	if mode != "" {
		m, err := strconv.ParseUint(mode, 8, 12)
		if err != nil {
			t.p.Errorf("ceph-authtool: mode must be octal\n")
			return 0, 1
		}
		t.mode = fs.FileMode(m)
	}
	if !conf.ValidEntity(t.name) {
		t.p.Errorf("error parsing '%s': expected string of the form TYPE.ID, valid types are: auth, mon, osd, mds, mgr, client\n", t.name)
		return 0, 1
	}
	return n, 0
}

// unquoted drops the quotes that a line pasted from a log still has (S70).
func unquoted(s string) string {
	if len(s) > 1 && s[0] == '\'' && s[len(s)-1] == '\'' {
		return s[1 : len(s)-1]
	}
	return s
}

// load reads a keyring; the text of the error stands on stderr.
func (t *authtool) load(file string) (conf.Keyring, bool) {
	data, err := t.p.Files.ReadFile(file)
	if err != nil {
		t.p.Errorf("can't open %[1]s: can't open %[1]s: %[2]s\n", file, cppError(err))
		return nil, false
	}
	ring, err := conf.ParseKeyring(data)
	if err != nil {
		t.p.Errorf("error reading file %s\n", file)
		return nil, false
	}
	return ring, true
}

func (t *authtool) run() int {
	ring, changed := conf.Keyring{}, false
	if t.create {
		t.p.Printf("creating %s\n", t.file)
		changed = true
	} else {
		var ok bool
		if ring, ok = t.load(t.file); !ok {
			return 1
		}
	}
	if t.importFrom != "" {
		other, ok := t.load(t.importFrom)
		if !ok {
			return 1
		}
		t.p.Printf("importing contents of %s into %s\n", t.importFrom, t.file)
		for name, e := range other {
			ring[name] = e
		}
		changed = true
	}
	e, known := ring[t.name]
	if !known {
		e = conf.Entry{Entity: t.name, Caps: map[string]string{}}
	}
	switch {
	case t.gen:
		e.Key, changed = t.sim.newKey(), true
		ring[t.name] = e
	case t.addKey != "":
		if !validKey(t.addKey) {
			t.p.Errorf("can't decode key '%s'\n", t.addKey)
			return 1
		}
		e.Key, changed = t.addKey, true
		ring[t.name] = e
		t.p.Printf("added entity %s auth(key=%s)\n", t.name, t.addKey)
	}
	if code := t.setCaps(ring, &changed); code != 0 {
		return code
	}
	if t.list {
		t.p.Printf("%s", ring)
	}
	if t.print {
		e, ok := ring[t.name]
		if !ok {
			t.p.Errorf("entity %s not found\n", t.name)
			return 1
		}
		t.p.Printf("%s\n", e.Key)
	}
	if changed {
		return t.write(ring)
	}
	return 0
}

// setCaps is --cap and --caps.
func (t *authtool) setCaps(ring conf.Keyring, changed *bool) int {
	wanted := t.caps
	if t.capsFile != "" {
		data, err := t.p.Files.ReadFile(t.capsFile)
		if err != nil {
			t.p.Errorf("could not parse caps file %s\n", t.capsFile)
			return 1
		}
		f, err := conf.Parse(data)
		if err != nil {
			t.p.Errorf("could not parse caps file %s\n", t.capsFile)
			return 1
		}
		wanted = map[string]string{}
		for _, service := range []string{"mon", "osd", "mds", "mgr"} {
			if v, ok := f.Get("global", "caps "+service); ok {
				wanted[service] = v
			}
		}
	}
	if len(wanted) == 0 {
		return 0
	}
	e, ok := ring[t.name]
	if !ok {
		t.p.Errorf("can't find existing key for %s and neither gen-key nor add-key specified\n", t.name)
		return 1
	}
	e.Caps = wanted
	ring[t.name] = e
	*changed = true
	if t.addKey != "" {
		t.p.Printf("added %d caps to entity %s\n", len(wanted), t.name)
	}
	return 0
}

// write replaces the file. One that is there keeps its mode.
func (t *authtool) write(ring conf.Keyring) int {
	mode := t.mode
	if i, err := t.p.Files.Stat(t.file); err == nil {
		mode = i.Mode
	}
	if err := t.p.Files.WriteFile(t.file, []byte(ring.String()), mode); err != nil {
		t.p.Errorf("bufferlist::write_file(%s): failed to open file: %s\ncould not write %s\n", t.file, cppError(err), t.file)
		return 1
	}
	return 0
}
