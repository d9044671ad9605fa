package beside

import (
	"testing"

	"weft/unit"
)

// lengths are how many bytes packets take on links.
type lengths struct {
	request, credit func() unit.Bytes
	data            func(i int, payload unit.Bytes) unit.Bytes
}

// reckoned are the lengths that transports reckon with.
func reckoned() lengths {
	control := func() unit.Bytes { return header }
	return lengths{request: control, credit: control, data: func(_ int, p unit.Bytes) unit.Bytes { return p + header }}
}

// asSent are the lengths of what hosts sent, in order: one the requests and data, the other the credits.
func asSent(sender, receiver []unit.Bytes) lengths {
	next := func(list *[]unit.Bytes) unit.Bytes {
		first := (*list)[0]
		*list = (*list)[1:]
		return first
	}
	return lengths{
		request: func() unit.Bytes { return next(&sender) }, credit: func() unit.Bytes { return next(&receiver) },
		data: func(int, unit.Bytes) unit.Bytes { return next(&sender) },
	}
}

// way is two links, one after the other: when each is free.
type way [2]unit.Time

// pass returns when a packet that is ready at a time arrives at the far end.
func (w *way) pass(at unit.Time, size unit.Bytes) unit.Time {
	for i := range w {
		w[i] = max(w[i], at) + rate.Transmit(size)
		at = w[i] + delay
	}
	return at
}

// lone computes how long a message takes that is alone, without a transport. One of a bandwidth-delay product or less goes at once.
// A longer one is asked for: a request goes there, credits come back in time with 99 % of the receiver's link, each packet goes when
// its credit has come.
func lone(t testing.TB, size unit.Bytes, l lengths) (end unit.Time) {
	var there, back way
	packets := int((size + payload - 1) / payload)
	part := func(i int) unit.Bytes { return min(payload, size-unit.Bytes(i)*payload) }
	if size <= bdp {
		for i := range packets {
			end = there.pass(0, l.data(i, part(i)))
		}
		return end
	}
	due := there.pass(0, l.request())
	arrivals := make([]unit.Time, packets)
	for i := range packets {
		if i >= 24 && arrivals[i-24] > due {
			t.Fatal("the sender's bucket is empty: the form does not hold")
		}
		came := back.pass(due, l.credit())
		arrivals[i] = there.pass(came, l.data(i, part(i)))
		due += (rate / 100 * 99).Transmit(part(i) + header)
	}
	return arrivals[packets-1]
}

// TestLone sends messages of all sizes, each alone: to the picosecond, it takes what is computed without a transport, in the
// simulator and on the wire, where datagrams are shorter than transports reckon.
func TestLone(t *testing.T) {
	for _, size := range []unit.Bytes{1, 8, payload, payload + 1, 30_000, bdp, bdp + 1, 85_000, 1_700_000} {
		sent := []message{{from: 7, start: 11, bytes: size}}
		took := func(o *outcome) unit.Time { return o.messages[0].end - o.messages[0].start }
		want := lone(t, size, reckoned())
		sim := simulated(t, "traffic.messages.pattern={kind: pairs, pairs: [host7->host0]}", "traffic.messages.size="+size.String())
		if got := took(&sim); got != want {
			t.Errorf("%v takes %v in the simulator, not %v", size, got, want)
		}
		padded, _ := wired(t, true, sent)
		if got := took(&padded); got != want {
			t.Errorf("%v takes %v on the wire when padded, not %v", size, got, want)
		}
		plain, stations := wired(t, false, sent)
		if got, want := took(&plain), lone(t, size, asSent(stations[7].sizes, stations[0].sizes)); got != want {
			t.Errorf("%v takes %v on the wire, not %v", size, got, want)
		}
		for i, s := range stations[7].sizes {
			if spare := plain.sent[7][i].packet.Wire - s; spare < 1 || spare > 56 {
				t.Errorf("%v: packet %d takes %v, and the transport reckons with %v", size, i, s, plain.sent[7][i].packet.Wire)
			}
		}
	}
}
