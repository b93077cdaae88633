package ceph

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func osdChangeCommands() map[string]handler {
	table := map[string]handler{
		"osd new":                           osdNew,
		"osd create":                        osdCreate,
		"osd in":                            osdIn,
		"osd out":                           osdOut,
		"osd down":                          osdDown,
		"osd stop":                          osdDown,
		"osd rm":                            osdRm,
		"osd lost":                          osdLost,
		"osd reweight":                      osdReweight,
		"osd primary-affinity":              osdPrimaryAffinity,
		"osd destroy":                       osdDestroy,
		"osd destroy-actual":                osdDestroy,
		"osd purge":                         osdPurge,
		"osd purge-actual":                  osdPurge,
		"osd purge-new":                     osdPurgeNew,
		"osd set":                           osdSet,
		"osd unset":                         osdUnset,
		"osd pause":                         func(c *call) reply { return c.setFlags(true, "pauserd", "pausewr") },
		"osd unpause":                       func(c *call) reply { return c.setFlags(false, "pauserd", "pausewr") },
		"osd setmaxosd":                     osdSetMaxOSD,
		"osd require-osd-release":           osdRequireRelease,
		"osd set-require-min-compat-client": osdSetMinCompat,
		"osd set-full-ratio":                func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Full }) },
		"osd set-backfillfull-ratio":        func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Backfillfull }) },
		"osd set-nearfull-ratio":            func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Nearfull }) },
		"osd blocklist":                     osdBlocklist,
		"osd blacklist":                     osdBlocklist,
		"osd blocklist clear":               osdBlocklistClear,
		"osd blacklist clear":               osdBlocklistClear,
	}
	for _, flag := range []string{"noup", "nodown", "noin", "noout"} {
		table["osd add-"+flag] = func(c *call) reply { return c.flagOSDs(flag, true) }
		table["osd rm-"+flag] = func(c *call) reply { return c.flagOSDs(flag, false) }
	}
	return table
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func osdNew(c *call) reply {
	uuid := strings.ToLower(c.args.str("uuid"))
	if !uuidForm.MatchString(uuid) {
		return fail(syscall.EINVAL, "invalid uuid value '%s'", c.args.str("uuid"))
	}
	m := c.state.OSDMap
	secrets, bad := osdSecrets(c.input)
	if bad != nil {
		return *bad
	}
	wanted, given := c.osdArg("id")
	if o := m.byUUID(uuid); o != nil && !o.Destroyed {
		if given && wanted != o.ID {
			return fail(syscall.EEXIST, "osd.%d is already associated with uuid %s", o.ID, uuid)
		}
		if bad := c.sameSecrets(o.ID, uuid, secrets); bad != nil {
			return *bad
		}
		return c.newID(o.ID)
	}
	id := m.freeID()
	if given {
		id = wanted
		if o := m.osd(id); o != nil && !o.Destroyed {
			return fail(syscall.EEXIST, "osd.%d exists and has not been destroyed", id)
		}
	}
	if secrets.lockbox != "" && secrets.dmcrypt == "" || secrets.lockbox == "" && secrets.dmcrypt != "" {
		return fail(syscall.EINVAL, "need both cephx_lockbox_secret and dmcrypt_key, or none of them")
	}
	t := c.change()
	n := t.osdmap()
	if o := n.osd(id); o != nil { // destroyed: the id is used again
		o = n.edit(id)
		o.Destroyed, o.UUID, o.New = false, uuid, true
	} else {
		n.add(&OSDInfo{ID: id, UUID: uuid, New: true, PrimaryAffinity: 1})
	}
	if secrets.cephx != "" {
		t.auth().Entities[fmt.Sprintf("osd.%d", id)] = AuthEntry{Key: secrets.cephx, Caps: map[string]string{
			"mgr": "allow profile osd", "mon": "allow profile osd", "osd": "allow *",
		}}
	}
	if secrets.lockbox != "" {
		t.auth().Entities["client.osd-lockbox."+uuid] = AuthEntry{Key: secrets.lockbox, Caps: map[string]string{
			"mon": `allow command "config-key get" with key="dm-crypt/osd/` + uuid + `/luks"`,
		}}
		t.configKey().Of["dm-crypt/osd/"+uuid+"/luks"] = secrets.dmcrypt
	}
	if secrets.class != "" {
		crush := t.editCrush()
		crush.NameDevice(id, fmt.Sprintf("osd.%d", id))
		crush.SetClass(id, secrets.class)
	}
	return c.newID(id)
}

