package volume

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// shredSpeed is how many bytes a second are overwritten.
const shredSpeed = 200 << 20

// Shred is the program shred of coreutils, for devices: it overwrites each three
// times, or as often as it is told, and once more with zeros where that is wanted.
// What a device carried is unreadable then; that it is a volume of LVM stays,
// since that stands beside it.
func Shred(p *host.Process) int {
	passes, zero := 3, false
	var names []string
	for i := 1; i < len(p.Args); i++ {
		arg := p.Args[i]
		value, long := strings.CutPrefix(arg, "--iterations=")
		switch {
		case arg == "--force", arg == "-f", arg == "--verbose", arg == "-v", strings.HasPrefix(arg, "--random-source="):
		case arg == "--zero", arg == "-z":
			zero = true
		case long, arg == "-n" && i+1 < len(p.Args):
			if !long {
				i++
				value = p.Args[i]
			}
			n, err := strconv.Atoi(value)
			if err != nil || n < 0 {
				p.Errorf("shred: invalid number of passes: '%s'\n", value)
				return 1
			}
			passes = n
		case strings.HasPrefix(arg, "-"):
			p.Errorf("shred: unrecognized option '%s'\nTry 'shred --help' for more information.\n", arg)
			return 1
		default:
			names = append(names, arg)
		}
	}
	if len(names) == 0 {
		p.Errorf("shred: missing file operand\nTry 'shred --help' for more information.\n")
		return 1
	}
	if zero {
		passes++
	}
	code := 0
	for _, name := range names {
		e, ok := find(p.Machine, name)
		if !ok || !Open(p) {
			p.Errorf("shred: %s: failed to open for writing: No such file or directory\n", name)
			code = 1
			continue
		}
		if e.disk.ReadOnly {
			p.Errorf("shred: %s: failed to open for writing: Read-only file system\n", name)
			code = 1
			continue
		}
		if passes == 0 {
			continue
		}
		p.Sleep(time.Duration(float64(passes) * float64(e.Size) / shredSpeed * float64(time.Second)))
		e.Filesystem = ""
		if l, ok := e.State.(*LV); ok {
			l.Store, l.Passphrase = nil, ""
			continue
		}
		e.State, e.Partitions = nil, nil
	}
	return code
}
