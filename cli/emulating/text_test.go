package emulating

import (
	"encoding/json"
	"strings"
	"testing"

	"weft/emulate"
	"weft/record"
	"weft/record/section/lateness"
	"weft/unit"
)

// TestLosses: what was lost has a row each, and none where nothing was.
func TestLosses(t *testing.T) {
	show := func(r *emulate.Result) (string, string) {
		t.Helper()
		r.Result, r.Late = &record.Result{}, new(lateness.Late)
		var b strings.Builder
		if err := text(&b, r); err != nil {
			t.Fatal(err)
		}
		j, err := json.Marshal(object(r).Packets)
		if err != nil {
			t.Fatal(err)
		}
		return b.String(), string(j)
	}
	lines, object := show(&emulate.Result{})
	if strings.Contains(lines, "between") || strings.Contains(lines, "queue was full") || strings.Contains(object, "lost_") || strings.Contains(lines, "socket") || strings.Contains(object, "unread") {
		t.Errorf("nothing was lost:\n%s%s", lines, object)
	}
	r := &emulate.Result{Overrun: 3, SentLost: 4, ReceivedLost: 5, Unread: []emulate.Unread{{Host: "host3", Datagrams: 6}}}
	r.Packets.Refused = 2
	lines, object = show(r)
	for _, want := range []string{"5 packets dropped by a host whose queue was full", "4 packets lost between a host and the fabric", "5 packets lost between the fabric and their host",
		"6 datagrams dropped by host3, where a program did not read its socket in time"} {
		if !strings.Contains(lines, "\n"+want) {
			t.Errorf("no %q in\n%s", want, lines)
		}
	}
	for _, want := range []string{`"refused_by_full_hosts":5`, `"lost_from_hosts":4`, `"lost_to_hosts":5`, `"unread_by_hosts":{"host3":6}`} {
		if !strings.Contains(object, want) {
			t.Errorf("no %s in %s", want, object)
		}
	}
}

// TestPortsAreNumbers: the JSON of a port has the columns of ports.parquet, each as often as there, with rates and sizes as numbers.
func TestPortsAreNumbers(t *testing.T) {
	text, err := json.Marshal(object(&emulate.Result{Late: new(lateness.Late), Result: &record.Result{Ports: []record.Port{
		{Name: "a->b", Rate: 100 * unit.Mbps, SentBytes: 9038, QueueMax: 54228},
	}}}).Ports)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"name":"a->b"`, `"rate_bps":100000000,`, `"transmitted_bytes":9038,`, `"queue_max_bytes":54228`} {
		if strings.Count(strings.ReplaceAll(string(text), `\u003e`, ">"), want) != 1 {
			t.Errorf("not once %s:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), `"rate_bps":"`) {
		t.Errorf("a rate is a text:\n%s", text)
	}
}
