package tape

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"

	"weft/protocol"
	"weft/unit"
)

// Difference is where a replay answers differently from the tape.
type Difference struct {
	Line         int
	Call         string
	Now          unit.Time
	What         string // the field that differs
	Tape, Replay string
}

// Error implements error.
func (d *Difference) Error() string {
	return fmt.Sprintf("line %d, %s at %v: %s is %v in the recording, and %v now", d.Line, d.Call, d.Now, d.What, d.Tape, d.Replay)
}

// longest is the largest length of a line, in bytes.
const longest = 1 << 20

// carried is a transport wrapped in a carrier, which may not act exactly as the transport says.
type carried interface {
	protocol.HostTransport
	// Differs returns where the result of the latest call, or of the construction, deviates from
	// the expected one: the name of the field, the expected value and the actual value. what is
	// empty if nothing deviates.
	Differs() (what, want, got string)
}

// Replay feeds a tape to a new transport, which build makes by name, and returns how many calls
// agreed. If the transport is carried, its carrier must agree too. The error is a *Difference if
// a call differed.
func Replay(from io.Reader, build func(Name) (protocol.CongestionControl, error)) (calls int, err error) {
	in := bufio.NewScanner(from)
	in.Buffer(make([]byte, 0, 1<<16), longest)
	if !in.Scan() {
		if err := in.Err(); err != nil {
			return 0, err
		}
		return 0, fmt.Errorf("line 1: the recording is empty")
	}
	var h head
	if err := json.Unmarshal(in.Bytes(), &h); err != nil {
		return 0, fmt.Errorf("line 1: %w", err)
	}
	if h.Tape != version {
		return 0, fmt.Errorf("line 1: it is no recording of version %d", version)
	}
	control, err := build(h.Name)
	if err != nil {
		return 0, fmt.Errorf("line 1: %w", err)
	}
	if control.NewHost == nil || !h.Env.sound() {
		return 0, fmt.Errorf("line 1: no transport of a host can be made with this")
	}
	var out protocol.HostOutput
	e := h.Env
	host := control.NewHost(protocol.HostEnv{
		Rand: rand.NewPCG(h.Seed[0], h.Seed[1]), Out: &out, Host: e.Host, Hosts: e.Hosts, LineRate: e.Rate, BaseRTT: e.RTT, BDP: e.BDP,
		Packet: e.Packet, Payload: e.Payload, Header: e.Header, Control: e.Control, Classes: e.Classes, Echo: protocol.GroupSet(e.Echo), Largest: e.Largest,
		Paths: e.Paths,
	})
	if d := strays(host); d != nil {
		d.Line, d.Call = 1, "making"
		return 0, d
	}
	now := unit.Time(0)
	for n := 2; in.Scan(); n++ {
		var l line
		if err := json.Unmarshal(in.Bytes(), &l); err != nil {
			return calls, fmt.Errorf("line %d: %w", n, err)
		}
		out.Events = out.Events[:0]
		got := line{Call: l.Call, Now: l.Now, Message: l.Message, Peer: l.Peer}
		if err := l.check(&e, &control.Host, now); err != nil {
			return calls, fmt.Errorf("line %d: %w", n, err)
		}
		now = l.Now
		if err := again(host, &l, &got); err != nil {
			return calls, fmt.Errorf("line %d: %w", n, err)
		}
		got.Ready, got.Deadline = times(host)
		got.Events = eventsOf(out.Events)
		d := strays(host)
		if d == nil {
			d = differs(&l, &got)
		}
		if d != nil {
			d.Line, d.Call, d.Now = n, l.Call, l.Now
			return calls, d
		}
		calls++
	}
	if err := in.Err(); err != nil {
		return calls, err
	}
	if err := host.Check(); err != nil {
		return calls, fmt.Errorf("after the last line: %w", err)
	}
	return calls, nil
}

// strays returns how a carrier deviated, or nil.
func strays(host protocol.HostTransport) *Difference {
	c, ok := host.(carried)
	if !ok {
		return nil
	}
	what, want, got := c.Differs()
	if what == "" {
		return nil
	}
	return &Difference{What: what, Tape: want, Replay: got}
}

