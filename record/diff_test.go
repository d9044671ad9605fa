package record

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/unit"
)

func TestDiff(t *testing.T) {
	us := unit.Microsecond
	for _, c := range []struct {
		name   string
		change func(*Result)
		want   *Difference
	}{
		{"nothing", func(*Result) {}, nil},
		{"order only", func(r *Result) { r.Flows[0], r.Flows[2] = r.Flows[2], r.Flows[0] }, nil},
		{"two flows: the one that ends first", func(r *Result) {
			r.Flows[0].End += us
			r.Flows[2].End += us
			r.Flows[2].Retransmits = 1
			r.Ports[0].Marks = 0
		}, &Difference{
			Row: "flow background/host2#7 (7), host2 -> host10", At: 9 * us,
			Values: []ValueDifference{{"end", "9us", "10us"}, {"retransmits", "0", "1"}},
			Flows:  2, Ports: 1,
		}},
		{"a flow that ended only there", func(r *Result) {
			r.Flows[1].End = 2 * us
		}, &Difference{
			Row: "flow main/host1#1 (1), host1 -> host9", At: 2 * us,
			Values: []ValueDifference{{"end", "unfinished", "2us"}},
			Flows:  1,
		}},
		{"a flow that is not there", func(r *Result) {
			r.Flows = r.Flows[:2]
		}, &Difference{Row: "flow background/host2#7 (7), host2 -> host10", At: 9 * us, OnlyIn: "A", Flows: 1}},
		{"a flow more", func(r *Result) {
			r.Flows = append(r.Flows, Flow{Group: "main", ID: 8, Src: "x", Dst: "y", End: Unfinished})
		}, &Difference{Row: "flow main/x#8 (8), x -> y", At: Unfinished, OnlyIn: "B", Flows: 1}},
		{"ports by name", func(r *Result) {
			r.Ports[0].Marks, r.Ports[1].QueueMax = 9, 64
		}, &Difference{Row: "port spine0->tor0", At: Unfinished, Values: []ValueDifference{{"queue_max", "0B", "64B"}}, Ports: 2}},
		{"pauses by port", func(r *Result) {
			r.Pauses[0].Time++
			r.Pauses[1].Sent, r.Pauses[1].Resumes = 5, 2
		}, &Difference{Row: "pauses of port spine0->tor0, class 1", At: Unfinished,
			Values: []ValueDifference{{"pauses_sent", "4", "5"}, {"resumes_sent", "3", "2"}}, Pauses: 2}},
		{"pauses of one only", func(r *Result) { r.Pauses = r.Pauses[:1] },
			&Difference{Row: "pauses of port spine0->tor0, class 1", At: Unfinished, OnlyIn: "A", Pauses: 1}},
		{"a mean in its last bit", func(r *Result) { r.Ports[0].QueueMean *= 1 + 1e-15 }, nil},
		{"what was not recorded", func(r *Result) { r.Manifest.Hashes.Result = "other" }, &Difference{
			Row:    "something that was not recorded (the recorded rows are the same, but the hashes of all rows are not)",
			At:     Unfinished,
			Values: []ValueDifference{{"result_hash", sample().Manifest.Hashes.Result, "other"}},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := sample()
			c.change(b)
			if diff := cmp.Diff(c.want, Diff(sample(), b)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDifferenceString(t *testing.T) {
	b := sample()
	b.Flows[2].End += unit.Microsecond
	b.Flows[2].Retransmits = 1
	want := `first difference: flow background/host2#7 (7), host2 -> host10, which ends at 9us
  column       A    B
  end          9us  10us
  retransmits  0    1
in all, 1 flow and 0 ports differ
`
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(Diff(sample(), b).String(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
