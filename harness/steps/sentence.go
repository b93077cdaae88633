package steps

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"

	"github.com/cucumber/godog"
)

// Do carries out one sentence in the world of ctx (see [Begin]), as a scenario
// would; doc is its doc string, "" for none. It is for steps without a table.
func Do(ctx context.Context, vocabulary []Step, sentence, doc string) error {
	found := Matching(vocabulary, sentence)
	if len(found) != 1 {
		return fmt.Errorf("the sentence %q is answered by %d steps", sentence, len(found))
	}
	fn := reflect.ValueOf(found[0].Do)
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for i, word := range regexp.MustCompile(found[0].Pattern).FindStringSubmatch(sentence)[1:] {
		switch fn.Type().In(i + 1).Kind() {
		case reflect.String:
			in = append(in, reflect.ValueOf(word))
		case reflect.Int:
			n, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("the sentence %q: %w", sentence, err)
			}
			in = append(in, reflect.ValueOf(n))
		default:
			return fmt.Errorf("the sentence %q: a step that takes a %s cannot be carried out by itself", sentence, fn.Type().In(i+1))
		}
	}
	if len(in) < fn.Type().NumIn() {
		in = append(in, reflect.ValueOf(&godog.DocString{Content: doc}))
	}
	for _, out := range fn.Call(in) {
		if err, ok := out.Interface().(error); ok {
			return err
		}
	}
	return nil
}
