package ceph

import (
	"fmt"
	"slices"
	"strings"
)

func logCommands() map[string]handler {
	return map[string]handler{"log": logText, "log last": logLast}
}

func logText(c *call) reply {
	l := c.change().log()
	kind, _, _ := strings.Cut(c.caller.entity, ".")
	l.Entries = append(l.Entries, LogEntry{
		Name: c.caller.entity, Rank: kind + ".?", Addrs: AddrVec{{Type: "any", IP: c.caller.addr}}, Stamp: c.now,
		Channel: "cluster", Priority: "[INF]", Message: strings.Join(c.args.list("logtext"), " "),
	})
	return done("")
}

// logLevels are the priorities that `log last` shows for a level, least first.
var logLevels = []string{"[DBG]", "[INF]", "[SEC]", "[WRN]", "[ERR]"}

func logLast(c *call) reply {
	n := 20
	if asked, ok := c.args.int("num"); ok {
		n = int(asked)
	}
	least := 1
	if level := c.args.str("level"); level != "" {
		least = max(0, slices.Index([]string{"debug", "info", "sec", "warn", "error"}, level))
	}
	channel := c.args.str("channel")
	if channel == "" {
		channel = "cluster"
	}
	matches := func(e LogEntry) bool {
		return slices.Index(logLevels, e.Priority) >= least && (channel == "*" || channel == e.Channel)
	}
	// The entry before the oldest that was counted is looked at too.
	var shown []LogEntry
	for _, e := range slices.Backward(c.state.Log.Entries) {
		past := len(shown) == n
		if matches(e) {
			shown = append(shown, e)
		}
		if past {
			break
		}
	}
	slices.Reverse(shown)
	return c.show(arrayOf(shown, func(e LogEntry) any {
		o := object{{"name", e.Name}, {"rank", e.Rank}}
		if c.release.atLeast(nautilus) {
			o = append(o, field{"addrs", e.Addrs.json()})
		} else {
			o = append(o, field{"addr", e.Addrs.legacy().legacy()})
		}
		return append(o, field{"stamp", c.release.stamp(e.Stamp)}, field{"seq", e.Seq}, field{"channel", e.Channel},
			field{"priority", e.Priority}, field{"message", e.Message})
	}), func() string {
		var b strings.Builder
		for _, e := range shown {
			b.WriteString(e.text(c.release) + "\n")
		}
		return b.String()
	})
}

// text is a line of the log for people.
func (e LogEntry) text(r *release) string {
	return fmt.Sprintf("%s %s (%s) %d : %s %s %s", r.stamp(e.Stamp), e.Name, e.Rank, e.Seq, e.Channel, e.Priority, e.Message)
}
