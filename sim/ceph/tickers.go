package ceph

// ticker looks after what time changes, at the leader each [tickInterval].
type ticker func(m *mon, t *change)

// tickers lists them in the order in which they run.
func tickers() []ticker {
	return []ticker{osdTick, mgrTick, mdsTick, serviceTick, healthTick}
}
