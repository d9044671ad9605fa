package cli

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/doctable"
)

// TestKeysOfRunsAreDocumented: weft runs --json prints the keys of the index but the file's, and
// those of its own section.
func TestKeysOfRunsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, section := range []string{"`index.jsonl`", "`weft runs DIR --json`"} {
		rows, err := doctable.Rows(string(text), section)
		if err != nil {
			t.Fatal(err)
		}
		documented = append(documented, doctable.Names(rows)...)
	}
	documented = slices.DeleteFunc(documented, func(key string) bool { return key == "file" })
	printed := doctable.Keys(reflect.TypeFor[foundRun]())
	slices.Sort(documented)
	slices.Sort(printed)
	if diff := cmp.Diff(documented, printed); diff != "" {
		t.Errorf("(-docs/results.md +printed):\n%s", diff)
	}
}
