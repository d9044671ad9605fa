package sird

import (
	"strings"
	"testing"

	"weft/protocol"
	"weft/unit"
)

// TestCheck breaks the books of a receiver in ways that Check must see, with unscheduled
// data of two senders charged beyond both buckets where nsdi25 charges it, which is right.
func TestCheck(t *testing.T) {
	for _, preset := range []string{Paper, NSDI25} {
		for _, tt := range []struct {
			name string
			harm func(b *bare)
			want string
		}{
			{"nothing", func(*bare) {}, ""},
			{"B", func(b *bare) { b.b = 2*full - 1 }, "3076B of credit is outstanding, of at most 3075B"},
			{"sender's bucket", func(b *bare) { b.bucket = full - 1 }, "1538B of credit is outstanding with a sender, of at most 1537B"},
			{"sum", func(b *bare) { b.used++ }, "but"},
			{"dead", func(b *bare) { b.senders[2].dead = true }, "a message of host 2 wants credit"},
			{"held", func(b *bare) { b.held++ }, "but 1B in all"},
		} {
			o := testOptions()
			o.Preset = preset
			b := newBare(o)
			for peer := int32(1); peer < 3; peer++ {
				b.request(0, peer, 0, (102-unit.Bytes(peer))*mss)
				b.next(t, slow(int(peer)), kindCredit)
			}
			for peer := int32(1); peer < 3; peer++ {
				p := data(peer, 1, 65*mss, 9*mss)
				p.Amount = 65 * mss
				b.Receive(slow(9), p)
			}
			if got, want := b.used > b.host.b, preset == NSDI25; got != want {
				t.Fatalf("%s: %v is outstanding, of which unscheduled data is to be beyond B: %v", preset, b.used, want)
			}
			tt.harm(b)
			err := b.Check()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("%s, %s: error %v, want %q", preset, tt.name, err, tt.want)
			}
		}
	}
	b := newBare(testOptions())
	b.charge(b.sender(1), -full)
	if err := b.Check(); err == nil || !strings.Contains(err.Error(), "returned 1538B of credit more") {
		t.Errorf("a full packet's credit was returned that was never granted: error %v", err)
	}
	o := testOptions()
	o.Preset = NSDI25
	b = newBare(o)
	b.Submit(0, &protocol.HostMessage{Peer: 1, Bytes: 2 * mss})
	b.receivers[1].credit--
	if err := b.Check(); err == nil || !strings.Contains(err.Error(), "3075B of credit is held for receivers, but 3076B in all") {
		t.Errorf("a byte of credit is gone: error %v", err)
	}
}

// TestUnscheduledFrom counts what is charged for unscheduled data until it comes, or until
// credit is called in: then what was not sent is to be granted.
func TestUnscheduledFrom(t *testing.T) {
	o := testOptions()
	o.Preset = NSDI25
	b := newBare(o)
	verify := func(when string, want unit.Bytes) {
		t.Helper()
		if got := b.unscheduledFrom()[1]; got != want {
			t.Errorf("%s: %v is charged for unscheduled data, want %v", when, got, want)
		}
	}
	const size = 4*mss + 100
	for _, offset := range []unit.Bytes{0, 2 * mss} {
		p := data(1, 0, size, offset)
		p.Amount = size
		b.Receive(0, p)
	}
	verify("two of five packets came", 2*full+180)
	at := patience * b.silence
	b.Expire(at)
	verify("credit was called in", 0)
	b.Receive(at, &protocol.Packet{Peer: 1, Kind: kindStatus, Number: 1, Offset: 3 * mss, Wire: 84})
	verify("three were sent", 0)
	if err := b.Check(); err != nil || b.inbox[0].granted != 3*mss {
		t.Errorf("%v are granted, error %v, want three packets", b.inbox[0].granted, err)
	}
}

