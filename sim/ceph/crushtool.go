package ceph

import (
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// crushtoolMain is the program crushtool: compile, decompile, and count what
// rules find.
func crushtoolMain(_ *Sim, r *release, p *host.Process) int {
	t := &crushtool{p: p, r: r, ask: map[string]int{}}
	if code, end := t.parse(p.Args[1:]); end {
		return code
	}
	return t.run()
}

type crushtool struct {
	p                        *host.Process
	r                        *release
	compile, decompile       string
	in, out                  string
	test, statistics, verify bool
	mappings                 bool
	ask                      map[string]int // numbers of --test
}

func (t *crushtool) parse(args []string) (code int, end bool) {
	texts := map[string]*string{
		"-c": &t.compile, "--compile": &t.compile, "-d": &t.decompile, "--decompile": &t.decompile,
		"-i": &t.in, "--infn": &t.in, "-o": &t.out, "--outfn": &t.out,
	}
	flags := map[string]*bool{
		"--test": &t.test, "--show-statistics": &t.statistics, "--show_statistics": &t.statistics, "--show-mappings": &t.mappings,
		"--show_mappings": &t.mappings, "--check": &t.verify,
	}
	for i := 0; i < len(args); i++ {
		name, value, inWord := strings.Cut(args[i], "=")
		take := func() bool {
			if !inWord {
				if i++; i >= len(args) {
					t.p.Errorf("Option %s requires an argument.\n", name)
					return false
				}
				value = args[i]
			}
			return true
		}
		switch number := strings.ReplaceAll(name, "_", "-"); {
		case name == "--version" || name == "-v":
			t.p.Printf("%s\n", t.r.long())
			return 0, true
		case texts[name] != nil:
			if !take() {
				return 1, true
			}
			*texts[name] = value
		case flags[name] != nil:
			*flags[name] = true
		case number == "--rule" || number == "--num-rep" || number == "--min-x" || number == "--max-x" || number == "--x":
			if !take() {
				return 1, true
			}
			n, err := strconv.Atoi(value)
			if err != nil {
				t.p.Errorf("Expected option value to be integer, got '%s'\n", value)
				return 1, true
			}
			t.ask[number] = n
		default:
			t.p.Errorf("unrecognized arguments: [%s]\n", strings.Join(args[i:], ","))
			return 1, true
		}
	}
	return 0, false
}

func (t *crushtool) run() int {
	switch {
	case t.compile != "":
		return t.doCompile()
	case t.decompile != "":
		t.in = t.decompile
	case t.in == "":
		t.p.Errorf("must specify --infn, --build, --compile, or --decompile. use -h for help\n")
		return 1
	}
	data, err := t.p.Files.ReadFile(t.in)
	if err != nil {
		t.p.Errorf("crushtool: error reading '%s': can't open %s: %s\n", t.in, t.in, cppError(err))
		return 1
	}
	m, err := crush.Unmarshal(data)
	if err != nil {
		t.p.Errorf("crushtool: unable to decode %s\n", t.in)
		return 1
	}
	switch {
	case t.decompile != "":
		return t.write([]byte(m.Text(!t.r.atLeast(quincy))))
	case t.test:
		return t.doTest(m)
	}
	if t.out != "" {
		return t.write(m.Marshal())
	}
	t.p.Printf("crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n")
	return 0
}

// write puts the result into -o, or prints a text.
func (t *crushtool) write(data []byte) int {
	if t.out == "" {
		t.p.Printf("%s", data)
		return 0
	}
	if err := t.p.Files.WriteFile(t.out, data, 0o644); err != nil {
		t.p.Errorf("writing %s: %s\n", t.out, cppError(err))
		return 1
	}
	return 0
}

func (t *crushtool) doCompile() int {
	text, err := t.p.Files.ReadFile(t.compile)
	if err != nil {
		t.p.Errorf("input file %s not found\n", t.compile)
		return 254
	}
	m, err := crush.Compile(t.compile, string(text))
	if err != nil {
		t.p.Errorf("%v\n", err)
		return 1
	}
	if t.out == "" {
		t.p.Printf("crushtool successfully built or modified map.  Use '-o <file>' to write it out.\n")
		return 0
	}
	return t.write(m.Marshal())
}

// doTest counts how many devices each rule finds for inputs.
func (t *crushtool) doTest(m *crush.Map) int {
	placer := m.NewPlacer(func(int) float64 { return 1 })
	low, high := 0, 1023
	from, hasFrom := t.ask["--min-x"]
	to, hasTo := t.ask["--max-x"]
	if x, one := t.ask["--x"]; one {
		from, to, hasFrom, hasTo = x, x, true, true
	}
	if hasFrom && hasTo { // only one of the two counts for nothing
		low, high = from, to
	}
	for _, r := range m.Rules {
		if want, given := t.ask["--rule"]; given && want != r.ID {
			continue
		}
		from, to := max(r.MinSize, 1), max(r.MaxSize, 1)
		if n, given := t.ask["--num-rep"]; given {
			from, to = n, n
		}
		t.p.Printf("rule %d (%s), x = %d..%d, numrep = %d..%d\n", r.ID, r.Name, low, high, from, to)
		for n := from; n <= to; n++ {
			t.testRule(placer, r, n, low, high)
		}
	}
	return 0
}

func (t *crushtool) testRule(placer *crush.Placer, r *crush.Rule, n, low, high int) {
	sizes := make([]int, n+1)
	for x := low; x <= high; x++ {
		found := placer.Place(r, uint64(x), n)
		sizes[present(found)]++
		if t.mappings {
			t.p.Printf("CRUSH rule %d x %d %s\n", r.ID, x, "["+joinInts(found, ",")+"]")
		}
	}
	if !t.statistics {
		return
	}
	for size, count := range sizes {
		if count > 0 {
			t.p.Printf("rule %d (%s) num_rep %d result size == %d:\t%d/%d\n", r.ID, r.Name, n, size, count, high-low+1)
		}
	}
}
