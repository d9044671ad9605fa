package eqds

import (
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

const us = unit.Microsecond

// env has a BDP of 10 packets of 1000 B.
func env() protocol.Env {
	return protocol.Env{Payload: 900, Packet: 1000, BDP: 10_000, BDPPackets: 10, BaseRTT: 8 * us, LineRate: 10 * unit.Gbps, Trims: true}
}

func defaults(t testing.TB) Options {
	t.Helper()
	o, err := Entries()[0].Defaults()
	if err != nil {
		t.Fatal(err)
	}
	return *o.(*Options)
}

func start(t testing.TB) *sender {
	t.Helper()
	s := newSender(defaults(t), env())
	s.Start(0)
	return s
}

// "A sender may send up to one BDP when it begins" and no more.
func TestSendsOneBDPUnasked(t *testing.T) {
	s := start(t)
	n := 0
	for s.Credit() > 0 {
		s.Sent(0, 1000)
		n++
	}
	if n != 10 {
		t.Errorf("%d packets sent without a pull, want 10", n)
	}
	if s.MustAsk(5000) != true {
		t.Error("it waits for ever, but does not ask")
	}
	s.Ask(5000)
	if s.MustAsk(5000) {
		t.Error("it asks again for what it asked for")
	}
}

// "With the first answer it stops speculating": of three kinds.
func TestStopsSpeculating(t *testing.T) {
	for name, answer := range map[string]func(s *sender){
		"acknowledgement": func(s *sender) { s.Acked(&protocol.Ack{Packets: 1}) },
		"trimmed":         func(s *sender) { s.Lost(&protocol.Loss{Cause: protocol.Trimmed, Wire: 1000}) },
		"pull":            func(s *sender) { s.Granted(0, &protocol.Grant{Total: 0}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t)
			s.Sent(0, 1000)
			answer(s)
			if s.Credit() != 0 {
				t.Errorf("credit is %v after the first answer", s.Credit())
			}
		})
	}
	s := start(t)
	s.Lost(&protocol.Loss{Cause: protocol.Timeout})
	if s.Credit() != 10_000 {
		t.Errorf("a timeout is no answer, but left %v of the allowance", s.Credit())
	}
}

// The target covers the backlog, but no more than Credit is outstanding.
func TestTarget(t *testing.T) {
	s := start(t)
	if a := s.Ask(100_000); a.Target != 5000 { // 1.5 BDP less the allowance
		t.Errorf("target %d before the first packet, want 5000", a.Target)
	}
	s.Sent(0, 1000)
	if a := s.Ask(99_000); a.Target != 6000 {
		t.Errorf("target %d after a packet, want 6000", a.Target)
	}
	s.Acked(&protocol.Ack{Packets: 1}) // forfeits 9000
	if a := s.Ask(99_000); a.Target != 15_000 {
		t.Errorf("target %d without allowance, want 15000", a.Target)
	}
	if more := s.Granted(0, &protocol.Grant{Total: 3000}); more != 3000 {
		t.Errorf("granted %v more, want 3000", more)
	}
	if a := s.Ask(2000); a.Target != 2000 || a.Granted != 3000 {
		t.Errorf("with more credit than backlog it asks for %+v, want the backlog", a)
	}
	if a := s.Ask(4000); a.Target != 4000 {
		t.Errorf("target %d, want the backlog beyond the credit: 4000", a.Target)
	}
}

// Totals make good for lost pulls, and late and repeated ones do no harm.
func TestGrantsAreTotals(t *testing.T) {
	s := start(t)
	s.Granted(0, &protocol.Grant{Total: 1000})
	s.Granted(0, &protocol.Grant{Total: 3000}) // one was lost
	s.Granted(0, &protocol.Grant{Total: 2000}) // and comes late
	s.Granted(0, &protocol.Grant{Total: 3000})
	if s.Credit() != 3000 {
		t.Errorf("credit %v, want 3000", s.Credit())
	}
	s.granted, s.told = 1<<32-500, 1<<32-500
	if more := s.Granted(0, &protocol.Grant{Total: 500}); more != 1000 {
		t.Errorf("beyond 2³² it was granted %v, want 1000", more)
	}
}

// A packet may go with any credit left, and the next pull pays for the rest.
func TestAnyCreditSends(t *testing.T) {
	s := start(t)
	s.Granted(0, &protocol.Grant{Total: 1})
	s.Sent(0, 1000)
	if s.Credit() != -999 {
		t.Fatalf("credit %v, want -999", s.Credit())
	}
	if a := s.Ask(1000); a.Target != 1+999+1000 {
		t.Errorf("target %d, want the backlog and the debt: 2000", a.Target)
	}
	// So does a speculative packet larger than what is left.
	s = start(t)
	s.Sent(0, 9999)
	s.Sent(0, 1000)
	s.Acked(&protocol.Ack{Packets: 1})
	if s.Credit() != -999 {
		t.Errorf("credit %v after the allowance was overdrawn, want -999", s.Credit())
	}
}

func TestTrimmedIsPulledUnasked(t *testing.T) {
	s := start(t)
	for s.Credit() > 0 {
		s.Sent(0, 1000)
	}
	s.Ask(0)
	s.Lost(&protocol.Loss{Cause: protocol.Trimmed, Wire: 1000})
	if s.MustAsk(1000) {
		t.Error("it asks for a packet whose header told the receiver")
	}
	s.Granted(0, &protocol.Grant{Total: 1000})
	s.Sent(0, 1000)
	s.Lost(&protocol.Loss{Cause: protocol.Timeout})
	if !s.MustAsk(1000) {
		t.Error("nobody knows of a packet that timed out")
	}
}

func TestResumeRestoresTheAllowance(t *testing.T) {
	s := start(t)
	s.Sent(0, 1000)
	s.Granted(0, &protocol.Grant{Total: 2000})
	s.Resume(us)
	if s.Credit() != 12_000 {
		t.Errorf("credit %v, want the allowance and what was pulled", s.Credit())
	}
	s.Start(us)
	if s.Credit() != 10_000 || s.Ask(1000).Granted != 0 {
		t.Error("a new connection has something of the last one's")
	}
}

// Whatever happens, no more is sent than allowed, by less than a packet.
func TestSenderNeverOverspends(t *testing.T) {
	o := defaults(t)
	rapid.Check(t, func(t *rapid.T) {
		s := newSender(o, env())
		total := uint32(0)
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1, 2:
				if s.Credit() > 0 {
					s.Sent(0, unit.Bytes(rapid.IntRange(65, 1000).Draw(t, "wire")))
				}
			case 3:
				total += uint32(rapid.IntRange(0, 1000).Draw(t, "grant"))
				at := total - uint32(rapid.IntRange(0, 2000).Draw(t, "late"))
				s.Granted(0, &protocol.Grant{Total: at})
			case 4:
				s.Acked(&protocol.Ack{Packets: 1})
			case 5:
				s.Resume(0)
			}
			sent, granted, unsolicited := s.Balance()
			if sent >= granted+unsolicited+1000 {
				t.Fatalf("sent %v of %v granted and %v unsolicited", sent, granted, unsolicited)
			}
			if !s.speculating && s.Credit() != granted+unsolicited-sent {
				t.Fatalf("credit %v is not %v + %v - %v", s.Credit(), granted, unsolicited, sent)
			}
		}
	})
}