// TestDebtWrittenOff calls in the credit of a sender that has returned more than it was
// granted, while others were granted what that left of B. They keep it: for once more than
// B is outstanding, until enough of it came back for the next credit.
func TestDebtWrittenOff(t *testing.T) {
	// The other sender belongs to a tenant whose credit goes first.
	options := func(preset string) Options {
		o := testOptions()
		o.Preset, o.Policy, o.Weights = preset, "classes", []int{1, 1000}
		o.B = unit.Amount{Bytes: 4*full + 200}
		return o
	}
	others := func(b *bare, at int) {
		b.Receive(slow(at), &protocol.Packet{Peer: 2, Group: 1, Kind: kindRequest, Size: 200 * mss, Wire: 84})
		b.spent = [mostClasses]uint64{0: 1 << 40}
		b.host.next = undecided
		for n := at; b.used+full <= b.host.b; n++ {
			if p := b.next(t, slow(n), kindCredit); p.Peer != 2 {
				t.Fatalf("a credit goes to host %d, want all to 2", p.Peer)
			}
		}
	}
	verify := func(b *bare, at unit.Time) {
		t.Helper()
		owed := b.senders[2].used
		if b.senders[1].used != 0 || owed <= b.host.b || b.beyond != owed-b.host.b {
			t.Fatalf("%v is outstanding with host 1 and %v with host 2, %v beyond B; want none, and as much more than B, %v", b.senders[1].used, owed, b.beyond, b.host.b)
		}
		if err := b.Check(); err != nil {
			t.Error(err)
		}
		b.none(t, at)
		for k := unit.Bytes(0); b.used+full > b.host.b; k++ {
			p := data(2, 0, 200*mss, k*mss)
			p.Group = 1
			b.Receive(at, p)
			if err := b.Check(); err != nil {
				t.Error(err)
			}
		}
		b.next(t, at, kindCredit)
		b.charge(b.senders[2], b.host.b+2*full-b.used)
		if b.Check() == nil {
			t.Errorf("%v is outstanding, which is above B again and right no more", b.used)
		}
	}

	// Preset paper, without confirmations: the sender has forgotten message 0, the end of
	// which is lost, and has sent a packet of message 2 on the credit for the end of 1.
	o := options(Paper)
	o.UnschT, o.Confirm = unit.Threshold{}, false
	b := newBare(o)
	ends := []unit.Bytes{mss + 4, mss + 24}
	for number, size := range ends {
		b.request(0, 1, uint32(number), size)
	}
	for n := range 4 {
		b.next(t, slow(n), kindCredit)
	}
	for number, size := range ends {
		b.Receive(slow(5), data(1, uint32(number), size, 0))
	}
	b.Receive(slow(5), data(1, 2, mss, 0))
	if got, want := b.senders[1].used, 84+104-full; got != want {
		t.Fatalf("sb_1 is %v, want %v", got, want)
	}
	others(b, 6)
	b.Receive(slow(50), &protocol.Packet{Peer: 1, Kind: kindStatus, Flags: protocol.Own1, Wire: 84})
	verify(b, slow(50))

	// Preset nsdi25: two packets of message 2 spend what the sender gave itself for
	// message 0, of which nothing has come yet; then packets of 0 and 1 come, and no more.
	b = newBare(options(NSDI25))
	packet := func(number uint32, size, offset, prefix unit.Bytes) {
		p := data(1, number, size, offset)
		p.Amount = prefix
		b.Receive(slow(1), p)
	}
	packet(2, 100*mss, 0, 0)
	packet(2, 100*mss, mss, 0)
	others(b, 6)
	packet(0, 3*mss, 0, 3*mss)
	packet(1, 2*mss, 0, 2*mss)
	if got := b.senders[1].used; got != full {
		t.Fatalf("sb_1 is %v, want %v", got, full)
	}
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	prefix := data(3, 0, 2*mss, 0) // which does not count
	prefix.Amount = 2 * mss
	b.Receive(slow(1), prefix)
	at := slow(50) + patience*b.silence
	b.senders[2].heard, b.senders[3].heard = at, at
	b.Expire(at)
	var p protocol.Packet
	for len(b.wanting) > 0 && b.Next(at, &p) && p.Kind != kindCredit {
		p = protocol.Packet{}
	}
	verify(b, at)
}
