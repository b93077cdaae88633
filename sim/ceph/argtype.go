package ceph

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cephText is an error in Ceph's own words, to be printed as it is.
type cephText string

func (e cephText) Error() string { return string(e) }

// says makes such an error.
func says(format string, args ...any) error { return cephText(fmt.Sprintf(format, args...)) }

// errCrash is an argument on which the real command line dies of a Python
// exception.
type errCrash struct{ exception string }

func (e errCrash) Error() string { return e.exception }

// errPrefix is a fixed word that does not match.
type errPrefix struct{}

func (errPrefix) Error() string { return "no match" }

// value checks one word against a param and converts it. With partial the word
// may be the beginning of a fixed word or a choice. The error's text is what
// the command line prints.
func (p *param) value(word string, partial bool) (any, error) {
	switch p.kind {
	case "":
		if word == p.word || partial && strings.HasPrefix(p.word, word) {
			return word, nil
		}
		return nil, errPrefix{}
	case "CephChoices":
		for _, c := range p.choices {
			if c == word || partial && strings.HasPrefix(c, word) {
				return word, nil
			}
		}
		return nil, says("%s not in %s", word, strings.Join(p.choices, "|"))
	case "CephString":
		return p.text(word)
	case "CephInt":
		n, ok := pythonInt(word)
		if !ok {
			return nil, says("%s doesn't represent an int", word)
		}
		return n, p.inRange(float64(n), strconv.FormatInt(n, 10))
	case "CephFloat":
		f, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
		if err != nil {
			return nil, says("%s doesn't represent a float", word)
		}
		return f, p.inRange(f, pythonFloat(f))
	case "CephBool":
		switch strings.ToLower(word) {
		case "true", "1":
			return true, nil
		case "false", "0":
			return false, nil
		}
		return nil, says("%s not one of 'true', 'false'", word)
	case "CephOsdName":
		return osdName(word)
	case "CephName":
		return daemonName(word)
	case "CephPgid":
		return word, pgid(word)
	case "CephIPAddr":
		return word, ipAddr(word)
	case "CephEntityAddr":
		return word, entityAddr(word)
	case "CephUUID":
		if !uuidText.MatchString(word) {
			return nil, says("invalid UUID %s: badly formed hexadecimal UUID string", word)
		}
	case "CephFragment":
		if !strings.Contains(word, "/") {
			return nil, says("%s: no /", word)
		}
	}
	return word, nil
}

var uuidText = regexp.MustCompile(`^(urn:|uuid:)*\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?$`)

func (p *param) text(word string) (any, error) {
	if p.good == "" {
		return word, nil
	}
	var bad []rune
	for _, r := range word {
		if !strings.ContainsRune(p.good, r) && !slices.Contains(bad, r) {
			bad = append(bad, r)
		}
	}
	if len(bad) > 0 {
		return nil, says("invalid chars %s in %s", string(bad), word)
	}
	return word, nil
}

func (p *param) inRange(n float64, shown string) error {
	if len(p.limits) > 0 && n < p.limits[0] || len(p.limits) > 1 && n > p.limits[1] {
		return says("%s not in range %s", shown, p.limitsAs)
	}
	return nil
}

// pythonInt reads what int(text, 0) of Python takes.
func pythonInt(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	digits := strings.TrimLeft(text, "+-")
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' && strings.Trim(digits, "0") != "" {
		return 0, false // C's octal is none of Python's
	}
	n, err := strconv.ParseInt(text, 0, 64)
	return n, err == nil
}

// pythonFloat is a float as Python prints it.
func pythonFloat(f float64) string {
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".en") {
		s += ".0"
	}
	return s
}

func osdName(word string) (any, error) {
	if word == "*" {
		return word, nil
	}
	id := word
	if kind, rest, ok := strings.Cut(word, "."); ok {
		if kind != "osd" {
			return nil, says("unknown type %s", kind)
		}
		id = rest
	}
	n, err := strconv.Atoi(id)
	if err != nil {
		return nil, says("osd id %s not integer", id)
	}
	if n < 0 {
		return nil, says("osd id %d is less than 0", n)
	}
	return strconv.Itoa(n), nil
}

func daemonName(word string) (any, error) {
	if word == "*" || word == "mgr" || word == "mon" {
		return word, nil
	}
	kind, id, ok := strings.Cut(word, ".")
	if !ok {
		return nil, says("CephName: no . in %s", word)
	}
	if !slices.Contains([]string{"osd", "mon", "client", "mds", "mgr"}, kind) {
		return nil, says("unknown type %s", kind)
	}
	if _, err := strconv.Atoi(id); kind == "osd" && id != "*" && err != nil {
		return nil, says("osd id %s not integer", id)
	}
	return word, nil
}

func pgid(word string) error {
	pool, seed, ok := strings.Cut(word, ".")
	if !ok {
		return says("pgid has no .")
	}
	n, err := strconv.Atoi(pool)
	if err != nil {
		return says("pool %s not integer", pool)
	}
	if n < 0 {
		return says("pool %d < 0", n)
	}
	if _, err := strconv.ParseUint(seed, 16, 32); err != nil {
		return says("pgnum %s not hex integer", seed)
	}
	return nil
}

// ipAddr checks an address as the command line does, which takes every word
// that begins with a bracket for IPv6 and falls over the end of it.
func ipAddr(word string) error {
	v4 := strings.Contains(word, ".") && !strings.HasPrefix(word, "[")
	for _, prefix := range []string{"v1:", "v2:", "any:"} {
		if rest, ok := strings.CutPrefix(word, prefix); ok {
			word, v4 = rest, prefix != "v2:"
			break
		}
	}
	if v4 {
		host, port, hasPort := strings.Cut(word, ":")
		if hasPort {
			if n, err := strconv.Atoi(port); err != nil {
				return errCrash{fmt.Sprintf("ValueError: invalid literal for int() with base 10: '%s'", port)}
			} else if n > 65535 {
				return says("%s: invalid IPv4 port", port)
			}
		}
		if a, err := netip.ParseAddr(host); err != nil || !a.Is4() {
			return says("%s: invalid IPv4 address", host)
		}
		return nil
	}
	host := word
	if strings.HasPrefix(word, "[") {
		end := strings.Index(word, "]")
		switch {
		case end < 0:
			return says("%s missing terminating ]", word)
		case end == len(word)-1:
			return errCrash{"IndexError: string index out of range"}
		}
		host = word[1:end]
	}
	if a, err := netip.ParseAddr(host); err != nil || !a.Is6() {
		return says("%s not valid IPv6 address", word)
	}
	return nil
}

func entityAddr(word string) error {
	ip, nonce, ok := strings.Cut(word, "/")
	if err := ipAddr(ip); err != nil {
		return err
	}
	if n, err := strconv.Atoi(nonce); ok && (err != nil || n < 0) {
		return says("%s: invalid entity, nonce %s not integer > 0", word, nonce)
	}
	return nil
}
