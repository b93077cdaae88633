package ceph

// optionText is the value of an option for the monitor that answers, or
// fallback.
func (c *call) optionText(name, fallback string) string {
	if v, ok := c.option(name); ok {
		return v
	}
	return fallback
}
