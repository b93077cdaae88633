package osd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// CheckInterval is how often the OSDs are looked after where the spec does not
// say otherwise (S56).
const CheckInterval = 60 * time.Second

// check is how the spec has the OSDs looked after.
type check struct {
	disabled bool
	every    time.Duration
	// removes says that an OSD which is out and not needed is removed.
	removes bool
}

// checkOf reads it from the spec. An interval that is no time, or none at all, is
// the usual one.
func checkOf(spec *v1.ClusterSpec) check {
	c := spec.HealthCheck.DaemonHealth.OSD
	every, err := c.Interval.Or(CheckInterval)
	if err != nil || every <= 0 {
		every = CheckInterval
	}
	return check{disabled: c.Disabled, every: every, removes: spec.RemoveOSDsIfOutAndSafeToRemove && !c.Disabled}
}

// judge says what is to be told of the OSDs: which are still on their way up and
// are waited for, and, unless the check is disabled, which are not as they should
// be. OSDs of a node that share a trouble are told of together.
func judge(osds []known, c check, now time.Time) []step {
	var starting, down []step
	groups := map[string][]int{}
	var order []string
	for _, k := range osds {
		if k.Exists && k.Dropped == "" && k.Away == "" && k.changing(now) {
			switch {
			case k.Deployment != nil && !k.runs():
				starting = append(starting, step{Reason: v1.ReasonWaiting, Pending: true, Problem: Name(k.ID)})
				continue
			case !k.Up:
				down = append(down, step{Reason: v1.ReasonWaiting, Pending: true, Problem: fmt.Sprintf("osd.%d", k.ID)})
				continue
			}
		}
		if what := k.trouble(c); what != "" && !c.disabled {
			if groups[what] == nil {
				order = append(order, what)
			}
			groups[what] = append(groups[what], k.ID)
		}
	}
	var all []step
	all = append(all, together(starting, "to be ready")...)
	if len(all) == 0 {
		all = append(all, together(down, "to be up in Ceph")...)
	}
	for _, what := range order {
		ids := groups[what]
		is, they := "is", "it"
		if len(ids) > 1 {
			is, they = "are", "they"
		}
		text := strings.NewReplacer("<is>", is, "<it>", they, "<id>", fmt.Sprint(ids[0])).Replace(what)
		all = append(all, step{Reason: v1.ReasonOSDsNotHealthy, Problem: osdNames(ids) + " " + text})
	}
	return all
}

// together is one step for several OSDs that wait for the same.
func together(steps []step, what string) []step {
	switch len(steps) {
	case 0:
		return nil
	case 1:
		steps[0].Problem += " " + what
	default:
		steps[0].Problem = fmt.Sprintf("%s and %d more OSDs %s", steps[0].Problem, len(steps)-1, what)
	}
	return steps[:1]
}

// mostNames is how many OSDs are named where several share a trouble.
const mostNames = 3

func osdNames(ids []int) string {
	slices.Sort(ids)
	var names []string
	for _, id := range ids[:min(len(ids), mostNames)] {
		names = append(names, fmt.Sprintf("osd.%d", id))
	}
	if more := len(ids) - mostNames; more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// trouble is what is to be told of an OSD, "" if it is as it should be: <is>,
// <it> and <id> stand for words that depend on how many there are.
func (k known) trouble(c check) string {
	on := "of node " + cmp.Or(k.Node, "(unknown)")
	switch {
	case !k.Exists && c.removes:
		return on + " <is> no longer in Ceph's map: what is left of <it> is cleared away"
	case !k.Exists:
		return on + " <is> no longer in Ceph's map: delete the Deployment " + App + "-<id>, or set spec.removeOSDsIfOutAndSafeToRemove"
	case k.Dropped != "":
		return on + ", " + k.Dropped + ", " + k.leaving(c)
	}
	state := k.state()
	switch {
	case state == "":
		return ""
	case k.Lost:
		state += ", and <it> <is> no longer on the node's disks"
	}
	switch {
	case !k.downAndOut():
		return on + " <is> " + state
	case k.Away != "" && c.removes:
		return on + " <is> " + state + ", and kept while the node " + k.Away
	case c.removes:
		return on + " <is> " + state + ": <it> will be removed as soon as Ceph says that it is safe"
	}
	return on + " <is> " + state + ": repair the disk, or set spec.removeOSDsIfOutAndSafeToRemove to have <it> removed for good"
}

// leaving says what becomes of an OSD whose node was taken out.
func (k known) leaving(c check) string {
	switch {
	case k.In && c.removes:
		return "still <is> in Ceph: to have <it> removed, mark <it> out with `ceph osd out <id>` and wait until the data has moved"
	case k.In:
		return "<is> kept: to have <it> removed, mark <it> out with `ceph osd out <id>` and set spec.removeOSDsIfOutAndSafeToRemove"
	case c.removes:
		return "<is> out, and will be removed as soon as Ceph says that it is safe"
	}
	return "<is> out and kept: set spec.removeOSDsIfOutAndSafeToRemove to have <it> removed for good"
}

// state is what the status says of an OSD: down, out, or both.
func (k known) state() string {
	switch {
	case k.downAndOut():
		return v1.OSDDownAndOut
	case !k.Up:
		return v1.OSDDown
	case !k.In:
		return v1.OSDOut
	}
	return ""
}

func (k known) downAndOut() bool { return !k.Up && !k.In }

// explain adds to what is told of OSDs that do not run why their pods do not.
func explain(ctx context.Context, p *pass.Pass, osds []known, told []step) ([]step, error) {
	if len(told) == 0 || !slices.ContainsFunc(osds, func(k known) bool { return k.Deployment != nil && !k.runs() }) {
		return told, nil
	}
	trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, daemon.AppLabels(App, p.Cluster.Namespace))
	if err != nil || trouble == "" {
		return told, err
	}
	if told[0].Pending {
		told[0].Reason = v1.ReasonFailed
	}
	told[0].Problem += ": " + trouble
	return told, nil
}
