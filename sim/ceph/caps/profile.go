package caps

// expand is what a profile of a mon cap stands for when entity holds it.
// An unknown profile grants nothing. Source: Ceph documentation, "User
// management, authorization (capabilities)", and what the releases grant.
func expand(profile, entity string) []grant {
	on := func(service string, a Access) grant { return grant{service: service, access: a} }
	run := func(command string, args map[string]match) grant { return grant{command: command, args: args} }
	reader := []grant{on("mon", R), on("osd", R)}
	private := func() []grant {
		key := map[string]match{"key": {prefix: "daemon-private/" + entity + "/"}}
		var gs []grant
		for _, verb := range []string{"get", "put", "set", "exists", "delete", "rm"} {
			gs = append(gs, run("config-key "+verb, key))
		}
		return gs
	}
	bootstrap := func(kind string, caps map[string]match) []grant {
		args := map[string]match{"entity": {prefix: kind}}
		for k, v := range caps {
			args[k] = v
		}
		return append(reader[:2:2], run("mon getmap", nil), run("auth get-or-create", args))
	}
	blocklist := []grant{
		run("osd blocklist", map[string]match{"blocklistop": {exact: "add"}}),
		run("osd blacklist", map[string]match{"blacklistop": {exact: "add"}}),
	}
	switch profile {
	case "read-only":
		return []grant{{access: R}}
	case "read-write":
		return []grant{{access: R | W}}
	case "mon":
		return append([]grant{on("mon", All), on("log", All)}, private()...)
	case "osd":
		return append([]grant{on("osd", All), on("mon", R), on("pg", R|W), on("log", W)}, private()...)
	case "mds":
		return append([]grant{
			on("mds", All), on("mon", R), on("osd", R), on("log", W),
			run("osd blocklist", nil), run("osd blacklist", nil), run("osd pool rmsnap", nil),
		}, private()...)
	case "mgr":
		return append([]grant{
			on("mgr", All), on("log", R|W), on("mon", R|W), on("mds", R|W), on("fs", R|W), on("osd", R|W),
			on("auth", R|W|X), on("config-key", R|W), on("config", R|W), on("pg", R|W), on("mgr", All),
		}, private()...)
	case "bootstrap-osd":
		return append(reader[:2:2], run("mon getmap", nil), run("osd new", nil), run("osd purge-new", nil),
			run("osd create", nil), run("auth add", map[string]match{"entity": {prefix: "osd."}}))
	case "bootstrap-mds":
		return bootstrap("mds.", map[string]match{
			"caps_mon": {exact: "allow profile mds"}, "caps_osd": {exact: "allow rwx"}, "caps_mds": {exact: "allow"},
		})
	case "bootstrap-mgr":
		return bootstrap("mgr.", map[string]match{"caps_mon": {exact: "allow profile mgr"}})
	case "bootstrap-rgw":
		return bootstrap("client.rgw.", map[string]match{"caps_mon": {exact: "allow rw"}, "caps_osd": {exact: "allow rwx"}})
	case "bootstrap-rbd":
		return bootstrap("client.", map[string]match{"caps_mon": {exact: "profile rbd"}})
	case "bootstrap-rbd-mirror":
		return bootstrap("client.rbd-mirror.", map[string]match{"caps_mon": {exact: "profile rbd-mirror"}})
	case "fs-client":
		return []grant{on("mon", R), on("mds", R), on("osd", R), on("pg", R)}
	case "simple-rados-client", "rbd-read-only":
		return append(reader[:2:2], on("pg", R))
	case "simple-rados-client-with-blocklist", "rbd":
		return append(append(reader[:2:2], on("pg", R)), blocklist...)
	case "rbd-mirror":
		return append(append(reader[:2:2], on("pg", R),
			run("config-key get", map[string]match{"key": {prefix: "rbd/mirror/"}})), blocklist...)
	case "role-definer":
		return []grant{on("mon", R), on("auth", All)}
	case "crash":
		return []grant{on("mon", R), run("crash post", nil)}
	}
	return nil
}
