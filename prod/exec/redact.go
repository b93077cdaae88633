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
	text = keyFlags.ReplaceAllString(text, "${1}"+secret.Stripped)
	return cephxKeys.ReplaceAllString(text, secret.Stripped)
}

// quote makes one word of a shell out of an argument. The stars of a stripped
// key stay as they are: nobody pastes them without putting the key there.
func quote(arg string) string {
	if arg != "" && !needsQuotes.MatchString(strings.ReplaceAll(arg, secret.Stripped, "")) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

var needsQuotes = regexp.MustCompile(`[^A-Za-z0-9_@%+=:,./-]`)

// shorten keeps the end of a long error text, where the reason stands.
func shorten(text string) string {
	const most = 2000
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	return "…" + strings.ToValidUTF8(text[len(text)-most:], "")
}
