package tape

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"weft/catalog"
	"weft/internal/connection/hosted"
	"weft/protocol"
	"weft/protocol/arcane"
	"weft/protocol/congestion"
	"weft/protocol/sird"
	"weft/unit"
)

// of builds SIRD, or connections.
func of(name Name) (protocol.CongestionControl, error) {
	if name.Balancer == "" {
		return catalog.BuildDefault(sird.Entries(), name.Transport)
	}
	c, err := catalog.BuildDefault(congestion.Entries(), name.Transport)
	if err != nil {
		return c, err
	}
	b, err := catalog.BuildDefault(arcane.Entries(), name.Balancer)
	if err != nil {
		return c, err
	}
	return hosted.Control(c, b)
}

var recordings = []Name{{Transport: "sird"}, {Transport: "nscc", Balancer: "arcane"}}

// recorded returns the tape of a host that sends a message of ten packets to another, which answers by credit or by
// acknowledgements.
func recorded(t testing.TB, name Name) string {
	control, err := of(name)
	if err != nil {
		t.Fatal(err)
	}
	var tapes [2]bytes.Buffer
	var hosts [2]*Recorder
	var outs [2]protocol.HostOutput
	for i := range hosts {
		env := protocol.HostEnv{
			Rand: rand.NewPCG(1, 2), Out: &outs[i], Host: int32(i), Hosts: 2, LineRate: 10 * unit.Gbps, BaseRTT: 2 * unit.Microsecond,
			BDP: 2500, Packet: 1100, Payload: 1000, Header: 100, Control: 100, Classes: 2, Largest: unit.MB,
		}
		hosts[i] = Record(&tapes[i], name, [2]uint64{1, 2}, &env, control.NewHost(env))
	}
	hosts[0].Submit(0, &protocol.HostMessage{Peer: 1, Tag: 8, Bytes: 10_000})
	hosts[0].Submit(0, &protocol.HostMessage{Peer: 1, Tag: 16, Bytes: 5000})
	if !hosts[0].Cancel(1, &protocol.HostMessage{Peer: 1, Tag: 16, Bytes: 5000}) {
		t.Fatal("the second message is not there")
	}
	for now := unit.Microsecond; now < 12*unit.Millisecond; now += unit.Microsecond {
		for i, h := range hosts {
			if at, ok := h.Deadline(); ok && at <= now {
				h.Expire(now)
			}
			if at, ok := h.Ready(); !ok || at > now {
				continue
			}
			var p protocol.Packet
			if h.Next(now, &p) {
				p.Peer = int32(i)
				hosts[1-i].Receive(now, &p)
			}
			outs[i].Events = outs[i].Events[:0]
			outs[1-i].Events = outs[1-i].Events[:0]
		}
	}
	hosts[0].Expire(unit.Second)
	hosts[0].Forget(unit.Second, 1)
	if hosts[0].Err() != nil || !strings.Contains(tapes[0].String(), `"events":[{"kind":1,`) {
		t.Fatalf("%v: no message was completed:\n%s", hosts[0].Err(), tapes[0].String())
	}
	return tapes[0].String()
}

func TestReplay(t *testing.T) {
	for _, name := range recordings {
		t.Run(name.Transport, func(t *testing.T) { replay(t, recorded(t, name)) })
	}
}

func replay(t *testing.T, text string) {
	calls, err := Replay(strings.NewReader(text), of)
	if want := strings.Count(text, "\n") - 1; err != nil || calls != want {
		t.Fatalf("%d of %d calls: %v", calls, want, err)
	}
	for old, changed := range map[string]string{
		`"payload":"1KB","wire":"1100B"`: `"payload":"999B","wire":"1099B"`,
		`"events":[{"kind":1,`:           `"events":[{"kind":2,`,
		`"deadline":["`:                  `"deadline":["1`,
	} {
		_, err := Replay(strings.NewReader(strings.Replace(text, old, changed, 1)), of)
		var d *Difference
		if !errors.As(err, &d) || d.Line < 2 || d.Tape == d.Replay {
			t.Errorf("%s made %s: %v", old, changed, err)
		}
	}
	wrongs := []string{
		"", "{}", `{"tape":2}`, `{"tape":1,"transport":"none"}`, strings.Replace(text, `"hosts":2`, `"hosts":1`, 1),
		strings.Replace(text, `"c":"next"`, `"c":"nest"`, 1), strings.Replace(text, `"peer":1,"tag":8`, `"peer":7,"tag":8`, 1), text[:len(text)-9],
	}
	if strings.Contains(text, `"balancer"`) {
		wrongs = append(wrongs, strings.Replace(text, `"more":"`, `"more":"zz`, 1), strings.Replace(text, `"more":"`, `"more":"`+strings.Repeat("00", protocol.MostMore), 1))
	}
	for _, wrong := range wrongs {
		if _, err := Replay(strings.NewReader(wrong), of); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%.40q: %v", wrong, err)
		}
	}
}

// FuzzReplay has no tape break the program.
func FuzzReplay(f *testing.F) {
	for _, name := range recordings {
		lines := strings.SplitAfter(recorded(f, name), "\n")
		for _, n := range []int{2, 6, 20, 60} {
			f.Add([]byte(strings.Join(lines[:min(n, len(lines))], "")))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _ = Replay(bytes.NewReader(b), of) })
}
