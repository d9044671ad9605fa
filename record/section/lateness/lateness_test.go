package lateness

import (
	"strings"
	"testing"
)

func TestVoid(t *testing.T) {
	for _, c := range []struct {
		l    Late
		void string
	}{
		{Late{}, ""},
		{Late{Packets: 9, P99Frame: 0.5, PortFrame: 0.5}, ""},
		{Late{Packets: 9, P99Frame: 0.51}, "late by 0.51"},
		{Late{Packets: 9, P99Frame: 0.1, Port: "tor0->host3", PortFrame: 0.7}, "over tor0->host3"},
		{Late{Packets: 9, Lost: 3}, "lost 3 packets"},
		{Late{Packets: 9, Blocked: true}, "memory"},
	} {
		if got := c.l.Void(); (got == "") != (c.void == "") || !strings.Contains(got, c.void) {
			t.Errorf("%+v: %q, want %q", c.l, got, c.void)
		}
	}
}
