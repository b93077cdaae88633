package ceph

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
)

// moduleCommands are commands of the manager's modules that the embedded list
// lacks. Source: src/pybind/mgr/dashboard of each release.
func moduleCommands(e edition) []*description {
	major := e.major
	dashboard := func(verb, perm, help string, params ...param) *description {
		return command("dashboard "+verb, "mgr", perm, flagMgr, help, params...)
	}
	if major < mimic {
		return nil
	}
	list := []*description{
		dashboard("create-self-signed-cert", "w", "Create self signed certificate"),
	}
	if !e.passwordFiles {
		list = append(list, dashboard("set-login-credentials", "w", "Set the login credentials", stringParam("username"), stringParam("password")))
	}
	if major >= nautilus && !e.passwordFiles {
		list = append(list,
			dashboard("ac-user-create", "w", "Create a user", stringParam("username"), stringParam("password").optional(), stringParam("rolename").optional(), stringParam("name").optional(), stringParam("email").optional()),
			dashboard("ac-user-set-password", "w", "Set user password", stringParam("username"), stringParam("password")))
	}
	if e.passwordFiles {
		list = append(list,
			dashboard("set-login-credentials", "w", "Set the login credentials. Password read from -i <file>", stringParam("username")),
			dashboard("ac-user-create", "w", "Create a user. Password read from -i <file>", stringParam("username"), stringParam("rolename").optional(),
				stringParam("name").optional(), stringParam("email").optional(), boolParam("enabled"), boolParam("force_password")),
			dashboard("ac-user-set-password", "w", "Set user password from -i <file>", stringParam("username"), boolParam("force_password")))
	}
	if major >= nautilus {
		list = append(list,
			dashboard("ac-user-show", "r", "Show user info", stringParam("username").optional()),
			dashboard("ac-user-delete", "w", "Delete user", stringParam("username")))
	}
	return list
}

func dashboardCommands() map[string]handler {
	on := func(h handler) handler {
		return func(c *call) reply {
			if !slices.Contains(c.state.MgrMap.Modules, "dashboard") {
				return fail(syscall.EOPNOTSUPP, "Module 'dashboard' is not enabled (required by command '%s'): use `ceph mgr module enable dashboard` to enable it", c.desc.prefix)
			}
			return h(c)
		}
	}
	return map[string]handler{
		"dashboard create-self-signed-cert": on(dashboardCert),
		"dashboard set-login-credentials":   on(dashboardLogin),
		"dashboard ac-user-create":          on(dashboardUserCreate),
		"dashboard ac-user-set-password":    on(dashboardSetPassword),
		"dashboard ac-user-show":            on(dashboardUserShow),
		"dashboard ac-user-delete":          on(dashboardUserDelete),
	}
}

func dashboardCert(c *call) reply {
	kv := c.change().configKey()
	kv.Of["mgr/dashboard/crt"] = "-----BEGIN CERTIFICATE-----\n" + c.sim.newKey() + "\n-----END CERTIFICATE-----\n"
	kv.Of["mgr/dashboard/key"] = "-----BEGIN PRIVATE KEY-----\n" + c.sim.newKey() + "\n-----END PRIVATE KEY-----\n"
	return reply{out: "Self-signed certificate created\n"}
}

// dashboardUsers is where the module keeps its users.
const dashboardUsers = "mgr/dashboard/accessdb_v2"

// dashboardUser is a user of the dashboard.
type dashboardUser struct {
	Username          string   `json:"username"`
	Password          string   `json:"password"` // a hash
	Roles             []string `json:"roles"`
	Name              *string  `json:"name"`
	Email             *string  `json:"email"`
	LastUpdate        int64    `json:"lastUpdate"`
	Enabled           bool     `json:"enabled"`
	PwdExpirationDate *int64   `json:"pwdExpirationDate"`
	PwdUpdateRequired bool     `json:"pwdUpdateRequired"`
}

func (c *call) dashboardUsers() map[string]dashboardUser {
	db := map[string]dashboardUser{}
	if text := c.state.ConfigKey.Of[dashboardUsers]; text != "" {
		if err := json.Unmarshal([]byte(text), &db); err != nil {
			return map[string]dashboardUser{} // somebody else wrote there: the module begins anew, too
		}
	}
	return db
}

