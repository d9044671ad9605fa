package study

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/internal/doctable"
)

// TestIndexIsDocumented: each key of index.jsonl has its row in the document, and each row a key.
func TestIndexIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := doctable.Rows(string(text), "`index.jsonl`")
	if err != nil {
		t.Fatal(err)
	}
	documented := doctable.Names(rows)
	want, got := slices.Sorted(slices.Values(documented[:])), slices.Sorted(slices.Values(doctable.Keys(reflect.TypeFor[line]())))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-docs/results.md +written):\n%s", diff)
	}
}
