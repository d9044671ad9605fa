package workload

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRows(t *testing.T) {
	c, err := ReadCDF(strings.NewReader("10,0.25\n10,0.25\n20,0.25\n40,0.75\n80,1\n"), "t", Log)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sizes Sizes
		want  []Row
	}{
		{c, []Row{{10, 0.25}, {40, 0.5}, {80, 0.25}}},
		{nominal{c, 7}, []Row{{10, 0.25}, {40, 0.5}, {80, 0.25}}},
		{Fixed(9), []Row{{9, 1}}},
	} {
		if diff := cmp.Diff(tt.want, Rows(tt.sizes)); diff != "" {
			t.Errorf("%T: %s", tt.sizes, diff)
		}
	}
}