func (c *call) newID(id int) reply {
	return c.show(object{{"osdid", id}}, func() string { return fmt.Sprintln(id) })
}

// sameSecrets refuses to make an OSD again with other keys than it has.
func (c *call) sameSecrets(id int, uuid string, s secrets) *reply {
	have := c.state.Auth.Entities[fmt.Sprintf("osd.%d", id)]
	if s.cephx != "" && have.Key != s.cephx {
		r := fail(syscall.EEXIST, "osd.%d exists but key does not match", id)
		return &r
	}
	if s.lockbox != "" && c.state.Auth.Entities["client.osd-lockbox."+uuid].Key != s.lockbox {
		r := fail(syscall.EEXIST, "osd.%d exists but lockbox key does not match", id)
		return &r
	}
	return nil
}

func osdCreate(c *call) reply {
	m := c.state.OSDMap
	uuid := strings.ToLower(c.args.str("uuid"))
	if o := m.byUUID(uuid); uuid != "" && o != nil {
		if id, given := c.osdArg("id"); given && id != o.ID {
			return fail(syscall.EINVAL, "id %d and uuid %s refer to different OSDs", id, uuid)
		}
		return c.newID(o.ID)
	}
	id, given := c.osdArg("id")
	if !given {
		id = m.freeID()
	} else if m.osd(id) != nil {
		return fail(syscall.EINVAL, "id %d already exists", id)
	}
	c.change().osdmap().add(&OSDInfo{ID: id, UUID: uuid, New: true, PrimaryAffinity: 1})
	return c.newID(id)
}

// eachOSD does something with each OSD that the argument "ids" names, "all"
// and "any" included, and gathers what there is to say.
func (c *call) eachOSD(all func(*OSDInfo) bool, do func(*OSDInfo) string) (string, *reply) {
	var said strings.Builder
	ids := c.args.list("ids")
	if slices.Contains(ids, "all") || slices.Contains(ids, "any") || slices.Contains(ids, "*") {
		ids = nil
		for _, o := range c.state.OSDMap.existing() {
			if all(o) {
				ids = append(ids, strconv.Itoa(o.ID))
			}
		}
	}
	for _, text := range ids {
		id, ok := osdID(text)
		if !ok {
			r := fail(syscall.EINVAL, "unable to parse osd id or osd target: '%s'", text)
			return "", &r
		}
		o := c.change().osdmap().osd(id)
		if o == nil {
			fmt.Fprintf(&said, "osd.%d does not exist. ", id)
			continue
		}
		said.WriteString(do(o))
	}
	return said.String(), nil
}