func (c *call) setDashboardUsers(db map[string]dashboardUser) {
	text, err := json.Marshal(db)
	if err != nil {
		panic("ceph: users are plain data: " + err.Error())
	}
	c.change().configKey().Of[dashboardUsers] = string(text)
}

// dashboardPassword is the password that a command is given: an argument, or
// from octopus on the input.
func (c *call) dashboardPassword() (string, *reply) {
	p := c.args.str("password")
	if p == "" {
		p = strings.TrimRight(string(c.input), "\r\n")
	}
	if p == "" {
		r := fail(syscall.EINVAL, "Please specify the file containing the password/secret with \"-i\" option.")
		return "", &r
	}
	const shortest = 8 // PWD_POLICY_MIN_LENGTH
	if c.release.atLeast(octopus) && c.desc.prefix != "dashboard set-login-credentials" && len(p) < shortest && !c.args.flag("force_password") {
		r := fail(syscall.EINVAL, "Password is too weak.")
		return "", &r
	}
	sum := sha256.Sum256([]byte(p))
	return "$2b$12$" + hex.EncodeToString(sum[:16]), nil
}

func dashboardLogin(c *call) reply {
	hash, bad := c.dashboardPassword()
	if bad != nil {
		return *bad
	}
	name := c.args.str("username")
	db := c.dashboardUsers()
	db[name] = dashboardUser{Username: name, Password: hash, Roles: []string{"administrator"}, LastUpdate: c.now.Unix(), Enabled: true}
	c.setDashboardUsers(db)
	text := "Username and password updated\n"
	if c.release.atLeast(nautilus) {
		bar := strings.Repeat("*", 66) + "\n"
		text = bar + "***          WARNING: this command is deprecated.              ***\n" +
			"*** Please use the ac-user-* related commands to manage users. ***\n" + bar + text
	}
	return reply{out: text}
}

func dashboardUserCreate(c *call) reply {
	name := c.args.str("username")
	db := c.dashboardUsers()
	if _, there := db[name]; there {
		return fail(syscall.EEXIST, "User '%s' already exists", name)
	}
	hash, bad := c.dashboardPassword()
	if bad != nil {
		return *bad
	}
	u := dashboardUser{Username: name, Password: hash, Roles: []string{}, LastUpdate: c.now.Unix(), Enabled: true}
	if role := c.args.str("rolename"); role != "" {
		if !slices.Contains(dashboardRoles, role) {
			return fail(syscall.ENOENT, "Role '%s' does not exist", role)
		}
		u.Roles = []string{role}
	}
	db[name] = u
	c.setDashboardUsers(db)
	return reply{out: u}
}

// dashboardRoles are the roles that the module has by itself.
var dashboardRoles = []string{
	"administrator", "read-only", "block-manager", "rgw-manager", "cluster-manager", "pool-manager", "cephfs-manager", "ganesha-manager",
}

func dashboardSetPassword(c *call) reply {
	name := c.args.str("username")
	db := c.dashboardUsers()
	u, there := db[name]
	if !there {
		return fail(syscall.ENOENT, "User '%s' does not exist", name)
	}
	hash, bad := c.dashboardPassword()
	if bad != nil {
		return *bad
	}
	u.Password, u.LastUpdate = hash, c.now.Unix()
	db[name] = u
	c.setDashboardUsers(db)
	return reply{out: u}
}

func dashboardUserShow(c *call) reply {
	db := c.dashboardUsers()
	name := c.args.str("username")
	if name == "" {
		names := []string{}
		for n := range db {
			names = append(names, n)
		}
		slices.Sort(names)
		return reply{out: names}
	}
	u, there := db[name]
	if !there {
		return fail(syscall.ENOENT, "User '%s' does not exist", name)
	}
	return reply{out: u}
}

func dashboardUserDelete(c *call) reply {
	name := c.args.str("username")
	db := c.dashboardUsers()
	if _, there := db[name]; !there {
		return fail(syscall.ENOENT, "User '%s' does not exist", name)
	}
	delete(db, name)
	c.setDashboardUsers(db)
	return reply{out: "User '" + name + "' deleted\n"}
}

func stringParam(name string) param { return param{name: name, kind: "CephString", required: true} }
func boolParam(name string) param   { return param{name: name, kind: "CephBool"} }
func (p param) optional() param     { p.required = false; return p }
