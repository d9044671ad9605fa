package record

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"weft/internal/doctable"
	"weft/record/section/credits"
)

// resultsPage is where users look up files, columns and keys.
const resultsPage = "../docs/results.md"

// TestColumnsAreDocumented compares the columns of each table, their order and their types with
// the document.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile(resultsPage)
	if err != nil {
		t.Fatal(err)
	}
	for file, schema := range map[string]*parquet.Schema{
		flowsFile: parquet.SchemaOf(flowRow{}), portsFile: parquet.SchemaOf(Port{}), seriesFile: parquet.SchemaOf(Series{}), faultsFile: parquet.SchemaOf(faultRow{}),
		nodesFile: parquet.SchemaOf(Node{}), pausesFile: parquet.SchemaOf(Pause{}), snapshotsFile: parquet.SchemaOf(Snapshot{}),
		ranksFile: parquet.SchemaOf(Rank{}), activitiesFile: parquet.SchemaOf(Activity{}), collectivesFile: parquet.SchemaOf(Collective{}),
	} {
		rows, err := doctable.Rows(string(text), "`"+file+"`")
		if err != nil {
			t.Error(err)
			continue
		}
		var documented, actual []string
		for _, r := range rows {
			for _, name := range r.Names {
				documented = append(documented, name+" "+r.Cells[1])
			}
		}
		for _, f := range schema.Fields() {
			actual = append(actual, f.Name()+" "+columnType(t, f))
		}
		if diff := cmp.Diff(documented, actual); diff != "" {
			t.Errorf("columns of %s (-docs/results.md +written):\n%s", file, diff)
		}
	}
}

// columnType writes the type of a column as the document does.
func columnType(t *testing.T, f parquet.Field) string {
	t.Helper()
	name := ""
	logical := ""
	if l := f.Type().LogicalType(); l != nil {
		logical = l.String()
	}
	switch kind := f.Type().Kind(); {
	case kind == parquet.ByteArray && logical == "STRING":
		name = "text"
	case kind == parquet.Int64 && logical == "INT(64,false)":
		name = "uint64"
	case kind == parquet.Int64:
		name = "int64"
	case kind == parquet.Int32:
		name = "int32"
	case kind == parquet.Boolean:
		name = "bool"
	case kind == parquet.Double:
		name = "double"
	default:
		t.Errorf("%s has the type %v", f.Name(), f.Type())
	}
	if f.Optional() {
		name += ", null"
	}
	return name
}

// TestKeysAreDocumented: each key of an object has its row, and each row a key. Keys of nested
// objects are named somewhere in the section.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile(resultsPage)
	if err != nil {
		t.Fatal(err)
	}
	r := sample()
	manifest := manifestJSON{format{runFormat, formatVersion}, r.Manifest, r.Marks}
	manifest.Scenario = nil
	summary := slices.Concat(doctable.Keys(reflect.TypeFor[plainSummary]()), SectionNames(), doctable.Keys(reflect.TypeFor[summaryRest]()))
	for _, object := range []struct {
		file  string
		keys  []string
		value any
	}{
		{summaryFile, summary, r.Summary},
		{manifestFile, doctable.Keys(reflect.TypeFor[manifestJSON]()), manifest},
	} {
		rows, err := doctable.Rows(string(text), "`"+object.file+"`")
		if err != nil {
			t.Error(err)
			continue
		}
		slices.Sort(object.keys)
		want := slices.Sorted(slices.Values(doctable.Names(rows)))
		if diff := cmp.Diff(want, slices.Compact(object.keys)); diff != "" {
			t.Errorf("keys of %s (-docs/results.md +written):\n%s", object.file, diff)
		}
		named := map[string]bool{}
		for _, row := range rows {
			for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(strings.Join(row.Cells, " "), -1) {
				named[m[1]] = true
			}
		}
		for _, key := range keys(t, object.value) {
			if !named[key] {
				t.Errorf("%s: %s is not explained", object.file, key)
			}
		}
	}
}

// TestSeriesAreDocumented: each kind of series is explained.
func TestSeriesAreDocumented(t *testing.T) {
	text, err := os.ReadFile(resultsPage)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := doctable.Rows(string(text), "`"+seriesFile+"`")
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{Accepted, Transmitted, Queue, Dropped, Paused, Window, InFlight, Pace, credits.AtReceivers, credits.AtSenders, credits.InFlight} {
		if !strings.Contains(rows[0].Cells[2], "`"+kind+"`") || !strings.Contains(rows[3].Cells[2], "`"+kind+"`: ") {
			t.Errorf("%s: %s is not explained", seriesFile, kind)
		}
	}
}

// TestUnitsAreNumbers: what is named after a unit is a number of it.
func TestUnitsAreNumbers(t *testing.T) {
	r := sample()
	for file, value := range map[string]any{summaryFile: r.Summary, manifestFile: manifestJSON{format{runFormat, formatVersion}, r.Manifest, r.Marks}} {
		text, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(`"[a-z0-9_]*_(bytes|bps|us|ps|ns|seconds)":"[^"]*"`).FindString(string(text)); m != "" {
			t.Errorf("%s has the text %s", file, m)
		}
	}
}

// keys returns all keys of v's JSON, those of nested objects included.
func keys(t *testing.T, v any) []string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`"([^"]*)":`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}
