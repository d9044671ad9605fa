package dart

import (
	"strings"
	"testing"

	"weft/protocol"
	"weft/unit"
)

func TestPatienceText(t *testing.T) {
	for text, want := range map[string]Patience{"0s": {}, "0": {}, "12us": {Time: 12 * us}, "span": {Span: true}} {
		var p Patience
		if err := p.UnmarshalText([]byte(text)); err != nil || p != want {
			t.Errorf("%s is read as %+v, %v; want %+v", text, p, err, want)
		}
		again, err := p.MarshalText()
		var q Patience
		if err == nil {
			err = q.UnmarshalText(again)
		}
		if err != nil || q != p {
			t.Errorf("%s is written as %s and read as %+v, %v", text, again, q, err)
		}
	}
	for text, want := range map[string]string{"soon": "or span", "-1us": ""} {
		var p Patience
		if err := p.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s is refused with %v; want %q", text, err, want)
		}
	}
}

// TestPatienceDefault checks that a receiver acts at once unless it is asked to wait for the span that it measures over.
func TestPatienceDefault(t *testing.T) {
	d, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	o := *d.(*Options)
	e := protocol.HostEnv{LineRate: 10 * unit.Gbps, Packet: 1500, BaseRTT: 12 * us}
	if _, patience, _ := o.spans(e); patience != 0 {
		t.Errorf("patience is %v by default, want 0", patience)
	}
	o.Patience = Patience{Span: true}
	if span, patience, _ := o.spans(e); patience != span || span != e.LineRate.Transmit(64*1500) {
		t.Errorf("patience is %v and span %v, want 64 packets of 1500 B", patience, span)
	}
}
