package report

import (
	"slices"
	"strings"
	"testing"

	"weft/record"
	"weft/record/section/credits"
	"weft/unit"
)

// Credit is where it is until there is another row: nothing happens between.
func TestCreditBetweenRows(t *testing.T) {
	const bucket = 10 * unit.Microsecond
	r := &record.Result{Manifest: record.Manifest{Interval: bucket}}
	for _, row := range []struct {
		bucket unit.Time
		value  int64
	}{{0, 5000}, {3, 7000}, {4, 0}} {
		r.Series = append(r.Series, record.Series{Kind: credits.AtSenders, Entity: credits.Entity, Time: row.bucket * bucket, Value: row.value})
	}
	got, err := reduce("SIRD", r)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{5000, 5000, 5000, 7000, 0}; len(got.credit) != 1 || !slices.Equal(got.credit["at senders"], want) {
		t.Errorf("credit is %v, want %v at senders", got.credit, want)
	}
}

// TestCreditNextToALot has what senders hold on a scale of its own, the same for all
// variants, however much receivers of one of them could still grant.
func TestCreditNextToALot(t *testing.T) {
	of := func(name string, atReceivers, atSenders, inFlight int64) run {
		return run{name: name, interval: 10 * unit.Microsecond, credit: map[string][]int64{
			"at receivers": {atReceivers, atReceivers}, "at senders": {atSenders, atSenders}, "in flight": {inFlight, inFlight},
		}}
	}
	figures, notices := creditFigures([]run{of("SIRD", 4e6, 30e3, 140e3), of("Homa", 17e6, 60e3, 170e3)}, paper{})
	if len(figures) != 1 || len(notices) > 0 {
		t.Fatalf("figures %v with notices %q", figures, notices)
	}
	count := map[string]int{}
	for _, text := range drawn(figures[0]) {
		count[text.text]++
	}
	// Times end at 20 µs, so that only credit has ticks of 50 and above.
	for text, want := range map[string]int{
		"not granted, at receivers": 1, "granted, at senders": 1, "granted, in flight": 1,
		"Not granted,": 2, "Granted,": 2, "all hosts (MB)": 2, "all hosts (kB)": 2,
		"50": 2, "100": 2, "150": 2, "200": 0,
	} {
		if count[text] != want {
			t.Errorf("%q is drawn %d times, want %d", text, count[text], want)
		}
	}
	checkTexts(t, figures[0])
}

// Places that no run recorded have no axis.
func TestCreditOfOnePlace(t *testing.T) {
	for place, value := range map[string]int64{"at receivers": 4e6, "at senders": 5e6} {
		figures, _ := creditFigures([]run{{name: "SIRD", interval: unit.Microsecond, credit: map[string][]int64{place: {value}}}}, paper{})
		var labels []string
		for _, text := range drawn(figures[0]) {
			if strings.HasPrefix(text.text, "all hosts (") {
				labels = append(labels, text.text)
			}
		}
		if want := []string{"all hosts (MB)"}; !slices.Equal(labels, want) {
			t.Errorf("%s: axes are of %q, want %q", place, labels, want)
		}
	}
}
