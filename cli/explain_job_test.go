package cli

import (
	"strings"
	"testing"

	"weft/explain"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// TestMessagesAreNamed: a message is found by its name and by its number.
func TestMessagesAreNamed(t *testing.T) {
	const id = 1<<58 | 3<<32 | 7
	res := &record.Result{Flows: []record.Flow{{Group: "other", Src: "host3", ID: 3<<32 | 7}, {Group: "train", Src: "host3", ID: id}}}
	for _, flow := range []string{"train/host3#7", "288230389036613639"} {
		list, err := (&explainFlags{byID: true, flow: flow}).candidates(res)
		if err != nil || len(list) != 1 || list[0].ID != id {
			t.Errorf("%s: %+v, %v", flow, list, err)
		}
	}
	_, err := (&explainFlags{byID: true, flow: "train/host3#8"}).candidates(res)
	if err == nil || !strings.Contains(err.Error(), "no message train/host3#8 among the 2 recorded; weft explain --list shows") {
		t.Error(err)
	}
}

// TestMessageOfJob: a message of an explained job starts where the table of the job has it.
func TestMessageOfJob(t *testing.T) {
	x := &scenario.Explanation{Flow: record.Flow{Group: "train", Src: "host3", Dst: "host4"}, Account: &explain.Account{Total: unit.Microsecond}}
	x.Start, x.Finished = 2500*unit.Microsecond, true
	for _, test := range []struct {
		of   *scenario.JobExplanation
		want string
	}{
		{nil, "started at 2500.000 µs, FCT"},
		{&scenario.JobExplanation{Start: 2 * unit.Millisecond}, "started at 500.000 µs of the job (2500.000 µs of the run), FCT"},
	} {
		text := explanationText{Explanation: x, flags: &explainFlags{of: test.of}}
		text.header()
		if got := text.String(); !strings.Contains(got, test.want) || !strings.HasPrefix(got, "message train/host3#0 (id 0): host3 to host4") {
			t.Errorf("%q lacks %q", got, test.want)
		}
	}
}
