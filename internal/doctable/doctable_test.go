package doctable

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	const document = "# Page\n\n## `a.parquet`\n\n| column | type |\n| --- | --- |\n| `x`, `y` | int64, null |\n\n### Below\n\n| `z` | text |\n| *metric* | none |\n## Last\n"
	for title, want := range map[string][]Row{
		"`a.parquet`": {{Names: []string{"x", "y"}, Cells: []string{"`x`, `y`", "int64, null"}}},
		"Below":       {{Names: []string{"z"}, Cells: []string{"`z`", "text"}}},
		"Last":        nil,
	} {
		got, err := Rows(document, title)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", title, err, diff)
		}
	}
	if _, err := Rows(document, "None"); err == nil {
		t.Error("a section that is not there")
	}
}

func TestKeys(t *testing.T) {
	type Embedded struct {
		B int `json:"b,omitempty"`
	}
	type whole struct {
		A int `json:"a"`
		Embedded
		Named Embedded `json:"c,omitzero"`
		None  int      `json:"-"`
		Plain int
	}
	if diff := cmp.Diff([]string{"a", "b", "c", "Plain"}, Keys(reflect.TypeFor[whole]())); diff != "" {
		t.Error(diff)
	}
}
