package ceph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Kinds of mismatch between a line and a signature.
var (
	errTooFew  = errors.New("not enough arguments given")
	errMissing = errors.New("missing") // wrapped by the text for people
)

// missingError is a required argument that is not there.
type missingError struct{ text string }

func (e missingError) Error() string { return e.text }
func (missingError) Unwrap() error   { return errMissing }

// mismatch is a line of argv that is no command.
type mismatch struct {
	stderr string // advice, each line ended
	crash  string // the exception of which the command line dies; empty if it does not
}

// choose finds the command that a line means and its arguments, as
// ceph_argparse of the real command line does: the signatures that match most
// words are tried in the order of their number of required arguments.
func (s *commandSet) choose(words []string) (*description, args, *mismatch) {
	best, count := []*description(nil), 0.0
	for _, d := range s.candidates(words) {
		n, err := d.matches(words, true)
		if err != nil {
			return nil, nil, crashed(err)
		}
		matched := float64(n)
		if matched >= math.Floor(count) {
			if full, _ := d.matches(words, false); full == n {
				matched += 0.5
			}
		}
		switch {
		case matched > count:
			best, count = append(best[:0], d), matched
		case matched == count:
			best = append(best, d)
		}
	}
	tries := slices.Clone(best)
	slices.SortStableFunc(tries, func(a, b *description) int { return a.need - b.need })
	var advice strings.Builder
	for _, d := range tries {
		a, err := d.read(words, &advice)
		switch {
		case err == nil:
			return d, a, nil
		case errors.As(err, &errPrefix{}) || errors.Is(err, errTooFew):
			continue
		case errors.As(err, &errCrash{}):
			return nil, nil, crashed(err)
		case errors.Is(err, errMissing) && len(best) > 1:
			// several commands begin so: show them
		default:
			fmt.Fprintf(&advice, "Invalid command: %v\n%s :  %s\n", err, d.usage(), d.help)
			return nil, nil, &mismatch{stderr: advice.String()}
		}
		break
	}
	best = slices.DeleteFunc(best, func(d *description) bool { return d.flags&(flagDeprecated|flagHidden) != 0 })
	best = best[:min(len(best), 10)]
	fmt.Fprintf(&advice, "no valid command found; %d closest matches:\n", len(best))
	for _, d := range best {
		advice.WriteString(d.usage() + "\n")
	}
	return nil, nil, &mismatch{stderr: advice.String()}
}

func crashed(err error) *mismatch {
	return &mismatch{stderr: "Traceback (most recent call last):\n" + err.Error() + "\n", crash: err.Error()}
}

// candidates are the commands that match a line at least as well as any other:
// those with its first word (or beginning with it, if it is the only one), or
// all if there is none.
func (s *commandSet) candidates(words []string) []*description {
	c := s.byWord[words[0]]
	if len(words) == 1 {
		c = nil
		for _, d := range s.all {
			if strings.HasPrefix(d.sig[0].word, words[0]) {
				c = append(c, d)
			}
		}
	}
	if len(c) == 0 {
		return s.all
	}
	return c
}

// matches counts the leading words that fit the signature. With partial the
// last word may be unfinished.
func (d *description) matches(words []string, partial bool) (int, error) {
	count, at := 0, 0
	for i := range d.sig {
		p := &d.sig[i]
		for seen := 0; seen == 0 || p.many; seen++ {
			if at == len(words) {
				return count, nil
			}
			if err := p.fits(words[at], partial && at == len(words)-1); err != nil {
				if _, crash := err.(errCrash); crash {
					return 0, err
				}
				if p.required {
					return count, nil
				}
				break
			}
			at++
		}
		if p.required {
			count++
		}
	}
	return count, nil
}

// fits is values without the values.
func (p *param) fits(word string, partial bool) error {
	if p.kind == "" {
		if word == p.word || partial && strings.HasPrefix(p.word, word) {
			return nil
		}
		return errPrefix{}
	}
	_, err := p.values(word, false, partial)
	return err
}

