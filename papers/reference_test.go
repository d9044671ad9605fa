package papers

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
)

func TestKeysAreDescribed(t *testing.T) {
	for _, of := range []reflect.Type{
		reflect.TypeFor[Paper](), reflect.TypeFor[Study](), reflect.TypeFor[Scale](), reflect.TypeFor[Analysis](), reflect.TypeFor[Measure](), reflect.TypeFor[Draw](),
		reflect.TypeFor[Claims](), reflect.TypeFor[Claim](), reflect.TypeFor[Check](), reflect.TypeFor[ValueCheck](), reflect.TypeFor[RatioCheck](),
		reflect.TypeFor[OrderCheck](), reflect.TypeFor[SimilarCheck](), reflect.TypeFor[TrendCheck](), reflect.TypeFor[TheoryCheck](), reflect.TypeFor[TableCheck](), reflect.TypeFor[Table](), reflect.TypeFor[Instability](), reflect.TypeFor[Mark](),
	} {
		if _, err := catalog.Fields(of); err != nil {
			t.Error(err)
		}
	}
}

// TestReferenceIsCurrent keeps the documentation from falling behind the program.
func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	if err := WriteReference(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/papers.md")
	if err != nil {
		t.Fatal(err)
	}
	if want.String() != string(got) {
		t.Error("docs/papers.md is stale; write it again: go run ./cmd/weft docs papers > docs/papers.md")
	}
}

// TestExampleOfTheReference resolves the ledger that the documentation shows.
func TestExampleOfTheReference(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my-paper")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(referenceHead, "```yaml\n# my-paper/")[1:] {
		name, text, _ := strings.Cut(block, "\n")
		text, _, _ = strings.Cut(text, "```")
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range ScaleNames() {
		e, err := l.NewEvaluator(Options{Scale: scale, Registry: weft.Builtin(), Program: "test", Compute: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Problems().Err(); err != nil {
			t.Error(err)
		}
	}
}
