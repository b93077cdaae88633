package steps

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// Step is one sentence of the vocabulary.
type Step struct {
	// Pattern is a regular expression for the whole sentence.
	Pattern string
	// Example is a sentence that matches.
	Example string
	// Meaning says what it does or checks, in one line.
	Meaning string
	// Do takes a context, then one argument a group of the pattern, then the
	// doc string or table if there is one, and returns an error (and, where it
	// changes it, the context).
	Do any
}

// All is the vocabulary, subject by subject.
func All() []Step {
	return slices.Concat(
		nodeSteps(),
		machineSteps(),
		diskSteps(),
		hostSteps(),
		namespaceSteps(),
		weatherSteps(),
		networkSteps(),
		applySteps(),
		statusSteps(),
		objectSteps(),
		handEditSteps(),
		podSteps(),
		webhookSteps(),
		operatorSteps(),
		eventSteps(),
		faultSteps(),
		commandSteps(),
		cephSteps(),
		filesystemSteps(),
		monWatchSteps(),
		pgWatchSteps(),
		upgradeSteps(),
		timeSteps(),
	)
}

// Matching returns the steps whose pattern matches a sentence.
func Matching(vocabulary []Step, sentence string) []Step {
	var out []Step
	for _, s := range vocabulary {
		if regexp.MustCompile(s.Pattern).MatchString(sentence) {
			out = append(out, s)
		}
	}
	return out
}

// Nearest returns the n steps whose examples look most like a sentence.
func Nearest(vocabulary []Step, sentence string, n int) []Step {
	out := slices.Clone(vocabulary)
	slices.SortStableFunc(out, func(a, b Step) int {
		return cmp.Compare(likeness(sentence, b.Example), likeness(sentence, a.Example))
	})
	return out[:min(n, len(out))]
}

// likeness is the share of pairs of letters, quoted values aside, that two
// sentences have in common (Dice's coefficient): 0 for none, 1 for all.
func likeness(a, b string) float64 {
	pa, pb := pairs(a), pairs(b)
	common := 0
	for p := range pa {
		if pb[p] {
			common++
		}
	}
	return 2 * float64(common) / float64(max(len(pa)+len(pb), 1))
}

var quoted = regexp.MustCompile(`"[^"]*"`)

func pairs(s string) map[string]bool {
	out := map[string]bool{}
	s = strings.ToLower(quoted.ReplaceAllString(s, ""))
	for i := range len(s) - 1 {
		out[s[i:i+2]] = true
	}
	return out
}
