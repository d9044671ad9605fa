package study

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/record"
	"weft/unit"
)

// noticed is a study of two variants and two seeds: the faster variant has a notice of a kind in
// one of its runs.
func noticed(kind record.NoticeKind) *Study {
	return made([]Axis{{Name: "variant", Levels: []string{"fast", "slow"}}}, 2, func(levels []int, seed uint64) *Entry {
		took := unit.Time(1+levels[0]) * 100 * unit.Microsecond
		s := record.Summary{Stats: record.Stats{Messages: 10, FCT: record.Times{Mean: took, P50: took, P99: took, Max: took}, Runtime: took}, Wall: time.Second}
		if levels[0] == 0 && seed == 1 {
			s.Noted = []record.Notice{{Kind: kind, Text: "why"}}
		}
		return done(s)
	})
}

// A notice of any kind stands beside the numbers in all tables; some kinds keep the variant from
// being ranked.
func TestNoticesInTables(t *testing.T) {
	for _, kind := range record.NoticeKinds() {
		if kind.Replaces() {
			continue // these follow from numbers
		}
		table := noticed(kind).Table()
		contests := table.Contests(table.VariantAxis())
		r := table.Rank(&contests[0], table.Column("fct_p99_us"))
		order, barred := []int{0, 1}, []int(nil)
		if kind.Bars() {
			order, barred = []int{1}, []int{0}
		}
		if !reflect.DeepEqual(r.Order, order) || !reflect.DeepEqual(r.Barred, barred) {
			t.Errorf("%s: ranked %v and not %v, want %v and %v", kind, r.Order, r.Barred, order, barred)
		}
		rows, err := table.Text([]string{"fct_p99_us"})
		if err != nil {
			t.Fatal(err)
		}
		if want := kind.Word() + " (1 of 2)"; rows[0][len(rows[0])-1] != "notices" || rows[1][len(rows[1])-1] != want || rows[2][len(rows[2])-1] != "" {
			t.Errorf("%s: the table is %q, want %q in its first row", kind, rows, want)
		}
		if note := table.NoticesNote(); !strings.Contains(note, kind.Word()+": "+kind.Meaning()) {
			t.Errorf("%s: below the table is %q", kind, note)
		}
		var b bytes.Buffer
		if err := table.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		column := slices.Index(strings.Split(lines[0], ","), "notices")
		if got := strings.Split(lines[1], ",")[column]; got != string(kind)+" 1" {
			t.Errorf("%s: CSV has %q", kind, got)
		}
		b.Reset()
		if err := table.WriteParquet(&b); err != nil {
			t.Error(err)
		}
		text, err := json.Marshal(table)
		if err != nil || !strings.Contains(string(text), `"notices":{"`+string(kind)+`":1}`) {
			t.Errorf("%s: JSON is %s, %v", kind, text, err)
		}
	}
}

// Published runs have numbers only, which tell what is unstable. An index that others wrote may
// have kinds that do not exist.
func TestNoticesOfOthers(t *testing.T) {
	s := noticed(record.NoticeSpurious)
	for key, e := range s.index.entries {
		e.Notices = append(e.Notices, "marvellous")
		if e.Name == "[0]" {
			e.Metrics["unstable"] = 1
		}
		e.clean()
		s.index.entries[key] = e
	}
	table := s.Table()
	if got, want := table.Cells[0].Marks(), "unstable, spurious retransmits (1 of 2)"; got != want {
		t.Errorf("marked %q, want %q", got, want)
	}
	if got := table.Cells[1].Marks(); got != "" {
		t.Errorf("the other is marked %q", got)
	}
}
