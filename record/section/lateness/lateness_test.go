package lateness

import (
	"encoding/json"
	"strings"
	"testing"

	"weft/unit"
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
		{Late{Packets: 9, Unread: 4, UnreadAt: "host3"}, "lost 4 packets in sockets that were not read in time, most of them in the buffers of host3"},
		{Late{Packets: 9, Unsent: 5}, "lost 5 packets that kernels of hosts had no room to send"},
	} {
		if got := c.l.Void(); (got == "") != (c.void == "") || !strings.Contains(got, c.void) {
			t.Errorf("%+v: %q, want %q", c.l, got, c.void)
		}
	}
}

// TestJSON: what is written is read again, with times in microseconds.
func TestJSON(t *testing.T) {
	l := Late{Packets: 9, P50: 12_500 * unit.Nanosecond, P99: unit.Millisecond, Worst: unit.Second, P99Frame: 0.25, Port: "tor0->host3", PortFrame: 0.5, Unread: 3, UnreadAt: "host3", Unsent: 2, Blocked: true}
	text, err := json.Marshal(&l)
	if err != nil || !strings.Contains(string(text), `"p50_us":12.5,`) || !strings.Contains(string(text), `"void":true`) || strings.Contains(string(text), "lost") {
		t.Errorf("%s, %v", text, err)
	}
	var again Late
	if err := json.Unmarshal(text, &again); err != nil || again != l {
		t.Errorf("%+v is %+v, %v", l, again, err)
	}
}
