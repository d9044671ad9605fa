package carrier

import (
	"math"
	"testing"

	"weft/protocol"
	"weft/unit"
	"weft/wire/internal/lan"
)

// loud is a transport whose data says as much as packets can.
type loud struct {
	env  protocol.HostEnv
	left []protocol.HostMessage
}

func (l *loud) Submit(_ unit.Time, m *protocol.HostMessage)              { l.left = append(l.left, *m) }
func (l *loud) Receive(unit.Time, *protocol.Packet) (fresh unit.Bytes)   { return 0 }
func (l *loud) Ready() (unit.Time, bool)                                 { return 0, len(l.left) > 0 }
func (l *loud) Deadline() (unit.Time, bool)                              { return 0, false }
func (l *loud) Expire(unit.Time)                                         {}
func (l *loud) Check() error                                             { return nil }
func (l *loud) Cancel(unit.Time, *protocol.HostMessage) (withdrawn bool) { return true }

func (l *loud) Next(_ unit.Time, p *protocol.Packet) bool {
	if len(l.left) == 0 {
		return false
	}
	m := l.left[0]
	l.left = l.left[1:]
	*p = protocol.Packet{
		Kind: protocol.HostKinds - 1, Peer: m.Peer, Tag: m.Tag, Flags: protocol.Own1 | protocol.Resent, Echo: math.MaxUint16, Message: math.MaxUint32,
		Size: mostMessage, Offset: m.Bytes - l.env.Payload, Payload: l.env.Payload, Wire: l.env.Packet, Amount: mostMessage,
		Number: math.MaxUint32, Extra: math.MaxUint32, SentAt: math.MaxInt64, EchoAt: math.MaxInt64,
	}
	return true
}

// TestLargestHeads has data say as much as it can, of a kind that does with less of a header, too: no datagram is larger than it
// may be, and nearly all of one is used.
func TestLargestHeads(t *testing.T) {
	for mode, change := range modes {
		for _, lighter := range []uint8{0, 30} {
			w := newWorld(t, 2, lan.Faults{}, change, func(c *Config) {
				c.Transport = protocol.CongestionControl{NewHost: func(env protocol.HostEnv) protocol.HostTransport {
					env.Payload += unit.Bytes(lighter)
					return &loud{env: env}
				}}
				c.Transport.Host.Lighter[protocol.HostKinds-1] = lighter
			})
			p := w.connect(0, 1)
			e := w.ends[0]
			if _, err := e.Submit(w.Now(), p, OneWay, 0, make([]byte, 1_000_000)); err != nil {
				t.Fatal(err)
			}
			b := make([]byte, 1<<16)
			d, ok := e.Carrier.Next(w.Now(), b)
			const less = 4 // of Offset and Wire, which could be larger
			if size := unit.Bytes(d.Size); !ok || e.Err() != nil || size > e.cfg.Datagram || size < e.cfg.Datagram-less {
				t.Errorf("%s, lighter by %d: a datagram of %d B: %v, %v", mode, lighter, d.Size, ok, e.Err())
			}
		}
	}
}

// TestHeads has the transports that say how much they say keep to it: payload is what is left of a datagram.
func TestHeads(t *testing.T) {
	for _, name := range carried {
		w := newWorld(t, 1, lan.Faults{}, over(t, name, ""))
		p := w.ends[0].cfg.Transport.Host.Fullest
		if p.Wire == 0 {
			t.Errorf("%s does not say how much its data says", name)
		}
		if n, err := headOf(&w.ends[0].cfg.Transport.Host); err != nil || n > 56 {
			t.Errorf("%s: heads of %v, %v", name, n, err)
		}
	}
}
