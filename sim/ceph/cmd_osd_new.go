package ceph

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
)

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
