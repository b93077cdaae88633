package ceph

import (
	"fmt"
	"strconv"
	"strings"
	"syscall"
)

func poolGetQuota(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	objects, bytes := c.state.PGMap.Objects[p.ID].total()
	o := object{{"pool_name", p.Name}, {"pool_id", p.ID}, {"quota_max_objects", p.QuotaObjects}}
	if c.release.atLeast(octopus) {
		o = append(o, field{"current_num_objects", objects})
	}
	o = append(o, field{"quota_max_bytes", p.QuotaBytes})
	if c.release.atLeast(octopus) {
		o = append(o, field{"current_num_bytes", bytes})
	}
	return c.show(o, func() string {
		text := func(n uint64, unit string) string {
			if n == 0 {
				return "N/A"
			}
			return fmt.Sprintf("%d %s", n, unit)
		}
		return fmt.Sprintf("quotas for pool '%s':\n  max objects: %s\n  max bytes  : %s\n", p.Name,
			text(p.QuotaObjects, "objects"), text(p.QuotaBytes, "B"))
	})
}

// total counts the objects of a pool and their bytes.
func (o *Objects) total() (objects, bytes int) {
	if o == nil {
		return 0, 0
	}
	for _, data := range o.Of {
		bytes += len(data)
	}
	return len(o.Of), bytes
}

func poolSetQuota(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	what, text := c.args.str("field"), c.args.str("val")
	v, err := parseSize(text)
	if err != nil {
		return fail(syscall.EINVAL, "error parsing value '%s': %v", text, err)
	}
	q := c.change().osdmap().editPool(p.ID)
	if what == "max_objects" {
		q.QuotaObjects = v
	} else {
		q.QuotaBytes = v
	}
	return done("set-quota %s = %d for pool %s", what, v, p.Name)
}

// parseSize reads "10", "10K", "10Mi" and the like: powers of 1024.
func parseSize(text string) (uint64, error) {
	digits := strings.TrimRight(text, "KMGTPEkmgtpeiB")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("'%s' is no size", text)
	}
	unit := strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(text[len(digits):], "B"), "i"))
	shift := strings.Index("KMGTPE", unit)
	switch {
	case unit == "":
		return n, nil
	case len(unit) != 1 || shift < 0:
		return 0, fmt.Errorf("'%s' has an unknown unit", text)
	}
	return n << (10 * (shift + 1)), nil
}
