package ceph

import (
	"strings"
	"testing"
)

func TestEveryHandlerIsACommandOfSomeRelease(t *testing.T) {
	known := map[string]bool{}
	for major := luminous; major <= tentacle; major++ {
		for _, e := range []edition{{major, false}, {major, true}} {
			for _, d := range commandsOf(e) {
				known[d.prefix] = true
			}
		}
	}
	for _, table := range commandTables() {
		for prefix := range table {
			if !known[prefix] {
				t.Errorf("no release has a command %q", prefix)
			}
		}
	}
}

func TestCommandsByRelease(t *testing.T) {
	tests := []struct {
		line       string
		from, upTo int
	}{
		{"mon_status", luminous, nautilus},
		{"quorum_status", luminous, tentacle},
		{"mon enable-msgr2", nautilus, tentacle},
		{"config set mon debug_ms 1", mimic, tentacle},
		{"osd blacklist ls", luminous, pacific},
		{"osd blocklist ls", pacific, tentacle},
		{"osd pool create p", octopus, tentacle},
		{"osd pool create p 8", luminous, tentacle},
		{"health mute OSD_DOWN", octopus, tentacle},
		{"mgr module enable prometheus", luminous, tentacle},
		{"osd pg-upmap-primary 1.0 0", reef, tentacle},
	}
	for _, tt := range tests {
		for major := luminous; major <= tentacle; major++ {
			d, _, bad := commandSets[edition{major, major >= pacific}]().choose(strings.Fields(tt.line))
			has := bad == nil && d.flags&flagHidden == 0
			if want := major >= tt.from && major <= tt.upTo; has != want {
				t.Errorf("%s: %q is a command: %v, want %v", releaseNames[major], tt.line, has, want)
			}
		}
	}
}

// The texts are what Ceph 16.2.15 printed.
func TestAdvice(t *testing.T) {
	const create = "osd pool create <pool> [<pg_num:int>] [<pgp_num:int>] [replicated|erasure] [<erasure_code_profile>] [<rule>] [<expected_num_objects:int>] [<size:int>] [<pg_num_min:int>] [<pg_num_max:int>] [on|off|warn] [--bulk] [<target_size_bytes:int>] [<target_size_ratio:float>] :  create pool\n"
	tests := []struct {
		words  []string
		stderr string
	}{
		{[]string{"fsid", "--foo"}, "Invalid command: unused arguments: ['--foo']\nfsid :  show cluster FSID/UUID\n"},
		{[]string{"osd", "pool", "create"}, "Invalid command: missing required parameter pool(<poolname>)\n" + create},
		{[]string{"osd", "pool", "create", "a", "b", "c", "d", "e", "f"}, "d not valid:  d doesn't represent a float\nInvalid command: unused arguments: ['d', 'e', 'f']\n" + create},
		{[]string{"mon", "dump", "abc"}, "abc not valid:  abc doesn't represent an int\nInvalid command: unused arguments: ['abc']\nmon dump [<epoch:int>] :  dump formatted monmap (optionally from epoch)\n"},
		{[]string{"auth", "get"}, "Invalid command: missing required parameter entity(<string>)\nauth get <entity> :  write keyring file with requested key\n"},
		{[]string{"mon"}, "Invalid command: saw 0 of ids(<string>)..., expected at least 1\nmon ok-to-stop <ids>... :  check whether mon(s) can be safely stopped without reducing immediate availability\n"},
		{[]string{"config", "set"}, "Invalid command: missing required parameter who(<string>)\nconfig set <who> <name> <value> [--force] :  Set a configuration option for one or more entities\n"},
		{[]string{"mon", "add"}, "no valid command found; 2 closest matches:\nmon add <name> <addr> [<location>...]\nmon add disallowed_leader <name>\n"},
		{[]string{"mon", "add", "x"}, "Invalid command: missing required parameter addr(<IPaddr[:port]>)\nmon add <name> <addr> [<location>...] :  add new monitor named <name> at <addr>, possibly with CRUSH location <location>\n"},
		{[]string{"osd"}, "no valid command found; 10 closest matches:\nosd perf\nosd df [plain|tree] [class|name] [<filter>]\nosd blocked-by\nosd pool stats [<pool_name>]\nosd pool scrub <who>...\nosd pool deep-scrub <who>...\nosd pool repair <who>...\nosd pool force-recovery <who>...\nosd pool force-backfill <who>...\nosd pool cancel-force-recovery <who>...\n"},
	}
	for _, tt := range tests {
		_, _, bad := commandSets[edition{pacific, true}]().choose(tt.words)
		if bad == nil {
			t.Errorf("%v is a command", tt.words)
			continue
		}
		if bad.stderr != tt.stderr {
			t.Errorf("%v:\n%s\nwant:\n%s", tt.words, bad.stderr, tt.stderr)
		}
	}
}

func TestArguments(t *testing.T) {
	d, a, bad := commandSets[edition{pacific, true}]().choose([]string{"osd", "pool", "create", "p", "--pg_num=0x10", "--bulk", "--target_size_ratio", "0.5"})
	if bad != nil {
		t.Fatal(bad.stderr)
	}
	n, _ := a.int("pg_num")
	f, _ := a.float("target_size_ratio")
	if d.prefix != "osd pool create" || a.str("pool") != "p" || n != 16 || f != 0.5 || !a.flag("bulk") {
		t.Errorf("%s with %v", d.prefix, a)
	}
	_, a, bad = commandSets[edition{pacific, true}]().choose([]string{"auth", "get-or-create", "client.x", "mon", "allow r", "osd", "allow rw, allow r"})
	if bad != nil {
		t.Fatal(bad.stderr)
	}
	if got := strings.Join(a.list("caps"), "|"); got != "mon|allow r|osd|allow rw, allow r" {
		t.Errorf("caps %s", got)
	}
}

func BenchmarkCeph(b *testing.B) {
	for _, argv := range [][]string{
		{"ceph", "quorum_status", "--connect-timeout=15", "--format", "json"},
		{"ceph", "status", "--format", "json"},
		{"ceph", "auth", "get-or-create-key", "client.x", "mon", "allow r"},
	} {
		b.Run(argv[1], func(b *testing.B) {
			w := newWorld(b, "16.2.15", 1)
			w.cluster("a")
			w.sh("10.0.0.1", argv...)
			for b.Loop() {
				r := w.start("10.0.0.1", nil, argv...)
				for r.code == running {
					w.loop.Step()
				}
			}
		})
	}
}
