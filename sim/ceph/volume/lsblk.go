package volume

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// columns are those that lsblk knows here, with whether a column stands at the
// right in a table, and whether it is a truth or a number in JSON.
var columns = map[string]struct{ right, truth, number bool }{
	"NAME": {}, "KNAME": {}, "PATH": {}, "PKNAME": {}, "TYPE": {}, "FSTYPE": {}, "MOUNTPOINT": {}, "MOUNTPOINTS": {}, "MODEL": {},
	"SERIAL": {}, "STATE": {}, "LABEL": {}, "UUID": {}, "PARTLABEL": {}, "PARTUUID": {}, "VENDOR": {}, "WWN": {}, "TRAN": {},
	"MAJ:MIN": {right: true}, "RM": {right: true, truth: true}, "SIZE": {right: true, number: true}, "RO": {right: true, truth: true},
	"ROTA": {right: true, truth: true},
}

// Lsblk is the program lsblk of util-linux.
func Lsblk(p *host.Process) int {
	o := lsblkOptions{cols: []string{"NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINT"}}
	if code, end := o.parse(p); end {
		return code
	}
	for i, c := range o.cols {
		o.cols[i] = strings.ToUpper(c)
		if _, ok := columns[o.cols[i]]; !ok {
			p.Errorf("lsblk: unknown column: %s\n", c)
			return 1
		}
	}
	var shown []row
	devices := all(p.Machine)
	code := 0
	at := func(e entry, depth int) {
		if o.nodeps && depth > 0 {
			return
		}
		shown = append(shown, row{e, depth, o.values(p, e)})
	}
	if len(o.names) == 0 {
		for _, e := range devices {
			at(e, depthOf(devices, e))
		}
	}
	for _, name := range o.names {
		root, ok := find(p.Machine, name)
		if !ok {
			p.Errorf("lsblk: %s: not a block device\n", name)
			code = 32
			continue
		}
		for _, e := range devices {
			if d := distance(devices, root, e); d >= 0 {
				at(e, d)
			}
		}
	}
	o.print(p, shown)
	return code
}

type row struct {
	entry
	depth  int
	values map[string]string
}

type lsblkOptions struct {
	cols                                         []string
	names                                        []string
	bytes, pairs, json, paths, list, noHead, raw bool
	nodeps                                       bool
}

func (o *lsblkOptions) parse(p *host.Process) (code int, end bool) {
	flags := map[string]*bool{
		"--bytes": &o.bytes, "--pairs": &o.pairs, "--json": &o.json, "--paths": &o.paths, "--list": &o.list, "--noheadings": &o.noHead,
		"--raw": &o.raw, "--nodeps": &o.nodeps, "--all": new(bool), "--ascii": new(bool),
		"b": &o.bytes, "P": &o.pairs, "J": &o.json, "p": &o.paths, "l": &o.list, "n": &o.noHead, "r": &o.raw, "d": &o.nodeps,
		"a": new(bool), "i": new(bool),
	}
	args := p.Args[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		name, value, hasValue := strings.Cut(a, "=")
		switch {
		case a == "--version" || a == "-V":
			p.Printf("lsblk from util-linux 2.37.4\n")
			return 0, true
		case name == "--output" || a == "-o":
			if !hasValue {
				if i++; i >= len(args) {
					p.Errorf("lsblk: option '%s' requires an argument\n", a)
					return 1, true
				}
				value = args[i]
			}
			o.cols = strings.Split(value, ",")
		case strings.HasPrefix(a, "--"):
			f, ok := flags[a]
			if !ok {
				p.Errorf("lsblk: unrecognized option '%s'\nTry 'lsblk --help' for more information.\n", a)
				return 1, true
			}
			*f = true
		case strings.HasPrefix(a, "-") && len(a) > 1:
			for _, l := range a[1:] {
				f, ok := flags[string(l)]
				if !ok {
					p.Errorf("lsblk: invalid option -- '%c'\nTry 'lsblk --help' for more information.\n", l)
					return 1, true
				}
				*f = true
			}
		default:
			o.names = append(o.names, a)
		}
	}
	return 0, false
}

func depthOf(devices []entry, e entry) int {
	n := 0
	for e.parent != nil {
		n++
		for _, x := range devices {
			if x.Device == e.parent {
				e = x
				break
			}
		}
	}
	return n
}

// distance is how far below root a device is; -1 if it is not.
func distance(devices []entry, root, e entry) int {
	for n := 0; ; n++ {
		if e.Device == root.Device {
			return n
		}
		if e.parent == nil {
			return -1
		}
		for _, x := range devices {
			if x.Device == e.parent {
				e = x
				break
			}
		}
	}
}

// values are a device's columns. What is read from the device itself needs
// access to it.
func (o *lsblkOptions) values(p *host.Process, e entry) map[string]string {
	name := func(x *host.Device) string {
		if !o.paths {
			return x.Name
		}
		return entry{Device: x}.devPath()
	}
	yes := func(b bool) string {
		if b {
			return "1"
		}
		return "0"
	}
	minor := 0
	for i, x := range all(p.Machine) {
		if x.Device == e.Device {
			minor = i
		}
	}
	v := map[string]string{
		"NAME": name(e.Device), "KNAME": name(e.Device), "PATH": e.devPath(), "TYPE": e.Type, "MODEL": e.Model, "SERIAL": e.Serial,
		"MAJ:MIN": fmt.Sprintf("8:%d", minor), "RM": yes(e.Removable), "RO": yes(e.ReadOnly), "ROTA": yes(e.disk.Rotational),
		"MOUNTPOINT": e.Mountpoint, "MOUNTPOINTS": e.Mountpoint, "STATE": "running", "SIZE": humanSize(e.Size),
	}
	if o.bytes {
		v["SIZE"] = strconv.FormatUint(e.Size, 10)
	}
	if e.parent != nil {
		v["PKNAME"] = name(e.parent)
		v["STATE"] = ""
	}
	if Open(p) {
		v["FSTYPE"] = e.Filesystem
	}
	return v
}