// sound reports whether a carrier can have made a transport with this environment.
func (e *env) sound() bool {
	const (
		largest = unit.TiB    // message size
		bdp     = 2 * unit.TB // 1 Tb/s for 10 s are 1.25 TB
		packets = 1<<31 - 1   // packets per message
	)
	return e.Hosts >= 2 && e.Hosts <= 1<<20 && e.Host >= 0 && e.Host < e.Hosts && e.Classes >= 2 && e.Classes <= 8 &&
		e.Rate >= unit.Mbps && e.Rate <= unit.Tbps && e.RTT > 0 && e.RTT < 1000*unit.Second &&
		e.Payload > 0 && e.Header > 0 && e.Packet == e.Payload+e.Header && e.Packet < 1<<16 && e.Control > 0 && e.Control <= e.Packet &&
		e.BDP >= e.Packet && e.BDP <= bdp && e.Largest > 0 && e.Largest <= largest && e.Largest/e.Payload < packets
}

// check rejects calls that no carrier makes.
func (l *line) check(e *env, t *protocol.HostTraits, before unit.Time) error {
	if l.Now < before || l.Now > unit.Forever/2 {
		return fmt.Errorf("time runs from %v to %v", before, l.Now)
	}
	peer := l.Peer
	switch l.Call {
	case submit, cancel:
		if l.Message == nil || l.Message.Bytes < 1 || l.Message.Bytes > e.Largest || l.Message.Group != 0 {
			return fmt.Errorf("%s of no message", l.Call)
		}
		peer = l.Message.Peer
	case receive:
		if l.Packet == nil || !l.Packet.arrives(e, t) {
			return fmt.Errorf("%s of no packet", l.Call)
		}
		if _, err := l.Packet.more(); err != nil {
			return err
		}
		peer = l.Packet.Peer
	case next, expire:
		return nil
	}
	if peer < 0 || peer >= e.Hosts || peer == e.Host {
		return fmt.Errorf("there is no peer %d", peer)
	}
	return nil
}

// arrives reports whether a packet can have arrived in a datagram.
func (p *packet) arrives(e *env, t *protocol.HostTraits) bool {
	return min(p.Payload, p.Offset, p.Size, p.Amount, p.Wire) >= 0 && min(p.SentAt, p.EchoAt) >= 0 && p.Wire < 1<<16 &&
		p.Kind < protocol.HostKinds && p.Payload <= e.Payload+unit.Bytes(t.Lighter[p.Kind]) && p.Group == 0 && protocol.PacketFlags(p.Flags)&protocol.WasTrimmed == 0
}

// again repeats the call of a line and records its answer in got.
func again(host protocol.HostTransport, l, got *line) error {
	switch {
	case l.Call == submit:
		host.Submit(l.Now, l.Message.host())
	case l.Call == receive:
		got.Packet = l.Packet
		got.Fresh = host.Receive(l.Now, l.Packet.host())
	case l.Call == next:
		var p protocol.Packet
		if got.OK = host.Next(l.Now, &p); got.OK {
			got.Packet = packetOf(&p)
		}
	case l.Call == expire:
		host.Expire(l.Now)
	case l.Call == cancel:
		c, ok := host.(protocol.Canceler)
		got.OK = ok && c.Cancel(l.Now, l.Message.host())
	case l.Call == forget:
		if f, ok := host.(protocol.Forgetter); ok {
			f.Forget(l.Now, l.Peer)
		}
	default:
		return fmt.Errorf("there is no call %.20q", l.Call)
	}
	return nil
}

// differs returns the first difference between two lines, or nil.
func differs(tape, got *line) *Difference {
	a, b := reflect.ValueOf(*tape), reflect.ValueOf(*got)
	for i := range a.NumField() {
		x, y := a.Field(i).Interface(), b.Field(i).Interface()
		if reflect.DeepEqual(x, y) {
			continue
		}
		name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		return &Difference{What: name, Tape: text(x), Replay: text(y)}
	}
	return nil
}

// text returns a value as it appears in a tape.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
