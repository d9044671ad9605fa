package transport

import (
	"math"
	"slices"

	"weft/fabric"
	"weft/protocol"
	"weft/unit"
	"weft/workload"
)

// This file has the lists of senders that come with the first packets of incasts, for controls with
// CongestionControl.ListBytes. A list is in the extension of the frame, behind Aux, which it
// replaces, and the number of the incast.

// listed is the incast of a message that is being sent.
type listed struct {
	number  uint32 // 0 without
	senders []int32
}

// MostListed is how many senders a list names at most.
const MostListed = protocol.MostListed

var _ [workload.MostListed - MostListed]struct{} // both are the same
var _ [MostListed - workload.MostListed]struct{}

// noSender fills up a list.
const noSender = math.MaxUint16

// list notes of which incast a message is.
func (e *Endpoint) list(g *Group, m *message, w *workload.Round) {
	if m.incast != nil {
		m.incast.number = 0
	}
	if w == nil || g.Congestion.ListBytes == 0 {
		return
	}
	if m.incast == nil {
		m.incast = &listed{}
	}
	m.incast.number = w.Number
	m.incast.senders = append(m.incast.senders[:0], w.Senders...)
}

// writeList puts the list of a message into its first frame.
func (e *Endpoint) writeList(g *Group, m *message, id fabric.FrameID) {
	packets := e.d.Frame(id).Aux
	x := e.d.Extend(id)
	x[0] = uint64(m.incast.number)<<32 | uint64(packets)
	for i := 1; i < len(x); i++ {
		x[i] = math.MaxUint64
	}
	for i, h := range m.incast.senders {
		shift := i % 4 * 16
		x[1+i/4] = x[1+i/4]&^(noSender<<shift) | uint64(h)<<shift
	}
	e.d.Frame(id).Size += uint16(g.Congestion.ListBytes * unit.Bytes(len(m.incast.senders)))
}

// listedPackets returns how many packets the message has whose list is in an extension.
func listedPackets(x *fabric.Extension) uint32 { return uint32(x[0]) }

// takeList reads what writeList wrote and restores the frame.
func (e *Endpoint) takeList(g *Group, id fabric.FrameID) *protocol.Incast {
	x := *e.d.Extension(id)
	e.d.Strip(id)
	f := e.d.Frame(id)
	f.Aux = listedPackets(&x)
	in := &e.incast
	in.ID = uint64(f.Group())<<32 | x[0]>>32
	in.Senders = in.Senders[:0]
	for i := range protocol.MostListed {
		if h := int32(x[1+i/4] >> (i % 4 * 16) & noSender); h != noSender {
			in.Senders = append(in.Senders, h)
		}
	}
	if f.Flags&fabric.Trimmed == 0 {
		f.Size -= uint16(g.Congestion.ListBytes * unit.Bytes(len(in.Senders)))
	}
	return in
}

// tenants tells who sends for whom.
type tenants struct{ t *Transport }

// Has implements protocol.Tenants.
func (n tenants) Has(tenant uint8, host int32) bool {
	for i := range n.t.groups {
		g := &n.t.groups[i]
		if g.Tenant != tenant {
			continue
		}
		if g.Members == nil && g.Sources[host] != nil {
			return true
		}
		if _, ok := slices.BinarySearch(g.Members, host); ok {
			return true
		}
	}
	return false
}