// humanSize is a size with at most one decimal, as util-linux writes it.
func humanSize(n uint64) string {
	units := "BKMGTPE"
	f, u := float64(n), 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	text := strconv.FormatFloat(f, 'f', 1, 64)
	return strings.TrimSuffix(text, ".0") + string(units[u])
}

func (o *lsblkOptions) print(p *host.Process, rows []row) {
	switch {
	case o.json:
		p.Printf("%s\n", o.tree(rows))
	case o.pairs:
		for _, r := range rows {
			parts := make([]string, len(o.cols))
			for i, c := range o.cols {
				parts[i] = fmt.Sprintf("%s=\"%s\"", c, r.values[c])
			}
			p.Printf("%s\n", strings.Join(parts, " "))
		}
	case o.raw:
		if !o.noHead {
			p.Printf("%s\n", strings.Join(o.cols, " "))
		}
		for _, r := range rows {
			parts := make([]string, len(o.cols))
			for i, c := range o.cols {
				parts[i] = r.values[c]
			}
			p.Printf("%s\n", strings.Join(parts, " "))
		}
	default:
		p.Printf("%s", o.table(rows))
	}
}

func (o *lsblkOptions) table(rows []row) string {
	cell := func(r row, c string) string {
		v := r.values[c]
		if c == "NAME" && r.depth > 0 && !o.list {
			v = strings.Repeat("  ", r.depth-1) + "└─" + v
		}
		return v
	}
	width := make([]int, len(o.cols))
	for i, c := range o.cols {
		if !o.noHead {
			width[i] = len(c)
		}
		for _, r := range rows {
			width[i] = max(width[i], len([]rune(cell(r, c))))
		}
	}
	var b strings.Builder
	line := func(get func(i int, c string) string) {
		for i, c := range o.cols {
			v := get(i, c)
			pad := strings.Repeat(" ", width[i]-len([]rune(v)))
			if i > 0 {
				b.WriteByte(' ')
			}
			switch {
			case columns[c].right:
				b.WriteString(pad + v)
			case i == len(o.cols)-1:
				b.WriteString(v)
			default:
				b.WriteString(v + pad)
			}
		}
		b.WriteByte('\n')
	}
	if !o.noHead {
		line(func(_ int, c string) string { return c })
	}
	for _, r := range rows {
		line(func(_ int, c string) string { return cell(r, c) })
	}
	return b.String()
}

// tree is the JSON form, devices that lie on others as their children.
func (o *lsblkOptions) tree(rows []row) string {
	var build func(i, depth int) (string, int)
	build = func(i, depth int) (string, int) {
		var items []string
		for i < len(rows) && rows[i].depth >= depth {
			r := rows[i]
			var fields []string
			for _, c := range o.cols {
				fields = append(fields, strconv.Quote(strings.ToLower(c))+": "+o.value(r, c))
			}
			i++
			if !o.list && i < len(rows) && rows[i].depth > depth {
				children, next := build(i, depth+1)
				fields = append(fields, `"children": [`+children+`]`)
				i = next
			}
			items = append(items, "{"+strings.Join(fields, ", ")+"}")
		}
		return strings.Join(items, ", "), i
	}
	if o.list {
		for i := range rows {
			rows[i].depth = 0
		}
	}
	items, _ := build(0, 0)
	var indented strings.Builder
	enc := json.NewEncoder(&indented)
	enc.SetIndent("", "   ")
	enc.SetEscapeHTML(false)
	_ = enc.Encode(json.RawMessage(`{"blockdevices": [` + items + `]}`)) // it was built as JSON
	return strings.TrimSuffix(indented.String(), "\n")
}

func (o *lsblkOptions) value(r row, c string) string {
	v := r.values[c]
	kind := columns[c]
	switch {
	case c == "MOUNTPOINTS" && v == "":
		return "[null]"
	case c == "MOUNTPOINTS":
		return "[" + strconv.Quote(v) + "]"
	case v == "":
		return "null"
	case kind.truth:
		return strconv.FormatBool(v == "1")
	case kind.number && o.bytes:
		return v
	}
	return strconv.Quote(v)
}

// Blkid is the program blkid: it names what a device carries, and exits with 2
// where that is nothing that it knows.
func Blkid(p *host.Process) int {
	var names []string
	export := false
	for i := 1; i < len(p.Args); i++ {
		switch a := p.Args[i]; {
		case a == "-o" && i+1 < len(p.Args):
			i++
			export = p.Args[i] == "export" || p.Args[i] == "udev"
		case a == "-s" || a == "-c" || a == "-u" || a == "-t":
			i++
		case strings.HasPrefix(a, "-"):
		default:
			names = append(names, a)
		}
	}
	if !Open(p) {
		return 2
	}
	found := false
	for _, e := range all(p.Machine) {
		wanted := len(names) == 0
		for _, n := range names {
			x, ok := find(p.Machine, n)
			wanted = wanted || ok && x.Device == e.Device
		}
		if !wanted || e.Filesystem == "" {
			continue
		}
		found = true
		if export {
			p.Printf("DEVNAME=%s\nTYPE=%s\n", e.devPath(), e.Filesystem)
		} else {
			p.Printf("%s: TYPE=\"%s\"\n", e.devPath(), e.Filesystem)
		}
	}
	if !found {
		return 2
	}
	return 0
}