func osdOut(c *call) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD((*OSDInfo).In, func(o *OSDInfo) string {
		if !o.In() {
			return fmt.Sprintf("osd.%d is already out. ", o.ID)
		}
		n := m.edit(o.ID)
		n.OldWeight, n.Weight, n.AutoOut = o.Weight, 0, false
		m.LastInChange = c.now
		return fmt.Sprintf("marked out osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdIn(c *call) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD(func(o *OSDInfo) bool { return !o.In() }, func(o *OSDInfo) string {
		if o.In() {
			return fmt.Sprintf("osd.%d is already in. ", o.ID)
		}
		n := m.edit(o.ID)
		n.Weight, n.OldWeight, n.AutoOut = 1, 0, false
		if o.OldWeight > 0 {
			n.Weight = o.OldWeight
		}
		m.LastInChange = c.now
		return fmt.Sprintf("marked in osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdDown(c *call) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD(func(o *OSDInfo) bool { return o.Up }, func(o *OSDInfo) string {
		if !o.Up {
			return fmt.Sprintf("osd.%d is already down. ", o.ID)
		}
		m.markDown(o.ID, c.now)
		return fmt.Sprintf("marked down osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

// markDown says that an OSD is down.
func (m *OSDMap) markDown(id int, now time.Time) {
	o := m.edit(id)
	o.Up, o.DownAt, o.DownSince = false, m.Epoch+1, now
	o.LastClean = [2]int{o.UpFrom, o.UpThru}
	m.LastUpChange = now
}

func osdRm(c *call) reply {
	t := c.change()
	var up []int
	said, bad := c.eachOSD(func(o *OSDInfo) bool { return !o.Up }, func(o *OSDInfo) string {
		if o.Up {
			up = append(up, o.ID)
			return fmt.Sprintf("osd.%d is still up; must be down before removal. ", o.ID)
		}
		t.removeOSD(o.ID)
		return fmt.Sprintf("removed osd.%d", o.ID)
	})
	if bad != nil {
		return *bad
	}
	if len(up) > 0 {
		return fail(syscall.EBUSY, "%s", said)
	}
	return done("%s", said)
}

// removeOSD takes an OSD out of the map. Its place in the CRUSH map stays.
func (t *change) removeOSD(id int) {
	m := t.osdmap()
	m.OSDs[id] = nil
	if t.new.MonMap.MinRelease >= nautilus || len(m.OSDs) == id+1 {
		for len(m.OSDs) > 0 && m.OSDs[len(m.OSDs)-1] == nil {
			m.OSDs = m.OSDs[:len(m.OSDs)-1]
		}
	}
}

func osdLost(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	if !c.sure() {
		return fail(syscall.EPERM, "are you SURE?  this might mean real, permanent data loss.  pass "+
			"--yes-i-really-mean-it if you really do.")
	}
	if o.Up {
		return fail(syscall.EBUSY, "osd.%d is not down or doesn't exist", o.ID)
	}
	m := c.change().osdmap()
	m.edit(o.ID).LostAt = m.Epoch + 1
	return done("marked osd lost in epoch %d", m.Epoch)
}

func osdReweight(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	w, _ := c.args.float("weight")
	if w < 0 || w > 1 {
		return fail(syscall.EINVAL, "weight must be in the range [0..1]")
	}
	m := c.change().osdmap()
	m.edit(o.ID).Weight = w
	return done("reweighted osd.%d to %g (%x)", o.ID, w, int(w*0x10000))
}

func osdPrimaryAffinity(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	w, _ := c.args.float("weight")
	if w < 0 || w > 1 {
		return fail(syscall.EINVAL, "affinity must be in the range [0..1]")
	}
	c.change().osdmap().edit(o.ID).PrimaryAffinity = w
	return done("set osd.%d primary-affinity to %g (%d)", o.ID, w, int(w*0x10000))
}

// sure says whether the caller insists. The name of the flag has changed over
// the releases.
func (c *call) sure() bool {
	return c.args.flag("yes_i_really_mean_it") || c.args.flag("sure") || c.args.flag("force")
}

func osdDestroy(c *call) reply {
	id, ok := c.osdArg("id")
	if !ok {
		return fail(syscall.EINVAL, "invalid osd id")
	}
	if bad := c.mayGo(id); bad != nil {
		return *bad
	}
	o := c.state.OSDMap.osd(id)
	if o == nil {
		return done("osd.%d does not exist", id)
	}
	if !c.sure() {
		return fail(syscall.EPERM, "Are you SURE?  Did you verify with 'ceph osd safe-to-destroy'?  "+
			"This will mean real, permanent data loss, as well as deletion of cephx and lockbox keys. "+
			"Pass --yes-i-really-mean-it if you really do.")
	}
	if o.Up {
		return fail(syscall.EBUSY, "osd.%d is not `down`.", id)
	}
	if o.Destroyed {
		return done("destroyed osd.%d", id)
	}
	t := c.change()
	n := t.osdmap().edit(id)
	n.Destroyed, n.UUID, n.New = true, "", false
	t.forgetKeys(o)
	return done("destroyed osd.%d", id)
}

// mayGo refuses to destroy or purge an OSD that data still lies on, unless
// forced.
func (c *call) mayGo(id int) *reply {
	if c.sure() {
		return nil
	}
	if n := c.pgsOn(id); n > 0 {
		r := fail(syscall.EBUSY, "OSD(s) %d have %d pgs currently mapped to them. \n"+
			"You can proceed by passing --force, but be warned that this will likely mean real, permanent data loss.", id, n)
		return &r
	}
	return nil
}

// pgsOn counts the placement groups that lie on an OSD.
func (c *call) pgsOn(id int) int {
	n := 0
	for _, g := range c.pgs() {
		if slices.Contains(g.up, id) {
			n++
		}
	}
	return n
}

// forgetKeys removes what belongs to an OSD in the keyring and the key store.
func (t *change) forgetKeys(o *OSDInfo) {
	delete(t.auth().Entities, fmt.Sprintf("osd.%d", o.ID))
	if o.UUID == "" {
		return
	}
	delete(t.auth().Entities, "client.osd-lockbox."+o.UUID)
	prefix := "dm-crypt/osd/" + o.UUID + "/"
	for key := range t.configKey().Of {
		if strings.HasPrefix(key, prefix) {
			delete(t.configKey().Of, key)
		}
	}
}

func osdPurge(c *call) reply {
	id, ok := c.osdArg("id")
	if !ok {
		return fail(syscall.EINVAL, "invalid osd id")
	}
	o := c.state.OSDMap.osd(id)
	if o == nil {
		return done("osd.%d does not exist", id)
	}
	if bad := c.mayGo(id); bad != nil {
		return *bad
	}
	if !c.sure() {
		return fail(syscall.EPERM, "Are you SURE?  Did you verify with 'ceph osd safe-to-destroy'?  "+
			"This will mean real, permanent data loss, as well as deletion of cephx and lockbox keys. "+
			"Pass --yes-i-really-mean-it if you really do.")
	}
	if o.Up {
		return fail(syscall.EBUSY, "osd.%d is not `down`.", id)
	}
	c.purge(o)
	return done("purged osd.%d", id)
}

func (c *call) purge(o *OSDInfo) {
	t := c.change()
	t.forgetKeys(o)
	if t.old.OSDMap.Crush.Device(o.ID) != nil {
		t.editCrush().Remove(o.ID)
	}
	t.removeOSD(o.ID)
}

func osdPurgeNew(c *call) reply {
	id, _ := c.osdArg("id")
	o := c.state.OSDMap.osd(id)
	if o == nil {
		return done("osd.%d does not exist", id)
	}
	if !o.New {
		return fail(syscall.EPERM, "osd.%d is not `new`.", id)
	}
	c.purge(o)
	return done("purged osd.%d", id)
}

func osdSet(c *call) reply   { return c.setFlag(true) }
func osdUnset(c *call) reply { return c.setFlag(false) }

func (c *call) setFlag(on bool) reply {
	key := c.args.str("key")
	switch key {
	case "pause":
		return c.setFlags(on, "pauserd", "pausewr")
	case "sortbitwise", "recovery_deletes", "require_jewel_osds", "require_kraken_osds", "pglog_hardlimit":
		return done("%s is set", key)
	}
	return c.setFlags(on, key)
}

func (c *call) setFlags(on bool, flags ...string) reply {
	m := c.change().osdmap()
	for _, f := range flags {
		m.Flags = slices.DeleteFunc(m.Flags, func(x string) bool { return x == f })
		if on {
			m.Flags = append(m.Flags, f)
		}
	}
	if on {
		return done("%s is set", strings.Join(flags, ","))
	}
	return done("%s is unset", strings.Join(flags, ","))
}

func (c *call) flagOSDs(flag string, on bool) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD(func(*OSDInfo) bool { return true }, func(o *OSDInfo) string {
		n := m.edit(o.ID)
		n.Flags = slices.DeleteFunc(slices.Clone(o.Flags), func(f string) bool { return f == flag })
		if on {
			n.Flags = append(n.Flags, flag)
			slices.Sort(n.Flags)
		}
		return ""
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdSetMaxOSD(c *call) reply {
	n, _ := c.args.int("newmax")
	m := c.change().osdmap()
	for id := int(n); id < len(m.OSDs); id++ {
		if m.OSDs[id] != nil {
			return fail(syscall.EBUSY, "cannot shrink max_osd to %d because osd.%d (and possibly others) still in use", n, id)
		}
	}
	for len(m.OSDs) < int(n) {
		m.OSDs = append(m.OSDs, nil)
	}
	m.OSDs = m.OSDs[:n]
	return done("set new max_osd = %d", n)
}

func osdRequireRelease(c *call) reply {
	name := c.args.str("release")
	want := 0
	for major, n := range releaseNames {
		if n == name {
			want = major
		}
	}
	m := c.state.OSDMap
	if want == m.RequireOSDRelease {
		return done("")
	}
	if want < m.RequireOSDRelease {
		return fail(syscall.EPERM, "require_osd_release cannot be lowered once it has been set")
	}
	if _, up, _ := m.count(); up == 0 && !c.sure() {
		return fail(syscall.EPERM, "not permitted to set require_osd_release with no up OSDs; pass --yes-i-really-mean-it to override")
	}
	for _, o := range m.existing() {
		if o.Up && o.Meta != nil && o.Meta.Release.major < want {
			return fail(syscall.EPERM, "not all up OSDs have CEPH_FEATURE_SERVER_%s feature", strings.ToUpper(name))
		}
	}
	c.change().osdmap().RequireOSDRelease = want
	return done("")
}

func osdSetMinCompat(c *call) reply {
	v := c.args.str("version")
	known := false
	for _, n := range releaseNames {
		known = known || n == v
	}
	if !known && v != "jewel" && v != "hammer" && v != "firefly" && v != "infernalis" {
		return fail(syscall.EINVAL, "version %s is not recognized", v)
	}
	c.change().osdmap().RequireMinCompat = v
	return done("set require_min_compat_client to %s", v)
}

func (c *call) setRatio(of func(*Ratios) *float64) reply {
	v, _ := c.args.float("ratio")
	*of(&c.change().osdmap().Full) = v
	return done("%s %g", c.desc.prefix, v)
}

func osdBlocklist(c *call) reply {
	word := "blocklist"
	if !c.release.atLeast(pacific) {
		word = "blacklist"
	}
	addr, ok := parseAddr(c.args.str("addr"))
	if !ok {
		return fail(syscall.EINVAL, "unable to parse address %s", c.args.str("addr"))
	}
	op := c.args.str("blocklistop") + c.args.str("blacklistop")
	same := func(b Blocked) bool { return b.Addr.legacy() == addr.legacy() }
	m := c.state.OSDMap
	if op == "add" {
		d := time.Hour
		seconds, given := c.args.float("expire")
		if given {
			d = time.Duration(seconds * float64(time.Second))
		}
		until := c.now.Add(d)
		n := c.change().osdmap()
		n.Blocklist = append(slices.DeleteFunc(n.Blocklist, same), Blocked{addr, until})
		slices.SortFunc(n.Blocklist, func(a, b Blocked) int { return strings.Compare(a.Addr.legacy(), b.Addr.legacy()) })
		return done("%sing %s until %s (%g sec)", word, addr.legacy(), c.release.stamp(until), d.Seconds())
	}
	if !slices.ContainsFunc(m.Blocklist, same) {
		return done("%s isn't %sed", addr.legacy(), word)
	}
	n := c.change().osdmap()
	n.Blocklist = slices.DeleteFunc(n.Blocklist, same)
	return done("un-%sing %s", word, addr.legacy())
}

func osdBlocklistClear(c *call) reply {
	c.change().osdmap().Blocklist = nil
	return done(" removed all blocklist entries")
}