// values is value for a param that may hold several, parted by commas, unless
// it is a string given by its place.
func (p *param) values(word string, named, partial bool) ([]any, error) {
	if !p.many || !named && p.kind == "CephString" {
		v, err := p.value(word, partial)
		return []any{v}, err
	}
	var all []any
	for part := range strings.SplitSeq(word, ",") {
		v, err := p.value(part, partial)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// reader takes a line apart by one signature.
type reader struct {
	d        *description
	words    []string
	out      args
	matched  int
	rejected string // the last word that an optional argument did not take, and why
	inject   bool
	begun    bool // the first fixed word has matched
}

// read takes a line apart. Advice that the command line prints besides the
// error goes to advice.
func (d *description) read(words []string, advice *strings.Builder) (args, error) {
	r := &reader{d: d, words: slices.Clone(words), out: args{}, inject: len(words) > 0 && words[0] == "injectargs"}
	for i := range d.sig {
		if err := r.param(&d.sig[i]); err != nil {
			return nil, err
		}
	}
	if r.matched < d.need {
		return nil, errTooFew
	}
	if len(r.words) > 0 {
		advice.WriteString(r.rejected)
		return nil, fmt.Errorf("unused arguments: %s", pythonList(r.words))
	}
	return r.out, nil
}

func (r *reader) param(p *param) error {
	for seen := 0; seen == 0 || p.many; {
		if len(r.words) == 0 {
			if _, named := r.out[p.name]; !p.required || named || p.kind == "" && r.begun || seen > 0 {
				return nil // a missing fixed word shows in the number of arguments
			}
			if p.many {
				return fmt.Errorf("saw 0 of %s, expected at least 1", p.described())
			}
			return missingError{"missing required parameter " + p.described()}
		}
		word := r.words[0]
		taken, err := r.keyword(word)
		if err != nil {
			return err
		}
		if taken {
			continue
		}
		if strings.HasPrefix(word, "--") && !r.isValue(p, word) {
			return says("Unexpected argument '%s'", word)
		}
		vs, err := p.values(word, false, false)
		if err != nil {
			if p.required {
				return err
			}
			r.rejected = fmt.Sprintf("%s not valid:  %v\n", word, err)
			return nil
		}
		r.words = r.words[1:]
		r.matched++
		r.store(p, vs)
		r.rejected = ""
		seen++
	}
	return nil
}

// isValue says whether a word with leading dashes may be the value of p.
func (r *reader) isValue(p *param, word string) bool {
	switch word {
	case "--yes-i-really-mean-it", "--yes-i-really-really-mean-it", "--yes-i-really-really-mean-it-not-faking", "--force":
		return true
	}
	return p.kind == "CephChoices" || r.inject
}

// keyword takes --name=value, --name value and --name of a CephBool off the
// line.
func (r *reader) keyword(word string) (bool, error) {
	name, ok := strings.CutPrefix(word, "--")
	if !ok {
		return false, nil
	}
	name, value, inWord := strings.Cut(name, "=")
	p := r.named(strings.ReplaceAll(name, "-", "_"))
	if p == nil {
		return false, nil
	}
	used := 1
	if !inWord {
		switch {
		case p.kind == "CephBool":
			value = "true"
		case len(r.words) > 1:
			value, used = r.words[1], 2
		default:
			return false, nil
		}
	}
	r.words = r.words[used:]
	vs, err := p.values(value, true, false)
	if err != nil {
		return false, err
	}
	r.matched++
	r.store(p, vs)
	return true, nil
}

func (r *reader) named(name string) *param {
	for i := range r.d.sig {
		if p := &r.d.sig[i]; p.kind != "" && p.name == name {
			return p
		}
	}
	return nil
}

func (r *reader) store(p *param, vs []any) {
	switch {
	case p.kind == "":
		r.begun = true
	case p.many:
		list, _ := r.out[p.name].([]string)
		for _, v := range vs {
			list = append(list, fmt.Sprint(v))
		}
		r.out[p.name] = list
	default:
		r.out[p.name] = vs[0]
	}
}

// pythonList is a list of strings as Python prints it.
func pythonList(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		q := "'"
		if strings.Contains(w, "'") && !strings.Contains(w, `"`) {
			q = `"`
		}
		quoted[i] = q + w + q
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
