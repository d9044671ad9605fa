package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/protocol"
	"weft/unit"
)

// largest are the largest frames of a transport on any link, with all that is added on the way.
type largest struct {
	data unit.Bytes // from sender to receiver
	back unit.Bytes // acknowledgements, with replies, answers and stamps
	own  unit.Bytes // that switches, or transports of hosts, make without payload
	// stamped tells that each switch on the way makes acknowledgements longer.
	stamped bool
}

// frames returns the largest frames of a transport. The first packets of its messages may list senders, and acknowledgements may pass so
// many switches, each of which may stamp them.
func (t *Transport) frames(lists bool, switches int) (f largest) {
	header, ack := t.wire()
	f.data, f.back = t.Payload+header, ack+t.Ack.Reply
	c, err := t.Congestion.Build()
	if err != nil { // which is refused elsewhere
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

// unknownSwitches stands for a number of switches that only the plan knows, which also checks what depends on it.
const unknownSwitches = -1

// checkFrames refuses a transport whose frames can be larger than a frame can be. The error is about a key of the transport.
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

// checkLists does the same for a group whose first packets list senders.
func (s *Traffic) checkLists(switches int) error {
	if b := s.Background; b != nil {
		if err := b.Transport.checkFrames(true, switches); err != nil {
			return at("background", at("transport", err))
		}
	}
	return at("transport", s.Transport.checkFrames(true, switches))
}

// mostSwitches returns how many switches a frame passes at most. Routes that follow failures may be longer, which are taken to
// lead over 64 at most.
func (p *plan) mostSwitches(s *Spec) int {
	if len(s.Faults) > 0 {
		return min(len(p.graph.Nodes)-len(p.graph.Hosts), 64)
	}
	return p.longestWalk(p.routes.present) + 1
}

// tooLarge says of a size that frames are too large with it, by how much, and what is allowed.
func tooLarge(key string, value, least, over, frame unit.Bytes, frames, with string) error {
	remedy := fmt.Sprintf("write %s: %v or less", key, value-over)
	if value-over < least {
		remedy = "make the options of transport.congestion that add bytes smaller"
	}
	return at(key, fmt.Errorf("with %s: %v %s have up to %d bytes, %s included; a frame has at most %d; %s", key, value, frames, frame, with, int64(fabric.MaxFrame), remedy))
}
