package report

import (
	"slices"
	"testing"

	"weft/record"
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
		r.Series = append(r.Series, record.Series{Kind: record.CreditAtSenders, Entity: record.CreditEntity, Time: row.bucket * bucket, Value: row.value})
	}
	got, err := reduce("SIRD", r)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{5000, 5000, 5000, 7000, 0}; len(got.credit) != 1 || !slices.Equal(got.credit["at senders"], want) {
		t.Errorf("credit is %v, want %v at senders", got.credit, want)
	}
}
