package disruption

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// daemonState is an OSD of the cluster.
type daemonState struct {
	ID int
	// Runs says that its pod is ready, and Cordoned that its node is.
	Runs, Cordoned bool
	// Up and In are what Ceph says.
	Up, In bool
}

// domain is a failure domain with its OSDs.
type domain struct {
	// Name is that of the bucket in the CRUSH map, or "osd.3".
	Name string
	OSDs []daemonState
}

// seen is what a decision is made from.
type seen struct {
	Enabled bool
	// Hold is how long a drained domain keeps the flag noout.
	Hold time.Duration
	// Level is the kind of the domains: "host", "rack", …
	Level string
	// Domains by name. Without Asked there is one for all OSDs, and all run.
	Domains []domain
	// Asked says that Ceph was asked, which it is only if something is amiss; the
	// fields below are its answers.
	Asked bool
	// PGs is how many placement groups there are, Clean that all of them are
	// active and clean.
	PGs   int
	Clean bool
	// NoOut are the domains that have the flag.
	NoOut map[string]bool
	// Stuck says that the OSDs which still run in the domain that is being drained
	// may not all go: something else is amiss besides.
	Stuck bool
}

// state is what is remembered from one decision to the next.
type state struct {
	// Draining is the domain that may go whole, "" for none, and Since when that
	// was seen.
	Draining string
	Since    time.Time
	// NoOut says that the domain has its flag from here.
	NoOut bool
}

// budget is a PodDisruptionBudget.
type budget struct {
	Name           string
	MaxUnavailable int
	// OSDs are those that it covers; nil for all.
	OSDs []int
}

// decision is what is to be done.
type decision struct {
	// State is what is to be remembered.
	State state
	// Budgets are those that there are to be; all others go.
	Budgets []budget
	// SetNoOut and UnsetNoOut are the domains whose flag is to change, "" for none.
	SetNoOut, UnsetNoOut string
	// Again is when to look again; 0 for when an event comes.
	Again time.Duration
}

const (
	// budgetName is the ordinary budget.
	budgetName = "rook-ceph-osd"
	// lookAgain is how often a drain is looked after.
	lookAgain = 15 * time.Second
)

// plan decides from what was seen and what is remembered.
func plan(s seen, was state, now time.Time) decision {
	switch {
	case !s.Enabled || len(s.Domains) == 0:
		return s.end(decision{}, was)
	case !s.Asked:
		return decision{State: was, Budgets: []budget{{Name: budgetName, MaxUnavailable: 1}}}
	}
	at := s.draining(was)
	if at < 0 || s.over(s.Domains[at]) {
		return s.ordinary(was)
	}
	is := was
	if is.Draining == "" {
		is = state{Draining: s.Domains[at].Name, Since: now}
	}
	return s.drain(s.Domains[at], is, now)
}

// draining is the domain that is being drained, the remembered one if there is
// one; -1 for none.
func (s seen) draining(was state) int {
	if was.Draining == "" {
		return slices.IndexFunc(s.Domains, s.drained)
	}
	return slices.IndexFunc(s.Domains, func(d domain) bool { return d.Name == was.Draining })
}

// missing says whether an OSD of the domain does not run that is needed.
func (s seen) missing(d domain) bool {
	return slices.ContainsFunc(d.OSDs, func(o daemonState) bool { return !o.Runs && !s.unneeded(o) })
}

// ordinary is the state without a drain: one OSD may go, besides those that are
// gone and whose data has moved.
func (s seen) ordinary(was state) decision {
	most, missing := 1, false
	for _, d := range s.Domains {
		for _, o := range d.OSDs {
			switch {
			case o.Runs:
			case s.unneeded(o):
				most++
			default:
				missing = true
			}
		}
	}
	next := s.end(decision{Budgets: []budget{{Name: budgetName, MaxUnavailable: most}}}, was)
	if missing {
		next.Again = lookAgain // whether its data has moved shows nowhere in Kubernetes
	}
	return next
}

// end ends a drain, if there was one.
func (s seen) end(d decision, was state) decision {
	if was.NoOut {
		d.UnsetNoOut = was.Draining
	}
	return d
}

// drain is the state while a domain may go whole.
func (s seen) drain(drained domain, is state, now time.Time) decision {
	next := decision{State: is, Again: lookAgain}
	away := slices.ContainsFunc(drained.OSDs, func(o daemonState) bool { return !o.Runs || !o.Up })
	left := is.Since.Add(s.Hold).Sub(now)
	switch {
	case away && left > 0 && (is.NoOut || !s.NoOut[drained.Name]):
		next.State.NoOut = true
		if !s.NoOut[drained.Name] {
			next.SetNoOut = drained.Name
		}
		next.Again = min(next.Again, left)
	case is.NoOut && (!away || left <= 0):
		next.State.NoOut, next.UnsetNoOut = false, drained.Name
	}
	for _, d := range s.Domains {
		if d.Name != drained.Name || s.Stuck {
			next.Budgets = append(next.Budgets, s.blocking(d))
		}
	}
	return next
}

// drained says whether somebody is draining the domain: a node was cordoned and
// an OSD of it does not run, whose data has not moved yet.
func (s seen) drained(d domain) bool {
	return slices.ContainsFunc(d.OSDs, func(o daemonState) bool { return o.Cordoned && !o.Runs && !s.unneeded(o) })
}

// over says whether a drain is over: the placement groups are clean, and each
// OSD is back or its data has moved. It takes both: what Ceph knows of the
// placement groups is a few seconds old.
func (s seen) over(d domain) bool {
	return (s.Clean || s.PGs == 0) && !slices.ContainsFunc(d.OSDs, func(o daemonState) bool {
		return !(o.Runs && (o.Up || !o.In)) && !s.unneeded(o)
	})
}

// unneeded says whether an OSD that does not run holds nothing that anybody
// waits for: it is out, and the placement groups are clean without it.
func (s seen) unneeded(o daemonState) bool { return s.PGs == 0 || s.Clean && !o.In && !o.Up }

// blocking is the budget that lets no OSD of a domain go.
func (s seen) blocking(d domain) budget {
	b := budget{Name: blockingName(s.Level, d.Name)}
	for _, o := range d.OSDs {
		b.OSDs = append(b.OSDs, o.ID)
	}
	slices.Sort(b.OSDs)
	return b
}

// explain is what people are told of a decision, "" where nothing has changed.
func explain(was state, d decision, hold time.Duration) (reason, message string) {
	switch {
	case d.State.Draining != "" && was.Draining == "":
		return "OSDsDraining", fmt.Sprintf("%s is being drained: its OSDs may all go and keep their data for %s; those of all others stay", d.State.Draining, short(hold))
	case d.State.Draining == "" && was.Draining != "":
		return "OSDsDrained", fmt.Sprintf("the drain of %s is over: one OSD may go at a time", was.Draining)
	case was.NoOut && !d.State.NoOut && d.UnsetNoOut != "":
		return "OSDsNoLongerHeld", fmt.Sprintf("%s no longer has the flag noout", was.Draining)
	}
	return "", ""
}

// short is a time without the zero parts at its end, as 30m.
func short(d time.Duration) string {
	text := d.String()
	if rest, ok := strings.CutSuffix(text, "m0s"); ok {
		text = rest + "m"
	}
	if rest, ok := strings.CutSuffix(text, "h0m"); ok {
		text = rest + "h"
	}
	return text
}
