package caps

import "strings"

// cursor walks through a text. Its methods either consume what they name and
// return true, or leave the cursor where it was.
type cursor struct {
	text string
	at   int
}

func (c *cursor) rest() string { return c.text[c.at:] }
func (c *cursor) end() bool    { return c.at == len(c.text) }

func (c *cursor) lit(s string) bool {
	if strings.HasPrefix(c.rest(), s) {
		c.at += len(s)
		return true
	}
	return false
}

// spaces takes one or more.
func (c *cursor) spaces() bool {
	from := c.at
	for !c.end() && strings.IndexByte(" \n\t", c.text[c.at]) >= 0 {
		c.at++
	}
	return c.at > from
}

// try runs the steps in order; if one fails nothing is consumed.
func (c *cursor) try(steps ...func() bool) bool {
	from := c.at
	for _, step := range steps {
		if !step() {
			c.at = from
			return false
		}
	}
	return true
}

// maybe takes the steps if they are there.
func (c *cursor) maybe(steps ...func() bool) bool {
	c.try(steps...)
	return true
}

func (c *cursor) word(s string) func() bool { return func() bool { return c.lit(s) } }

func isWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || strings.IndexByte("_.-/", b) >= 0
}

// str takes a word or a quoted text into out.
func (c *cursor) str(out *string) func() bool {
	return func() bool {
		if c.end() {
			return false
		}
		if q := c.text[c.at]; q == '"' || q == '\'' {
			n := strings.IndexByte(c.text[c.at+1:], q)
			if n < 1 {
				return false
			}
			*out = c.text[c.at+1 : c.at+1+n]
			c.at += n + 2
			return true
		}
		from := c.at
		for !c.end() && isWord(c.text[c.at]) {
			c.at++
		}
		*out = c.text[from:c.at]
		return c.at > from
	}
}

// named takes " NAME=value" or " NAME value" into out.
func (c *cursor) named(name string, out *string) func() bool {
	return func() bool {
		return c.try(c.spaces, c.word(name), c.equalsOrSpaces, c.str(out))
	}
}

func (c *cursor) equalsOrSpaces() bool { return c.lit("=") || c.spaces() }

// separated reads grants with ";" or "," between them. It stops in front of
// what is none.
func (c *cursor) separated(grant func() bool) {
	if !grant() {
		return
	}
	for c.try(
		func() bool { c.spaces(); return c.lit(";") || c.lit(",") },
		func() bool { c.spaces(); return true },
		grant) {
		continue
	}
}

// Access is a set of rights.
type Access uint8

// The rights, and all of them: "*".
const (
	R Access = 1 << iota
	W
	X
	classRead
	classWrite
	All Access = 0xff
)

// access takes "*", "all" or one or more of the letters, in their order.
func (c *cursor) access(out *Access, letters string) func() bool {
	rights := map[rune]Access{'r': R, 'w': W, 'x': X}
	return func() bool {
		if c.lit("*") || c.lit("all") {
			*out = All
			return true
		}
		*out = 0
		from := c.at
		for _, l := range letters {
			if c.lit(string(l)) {
				*out |= rights[l]
			}
		}
		return c.at > from
	}
}
