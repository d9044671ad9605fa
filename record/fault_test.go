package record

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

func TestSumFaults(t *testing.T) {
	const us = unit.Microsecond
	down := func(port string, from, last, avoided, regained unit.Time) Fault {
		f := Fault{Port: port, Kind: FaultDown, From: from, To: Unfinished, Lost: 3, LostBytes: 300, LastOffered: last, Avoided: avoided, RateBefore: 1, Regained: regained}
		if last != Unfinished {
			f.Offered, f.OfferedBytes = 2, 200
		}
		return f
	}
	missing := Fault{Kind: FaultMissing, LastOffered: Unfinished, Avoided: Unfinished, Regained: Unfinished}
	for _, test := range []struct {
		name string
		rows []Fault
		want *Faults
	}{
		{"nothing", nil, nil},
		{"what is missing is no failure", []Fault{missing}, nil},
		{"nobody looks", []Fault{missing, down("a", 10*us, Unfinished, Unfinished, 10*us)},
			&Faults{Down: 1, LastOffered: None, Avoided: None, Incidents: 1, Regained: 0}},
		{"the slowest port and failure count",
			[]Fault{down("a", 10*us, 30*us, 20*us, 50*us), down("b", 10*us, 15*us, 15*us, 50*us), down("a", 100*us, 101*us, 100*us, 130*us)},
			&Faults{Down: 3, Offered: 6, OfferedBytes: 600, LastOffered: 20 * us, Avoided: 10 * us, Incidents: 2, Regained: 40 * us}},
		{"one is never avoided, and its rate not regained",
			[]Fault{down("a", 10*us, 30*us, 20*us, 50*us), down("b", 90*us, 200*us, Unfinished, Unfinished), down("c", 90*us, Unfinished, Unfinished, Unfinished)},
			&Faults{Down: 3, Offered: 4, OfferedBytes: 400, LastOffered: 110 * us, Avoided: None, Incidents: 2, Unregained: 1, Regained: None}},
		{"a slow link", []Fault{{Kind: FaultRate, From: us, RateBefore: 1, Regained: 3 * us}},
			&Faults{LastOffered: None, Avoided: None, Incidents: 1, Regained: 2 * us}},
	} {
		got := SumFaults(test.rows)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		var again *Faults
		if err := json.Unmarshal(text, &again); err != nil || !cmp.Equal(got, again) {
			t.Errorf("%s: %+v is written %s and read %+v, error %v", test.name, got, text, again, err)
		}
	}
}

// Metrics have the same names whether or not something failed, so that studies keep
// their order.
func TestMetricsOfFaults(t *testing.T) {
	with, without := sample().Summary, sample().Summary
	without.Faults = nil
	a, b := with.Metrics(), without.Metrics()
	values := map[string]float64{}
	for i := range a {
		if a[i].Name != b[i].Name {
			t.Errorf("%s with faults, %s without", a[i].Name, b[i].Name)
		}
		values[a[i].Name] = a[i].Value
	}
	for name, want := range map[string]float64{
		"fault_offered": 7, "fault_offered_bytes": 6070, "fault_last_offered_us": 50, "fault_avoided_us": 40,
		"fault_regained_us": 130, "fault_unregained": 0, "lost_to_faults": 12, "lost_to_faults_bytes": 12000,
		"lost_to_congestion": 3, "rtt_p99_us": 12, "rtt_max_us": 13.000001,
	} {
		if got, ok := values[name]; !ok || got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
