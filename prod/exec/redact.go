package exec

import (
	"regexp"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// String is the command as a person may paste it into a shell: each argument
// quoted where a shell needs it (⚠10), each key replaced (S162). The values of
// Env and Stdin do not show.
func (c Command) String() string {
	words := make([]string, 0, 1+len(c.Args))
	words = append(words, quote(c.strip(c.Program)))
	secretNext := false
	for _, arg := range c.Args {
		if secretNext {
			words = append(words, secret.Stripped)
			secretNext = false
			continue
		}
		secretNext = takesKey[arg]
		words = append(words, quote(c.strip(arg)))
	}
	return strings.Join(words, " ")
}

// Name is the command as errors tell it: [Command.String] of the arguments that
// are Telling.
func (c Command) Name() string {
	if c.Telling > 0 && c.Telling < len(c.Args) {
		c.Args = c.Args[:c.Telling]
	}
	return c.String()
}

// takesKey are the flags whose next argument is a key: --key of every program,
// and -a, --add-key of ceph-authtool. A keyring's or key file's path may print.
var takesKey = map[string]bool{"--key": true, "--add-key": true}

// strip is [Strip] for text of this command: its arguments, what it printed.
func (c Command) strip(text string) string {
	for _, s := range c.Secrets {
		if !s.Empty() {
			text = strings.ReplaceAll(text, s.Reveal(), secret.Stripped)
		}
	}
	return Strip(text)
}

var (
	// keyFlags have the key after an equals sign: --key=… of Ceph's programs,
	// secret=… among the options of mount.
	keyFlags = regexp.MustCompile(`(--(?:add-)?key[= ]|\bsecret=)[^\s,'"*]+`)
	// cephxKeys are keys as Ceph writes them: base64 that begins with the type
	// (1, or 2 for the longer keys of AES-256) in two bytes.
	cephxKeys = regexp.MustCompile(`\bA[Qg][A-D][A-Za-z0-9+/]{35,}={0,2}`)
)

// Strip replaces the keys in a text by [secret.Stripped]: those after --key= and
// secret=, and whatever looks like a cephx key.
func Strip(text string) string {
	// Most texts hold none of what the expressions look for, which is soon seen.
	if strings.Contains(text, "key") || strings.Contains(text, "secret=") {
		text = keyFlags.ReplaceAllString(text, "${1}"+secret.Stripped)
	}
	if strings.Contains(text, "AQ") || strings.Contains(text, "Ag") {
		text = cephxKeys.ReplaceAllString(text, secret.Stripped)
	}
	return text
}

// quote makes one word of a shell out of an argument. The stars of a stripped
// key stay as they are: nobody pastes them without putting the key there.
func quote(arg string) string {
	if arg != "" && strings.IndexFunc(strings.ReplaceAll(arg, secret.Stripped, ""), special) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// special says whether a shell may take a character for something else.
func special(r rune) bool {
	plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_@%+=:,./-", r)
	return !plain
}

// shorten keeps the end of a long error text, where the reason stands.
func shorten(text string) string {
	const most = 2000
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}
