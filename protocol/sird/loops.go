package sird

import "weft/unit"

// loop is one of the two control loops that a receiver runs for each sender.
type loop struct {
	bucket unit.Bytes // senderBkt or netBkt
	alpha  float64
	marks  int
	// packets counts towards the next cut (nsdi25), window the bytes of this window (paper).
	packets, need int
	window        unit.Bytes
	total         int
}

// loops are both loops of a sender.
type loops struct {
	sender, net loop
	// bucket is the lesser of the two buckets.
	bucket unit.Bytes
	// n counts packets towards the next look at the ratio of marks (nsdi25).
	n, need int
}

func (l *loops) start(c *config) {
	first := int(c.bucket / c.packet)
	l.sender = loop{bucket: c.bucket, need: first}
	l.net = loop{bucket: c.bucket, need: first}
	l.bucket = c.bucket
	l.n, l.need = 0, 1
}

// arrived runs both loops for a packet: Algorithm 1, lines 5 and 6. With lifted neither of them
// bounds the bucket until the next packet of the sender.
func (l *loops) arrived(c *config, wire unit.Bytes, csn, ce, lifted bool) {
	look := false
	if c.paper {
		l.sender.dctcp(c, wire, csn, c.senderFloor)
		l.net.dctcp(c, wire, ce, c.netFloor)
	} else {
		l.n++
		look = l.n == l.need
		l.sender.step(c, l, csn, look, c.senderFloor) // both go by the bucket before
		l.net.step(c, l, ce, look, c.netFloor)
	}
	l.bucket = min(l.sender.bucket, l.net.bucket)
	if lifted {
		l.bucket = c.bucket
	}
	if look {
		l.n, l.need = 0, max(1, int(l.bucket/c.packet))
	}
}

// dctcp is DCTCP's AIMD with the bucket in place of the window: once for each bucket
// of bytes, alpha takes up the ratio of marked packets, and the bucket is cut by half of
// alpha if there were any or else grows by a packet.
func (l *loop) dctcp(c *config, wire unit.Bytes, marked bool, floor unit.Bytes) {
	l.window += wire
	l.total++
	if marked {
		l.marks++
	}
	if l.window < l.bucket {
		return
	}
	l.alpha = blend(c.gain, l.alpha, l.marks, l.total)
	if l.marks > 0 {
		l.bucket -= cut(l.bucket, l.alpha)
	} else {
		l.bucket += c.packet
	}
	l.bucket = min(max(l.bucket, c.atLeastPacket(floor)), c.bucket)
	l.window, l.total, l.marks = 0, 0, 0
}

// step is a loop as the public simulator has it: the bucket grows with every packet, so
// that a bucket of packets makes it one larger, marked ones included; it is cut by half of
// alpha by a marked packet, but no sooner than one and a half buckets of packets after the
// last cut; and alpha takes up the ratio of marks once for each bucket of packets. At the
// start a cut may come after one bucket of packets, and alpha has its first look after one packet.
func (l *loop) step(c *config, both *loops, marked, look bool, floor unit.Bytes) {
	l.packets++
	if marked {
		l.marks++
	}
	if look {
		l.alpha = blend(c.gain, l.alpha, l.marks, both.n)
		l.marks = 0
	}
	grown := l.bucket + c.packet*c.packet/both.bucket
	if marked && l.packets >= l.need {
		next := float64(grown) - float64(float64(l.bucket)*float64(l.alpha/2))
		grown = unit.Bytes(next)
		l.packets = 0
		l.need = int(3 * both.bucket / 2 / c.packet)
	}
	l.bucket = min(max(grown, c.atLeastPacket(floor)), c.bucket)
}

// blend returns the moving average of the ratio of marks. Products are rounded one by
// one, so that all platforms agree.
func blend(gain, alpha float64, marks, total int) float64 {
	newest := float64(marks) / float64(total)
	return float64((1-gain)*alpha) + float64(gain*newest)
}

func cut(bucket unit.Bytes, alpha float64) unit.Bytes {
	return unit.Bytes(float64(bucket) * float64(alpha/2))
}
