package ceph

import (
	"fmt"
	"strings"
	"syscall"
)

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
	return c.destroyable([]int{id}).refusal("\nYou can proceed by passing --force, but be warned that this will likely mean real, permanent data loss.")
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
