package report

import (
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/credits"
	"weft/unit"
)

// twoGroups is a run with one message of group bulk that did not finish and two of group
// probe that did.
func twoGroups() *record.Result {
	r := &record.Result{Manifest: record.Manifest{Interval: 10 * unit.Microsecond}}
	r.Summary.Messages, r.Summary.Unfinished = 3, 1
	r.Summary.Groups = []record.Group{
		{Name: "bulk", Stats: record.Stats{Messages: 1, Unfinished: 1}},
		{Name: "probe", Stats: record.Stats{Messages: 2}},
	}
	r.Flows = []record.Flow{
		{Group: "bulk", ID: 1, Measured: true, Bytes: 1e6, End: record.Unfinished},
		{Group: "probe", ID: 2, Measured: true, Bytes: 8, End: 8 * unit.Microsecond},
		{Group: "probe", ID: 3, Measured: true, Bytes: 8, End: 9 * unit.Microsecond},
	}
	return r
}

func TestNarrow(t *testing.T) {
	r, err := reduce("SIRD", twoGroups())
	if err != nil {
		t.Fatal(err)
	}
	r.narrow("probe")
	if len(r.groups) != 1 || r.groups[0].name != "probe" || len(r.groups[0].fcts) != 2 {
		t.Errorf("groups are %+v, want probe with two messages", r.groups)
	}
	if r.Missing() != 0 || r.All() != 2 {
		t.Errorf("%d of %d messages are missing, want none of 2", r.Missing(), r.All())
	}
}

func TestCompletionTimesOfOneGroup(t *testing.T) {
	runs := []Run{{Name: "SIRD", Result: twoGroups()}}
	if _, err := FCT(runs, "probe"); err != nil {
		t.Error(err)
	}
	if _, err := FCT(runs, "prob"); err == nil || !strings.Contains(err.Error(), `no run has a group of traffic called "prob"; there are bulk, probe`) {
		t.Errorf("an unknown group: %v", err)
	}
	if _, err := FCT(runs, "bulk"); err == nil || !strings.Contains(err.Error(), "no message finished") {
		t.Errorf("a group of which nothing finished: %v", err)
	}
}

func TestCreditOfRuns(t *testing.T) {
	with := twoGroups()
	with.Series = []record.Series{{Kind: credits.AtSenders, Entity: credits.Entity, Value: 5000}}
	if _, err := Credit([]Run{{Name: "SIRD", Result: with}}); err != nil {
		t.Error(err)
	}
	if _, err := Credit([]Run{{Name: "DCTCP", Result: twoGroups()}}); err == nil {
		t.Error("credit is drawn of a run that recorded none")
	}
}
