package ceph

import (
	"strconv"
	"syscall"
)

// fsSet is `fs set`. A setting that reads no value of its kind is refused.
func fsSet(c *call) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	val := c.args.str("val")
	number, numberErr := strconv.ParseInt(val, 10, 64)
	on, isTruth := truth(val)
	edit := func() *Filesystem { return c.change().filesystem(f.ID) }
	notInteger := func(v string) reply { return fail(syscall.EINVAL, "%s requires an integer value", v) }
	notTruth := fail(syscall.EINVAL, "value must be false|no|0 or true|yes|1")
	switch v := c.args.str("var"); v {
	case "max_mds":
		return c.setMaxMDS(f, val, number, numberErr)
	case "allow_standby_replay":
		if !isTruth {
			return notTruth
		}
		c.allowStandbyReplay(f, on)
	case "joinable", "cluster_down":
		if !isTruth {
			return notTruth
		}
		return c.setJoinable(f, v, on)
	case "down":
		if !isTruth {
			return notTruth
		}
		return c.setDown(f, on)
	case "standby_count_wanted":
		switch {
		case numberErr != nil:
			return notInteger(v)
		case number < 0:
			return fail(syscall.ERANGE, "standby_count_wanted must be non-negative")
		}
		edit().StandbyWanted = int(number)
	case "session_timeout", "session_autoclose":
		switch {
		case numberErr != nil:
			return notInteger(v)
		case number < 30:
			return fail(syscall.ERANGE, "%s must be at least 30s", v)
		case v == "session_timeout":
			edit().SessionTimeout = int(number)
		default:
			edit().Autoclose = int(number)
		}
	case "max_file_size":
		switch {
		case numberErr != nil:
			return notInteger(v)
		case number < 65536:
			return fail(syscall.ERANGE, "max_file_size must at least 65536")
		}
		edit().MaxFileSize = number
	case "allow_new_snaps":
		if !isTruth {
			return notTruth
		}
		edit().setFlag(fsAllowSnaps, on)
		return done("%s new snapshots", map[bool]string{true: "enabled", false: "disabled"}[on])
	case "inline_data":
		switch {
		case !isTruth:
			return notTruth
		case on && !c.args.flag("yes_i_really_really_mean_it"):
			return fail(syscall.EPERM, "Inline data support is deprecated and will be removed in a future release. Add --yes-i-really-really-mean-it if you are certain you want this enabled.")
		}
		edit().InlineData = on
	case "balancer":
		edit().Balancer = val
		return done("setting the metadata load balancer to %s", val)
	case "min_compat_client":
		const delegatesInodes = 13
		edit().RequiredFeatures = []int{delegatesInodes}
		return done("WARNING: setting min_compat_client is deprecated and may not do what you want.\nThe oldest release to set is octopus.\n" +
			"Please migrate to `ceph fs required_client_features ...`.")
	default:
		return fail(syscall.EINVAL, "unknown variable %s", v)
	}
	return done("")
}

// setFlag sets or clears flags, as a person asks.
func (f *Filesystem) setFlag(bits int, on bool) {
	f.EverAllowed |= bits
	if on {
		f.Flags |= bits
		return
	}
	f.Flags &^= bits
}

func (c *call) setMaxMDS(f *Filesystem, val string, number int64, err error) reply {
	switch {
	case err != nil:
		return fail(syscall.EINVAL, "Expected option value to be integer, got '%s'", val)
	case number < 1:
		return fail(syscall.EINVAL, "You must specify at least one MDS")
	case number > maxRanks:
		return fail(syscall.EINVAL, "may not have more than %d MDS ranks", maxRanks)
	}
	c.change().filesystem(f.ID).MaxMDS = int(number)
	return done("")
}

// allowStandbyReplay has standbys follow ranks, or sends those home that do.
func (c *call) allowStandbyReplay(f *Filesystem, on bool) {
	t := c.change()
	t.filesystem(f.ID).setFlag(fsStandbyReplay, on)
	if on {
		return
	}
	for _, i := range f.MDS {
		if i.State == mdsStandbyReplay {
			t.failMDS(i.GID)
		}
	}
}

func (c *call) setJoinable(f *Filesystem, name string, on bool) reply {
	if name == "cluster_down" {
		on = !on
	}
	n := c.change().filesystem(f.ID)
	text := "joinable; MDS may join as newly active."
	n.Flags &^= fsNotJoinable
	if !on {
		n.Flags |= fsNotJoinable
		text = "not joinable; MDS cannot join as newly active."
	}
	if name == "cluster_down" {
		text += ` WARNING: cluster_down flag is deprecated and will be removed in a future version. Please use "joinable".`
	}
	return done("%s marked %s", f.Name, text)
}

func (c *call) setDown(f *Filesystem, down bool) reply {
	n := c.change().filesystem(f.ID)
	if down {
		if f.MaxMDS > 0 {
			n.OldMaxMDS, n.MaxMDS = f.MaxMDS, 0
		}
		return done("%s marked down. ", f.Name)
	}
	n.MaxMDS = max(1, f.OldMaxMDS)
	return done("%s marked up, max_mds = %d", f.Name, n.MaxMDS)
}
