package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/protocol"
	"weft/unit"
)

// largest holds the sizes of a transport's largest frames on any link, with everything that
// is added on the way.
type largest struct {
	data unit.Bytes // from sender to receiver
	back unit.Bytes // acknowledgements, with replies, answers and stamps
	own  unit.Bytes // frames without payload that switches or host transports create
	// stamped: each switch on the way makes acknowledgements longer.
	stamped bool
}

// frames returns the sizes of a transport's largest frames. With lists, the first packets
// of its messages list senders. Acknowledgements pass at most the given number of switches,
// and each may add a stamp.
func (t *Transport) frames(lists bool, switches int) (f largest) {
	header, ack := t.wire()
	f.data, f.back = t.Payload+header, ack+t.Ack.Reply
	c, err := t.Congestion.Build()
	if err != nil { // another check refuses it
		return f
	}
	if lists {
		f.data += c.ListBytes * protocol.MostListed
	}
	f.back += c.AnswerBytes
	if f.stamped = c.Stamping == protocol.OnAcks; f.stamped {
		f.back += c.StampBytes * unit.Bytes(max(0, switches))
	}
	f.own = max(c.Controller.NoticeBytes, c.Host.MostControl)
	return f
}

// unknownSwitches stands for a number of switches that only the plan knows. The plan then
// repeats the checks that depend on it.
const unknownSwitches = -1

// checkFrames refuses a transport whose frames could exceed the largest frame allowed. The
// error names a key of the transport.
func (t *Transport) checkFrames(lists bool, switches int) error {
	f := t.frames(lists, switches)
	if over := f.data - fabric.MaxFrame; over > 0 {
		return tooLarge("payload", t.Payload, 1, over, f.data, "data frames", "headers and what they carry for switches and receivers")
	}
	if over := f.back - fabric.MaxFrame; over > 0 && !(f.stamped && switches == unknownSwitches) {
		key, value, least := "ack.size", t.Ack.Size, unit.Bytes(1)
		if t.Ack.Reply >= over {
			key, value, least = "ack.reply", t.Ack.Reply, 0
		}
		return tooLarge(key, value, least, over, f.back, "acknowledgements", "replies, answers and stamps")
	}
	return nil
}

// checkLists checks the frames of a group whose first packets list senders.
func (s *Traffic) checkLists(switches int) error {
	if b := s.Background; b != nil {
		if err := b.Transport.checkFrames(true, switches); err != nil {
			return at("background", at("transport", err))
		}
	}
	return at("transport", s.Transport.checkFrames(true, switches))
}

// mostSwitches returns the most switches that a frame passes. Routes around failures may be
// longer; they are assumed to pass at most 64.
func (p *plan) mostSwitches(s *Spec) int {
	if len(s.Faults) > 0 {
		return min(len(p.graph.Nodes)-len(p.graph.Hosts), 64)
	}
	return p.longestWalk(p.routes.present) + 1
}

// tooLarge returns the error for a size that makes frames too large, with the excess and
// the largest size allowed.
func tooLarge(key string, value, least, over, frame unit.Bytes, frames, with string) error {
	remedy := fmt.Sprintf("write %s: %v or less", key, value-over)
	if value-over < least {
		remedy = "make the options of transport.congestion that add bytes smaller"
	}
	return at(key, fmt.Errorf("with %s: %v %s have up to %d bytes, %s included; a frame has at most %d; %s", key, value, frames, frame, with, int64(fabric.MaxFrame), remedy))
}
