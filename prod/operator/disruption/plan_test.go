package disruption

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// sea is three hosts with two OSDs each, all well.
func sea(change func(*seen)) seen {
	s := seen{Enabled: true, Hold: 30 * time.Minute, Level: "host", Asked: true, PGs: 8, Clean: true, NoOut: map[string]bool{}}
	for i, name := range []string{"n1", "n2", "n3"} {
		d := domain{Name: name}
		for id := 2 * i; id < 2*i+2; id++ {
			d.OSDs = append(d.OSDs, daemonState{ID: id, Runs: true, Up: true, In: true})
		}
		s.Domains = append(s.Domains, d)
	}
	if change != nil {
		change(&s)
	}
	return s
}

// drained has somebody drain a host, whose OSDs are gone.
func drained(s *seen, at int, gone ...int) {
	s.Clean = false
	for i := range s.Domains[at].OSDs {
		s.Domains[at].OSDs[i].Cordoned = true
	}
	for _, i := range gone {
		s.Domains[at].OSDs[i].Runs, s.Domains[at].OSDs[i].Up = false, false
	}
}

func TestPlan(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	one := []budget{{Name: "rook-ceph-osd", MaxUnavailable: 1}}
	n1 := budget{Name: "rook-ceph-osd-host-n1", OSDs: []int{0, 1}}
	n2 := budget{Name: "rook-ceph-osd-host-n2", OSDs: []int{2, 3}}
	n3 := budget{Name: "rook-ceph-osd-host-n3", OSDs: []int{4, 5}}
	draining := func(since time.Time, noOut bool) state { return state{Draining: "n1", Since: since, NoOut: noOut} }
	for name, c := range map[string]struct {
		seen seen
		was  state
		want decision
	}{
		"all is well":             {sea(func(s *seen) { s.Asked = false }), state{}, decision{Budgets: one}},
		"switched off":            {seen{}, state{}, decision{}},
		"switched off in a drain": {seen{}, draining(ago(time.Minute), true), decision{UnsetNoOut: "n1"}},
		"no OSDs":                 {seen{Enabled: true}, state{}, decision{}},
		"a cordon alone":          {sea(func(s *seen) { drained(s, 0); s.Clean = true }), state{}, decision{Budgets: one}},
		"one OSD fails": {sea(func(s *seen) {
			drained(s, 0, 0)
			s.Domains[0].OSDs[0].Cordoned = false
			s.Domains[0].OSDs[1].Cordoned = false
		}), state{}, decision{Budgets: one, Again: lookAgain}},
		"an OSD failed, data moved": {sea(func(s *seen) { s.Domains[0].OSDs[0] = daemonState{} }), state{}, decision{Budgets: []budget{{Name: "rook-ceph-osd", MaxUnavailable: 2}}}},
		"a drain begins": {
			sea(func(s *seen) { drained(s, 0, 0) }),
			state{},
			decision{State: draining(now, true), Budgets: []budget{n2, n3}, SetNoOut: "n1", Again: lookAgain},
		},
		"clean is said too early": {
			sea(func(s *seen) { drained(s, 0, 0); s.Clean = true }),
			state{},
			decision{State: draining(now, true), Budgets: []budget{n2, n3}, SetNoOut: "n1", Again: lookAgain},
		},
		"a second drain waits": {
			sea(func(s *seen) { drained(s, 0, 0, 1); drained(s, 1); s.NoOut["n1"] = true }), draining(ago(time.Minute), true),
			decision{State: draining(ago(time.Minute), true), Budgets: []budget{n2, n3}, Again: lookAgain},
		},
		"the first by name goes on after a restart": {
			sea(func(s *seen) { drained(s, 0, 0); drained(s, 1, 0); s.NoOut["n2"] = true }),
			state{Draining: "n2", Since: ago(time.Minute), NoOut: true},
			decision{State: state{Draining: "n2", Since: ago(time.Minute), NoOut: true}, Budgets: []budget{n1, n3}, Again: lookAgain},
		},
		"died before the flag was set": {
			sea(func(s *seen) { drained(s, 0, 0) }), draining(ago(time.Minute), true),
			decision{State: draining(ago(time.Minute), true), Budgets: []budget{n2, n3}, SetNoOut: "n1", Again: lookAgain},
		},
		"a flag of somebody else": {
			sea(func(s *seen) { drained(s, 0, 0); s.NoOut["n1"] = true }),
			state{},
			decision{State: draining(now, false), Budgets: []budget{n2, n3}, Again: lookAgain},
		},
		"the time of the flag is nearly over": {
			sea(func(s *seen) { drained(s, 0, 0); s.NoOut["n1"] = true }), draining(ago(29*time.Minute+55*time.Second), true),
			decision{State: draining(ago(29*time.Minute+55*time.Second), true), Budgets: []budget{n2, n3}, Again: 5 * time.Second},
		},
		"the time of the flag is over": {
			sea(func(s *seen) { drained(s, 0, 0); s.NoOut["n1"] = true }), draining(ago(30*time.Minute), true),
			decision{State: draining(ago(30*time.Minute), false), Budgets: []budget{n2, n3}, UnsetNoOut: "n1", Again: lookAgain},
		},
		"back, not clean yet": {
			sea(func(s *seen) { s.Clean = false; s.NoOut["n1"] = true }), draining(ago(time.Minute), true),
			decision{State: draining(ago(time.Minute), false), Budgets: []budget{n2, n3}, UnsetNoOut: "n1", Again: lookAgain},
		},
		"the pod is back, Ceph does not see it": {
			sea(func(s *seen) { s.Domains[0].OSDs[0].Up = false; s.NoOut["n1"] = true }), draining(ago(time.Minute), true),
			decision{State: draining(ago(time.Minute), true), Budgets: []budget{n2, n3}, Again: lookAgain},
		},
		"back and clean":     {sea(nil), draining(ago(time.Minute), true), decision{Budgets: one, UnsetNoOut: "n1"}},
		"the domain is gone": {sea(func(s *seen) { s.Domains = s.Domains[1:] }), draining(ago(time.Minute), false), decision{Budgets: one}},
		"nothing to lose":    {sea(func(s *seen) { drained(s, 0, 0); s.PGs = 0 }), state{}, decision{Budgets: []budget{{Name: "rook-ceph-osd", MaxUnavailable: 2}}}},
		"its data has moved": {
			sea(func(s *seen) {
				drained(s, 0, 0, 1)
				s.Clean = true
				s.Domains[0].OSDs[0].In, s.Domains[0].OSDs[1].In = false, false
			}), draining(ago(time.Hour), false),
			decision{Budgets: []budget{{Name: "rook-ceph-osd", MaxUnavailable: 3}}},
		},
		"trouble elsewhere": {
			sea(func(s *seen) { drained(s, 0, 0); s.NoOut["n1"], s.Stuck = true, true }), draining(ago(time.Minute), true),
			decision{State: draining(ago(time.Minute), true), Budgets: []budget{n1, n2, n3}, Again: lookAgain},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, plan(c.seen, c.was, now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLevelAndDomains(t *testing.T) {
	rule := func(id int, spread string) ceph.CrushRule {
		return ceph.CrushRule{ID: id, Steps: []ceph.CrushStep{{Op: "take", Item: "default"}, {Op: "chooseleaf_firstn", Type: spread}, {Op: "emit"}}}
	}
	rules := []ceph.CrushRule{rule(0, "host"), rule(1, "rack"), rule(2, "osd")}
	for want, used := range map[string][]int{"host": {1, 0}, "rack": {1}, "osd": {1, 2}} {
		var pools []ceph.Pool
		for _, id := range used {
			pools = append(pools, ceph.Pool{CrushRule: id})
		}
		if got := level(pools, rules); got != want {
			t.Errorf("rules %v: %s, want %s", used, got, want)
		}
	}
	if got := level(nil, rules); got != "host" {
		t.Errorf("without pools: %s", got)
	}
	tree := ceph.OSDTree{Nodes: []ceph.TreeNode{
		{ID: -1, Name: "default", Type: "root", Children: []int{-2}},
		{ID: -2, Name: "r1", Type: "rack", Children: []int{-3, -4}},
		{ID: -3, Name: "n1", Type: "host", Children: []int{0}},
		{ID: -4, Name: "n2", Type: "host", Children: []int{1}},
	}}
	osds := []daemonState{{ID: 0}, {ID: 1}, {ID: 7}}
	for at, want := range map[string][]domain{
		"host": {{Name: "n1", OSDs: osds[:1]}, {Name: "n2", OSDs: osds[1:2]}, {Name: "osd.7", OSDs: osds[2:]}},
		"rack": {{Name: "osd.7", OSDs: osds[2:]}, {Name: "r1", OSDs: osds[:2]}},
		"osd":  {{Name: "osd.0", OSDs: osds[:1]}, {Name: "osd.1", OSDs: osds[1:2]}, {Name: "osd.7", OSDs: osds[2:]}},
	} {
		if diff := cmp.Diff(want, domains(at, tree, osds)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", at, diff)
		}
	}
}

func TestNamesOfBudgets(t *testing.T) {
	for domain, want := range map[string]string{"n1": "rook-ceph-osd-host-n1", "N_1": "rook-ceph-osd-host-n-1-", "osd.3": "rook-ceph-osd-host-osd-3-"} {
		got := blockingName("host", domain)
		if len(got) < len(want) || got[:len(want)] != want || domain == "n1" && got != want {
			t.Errorf("%s: %s", domain, got)
		}
	}
	if blockingName("host", "N_1") == blockingName("host", "n-1") {
		t.Error("two domains share a name")
	}
}
