package record_test

import (
	"fmt"
	"testing"

	"weft/record"
)

func TestLeastOf(t *testing.T) {
	name := func(i int) string { return fmt.Sprint("host", i) }
	for _, c := range []struct {
		what  string
		hosts []record.HostLoad
		want  *record.LeastHost
	}{
		{"nothing to send", []record.HostLoad{{0, 0}}, nil},
		{"nothing sent", []record.HostLoad{{5, 0}}, nil},
		{"all alike", []record.HostLoad{{5, 5}, {5, 5}}, &record.LeastHost{1, "host0", 2, 2}},
		{"one is kept from sending", []record.HostLoad{{100, 100}, {100, 0}, {100, 50}}, &record.LeastHost{0, "host1", 3, 3}},
		{"one has little to send", []record.HostLoad{{110, 110}, {10, 10}, {90, 60}}, &record.LeastHost{1, "host2", 3, 2}},
		{"one has nothing to send", []record.HostLoad{{100, 100}, {0, 0}, {100, 80}}, &record.LeastHost{80.0 / 90, "host2", 2, 2}},
	} {
		switch got := record.LeastOf(c.hosts, name); {
		case got == nil || c.want == nil:
			if got != c.want {
				t.Errorf("%s: %+v, want %+v", c.what, got, c.want)
			}
		case *got != *c.want:
			t.Errorf("%s: %+v, want %+v", c.what, *got, *c.want)
		}
	}
}
