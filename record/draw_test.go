package record

import (
	"slices"
	"testing"
)

func TestDrawText(t *testing.T) {
	names := []string{"a->b", "a->c", "a->d", "a->e", "a->f", "a->g", "a->h"}
	for _, test := range []struct {
		hit   int
		names []string
		want  string
	}{
		{1, names[:1], "faults[2], degrade: 1 of 300 links were chosen at random: a->b"},
		{6, names[:6], "faults[2], degrade: 6 of 300 links were chosen at random: a->b, a->c, a->d, a->e, a->f, a->g"},
		{7, names, "faults[2], degrade: 7 of 300 links were chosen at random: a->b, a->c, a->d, a->e, a->f and 2 more; faults.parquet has all"},
		{200, slices.Repeat(names[:1], 64), "faults[2], degrade: 200 of 300 links were chosen at random: a->b, a->b, a->b, a->b, a->b and 195 more; faults.parquet has all"},
	} {
		d := Draw{Fault: "faults[2]", Kind: "degrade", Hit: test.hit, Matching: 300, What: "links", Names: test.names}
		if got := d.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
