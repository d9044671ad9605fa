package tape

import (
	"encoding/hex"
	"fmt"

	"weft/protocol"
	"weft/unit"
)

// version is the version of the format.
const version = 2

// Name identifies a transport by entries of the catalogs, with their default options.
type Name struct {
	Transport string `json:"transport"`
	// Balancer is the transport's own balancer. It is empty if the carrier chooses entropies.
	Balancer string `json:"balancer,omitempty"`
}

// head is the first line of a tape.
type head struct {
	Tape int `json:"tape"`
	Name
	Seed [2]uint64 `json:"seed"`
	Env  env       `json:"env"`
}

type env struct {
	Host    int32      `json:"host"`
	Hosts   int32      `json:"hosts"`
	Rate    unit.Rate  `json:"rate"`
	RTT     unit.Time  `json:"rtt"`
	BDP     unit.Bytes `json:"bdp"`
	Packet  unit.Bytes `json:"packet"`
	Payload unit.Bytes `json:"payload"`
	Header  unit.Bytes `json:"header"`
	Control unit.Bytes `json:"control"`
	Classes int        `json:"classes"`
	Echo    uint32     `json:"echo"`
	Largest unit.Bytes `json:"largest"`
	Paths   uint16     `json:"paths"`
}

func envOf(e *protocol.HostEnv) env {
	return env{
		Host: e.Host, Hosts: e.Hosts, Rate: e.LineRate, RTT: e.BaseRTT, BDP: e.BDP, Packet: e.Packet, Payload: e.Payload,
		Header: e.Header, Control: e.Control, Classes: e.Classes, Echo: uint32(e.Echo), Largest: e.Largest, Paths: e.Paths,
	}
}

// Names of calls.
const (
	submit  = "submit"
	receive = "receive"
	next    = "next"
	expire  = "expire"
	cancel  = "cancel"
	forget  = "forget"
)

// line is one call.
type line struct {
	Call     string      `json:"c"`
	Now      unit.Time   `json:"t"`
	Message  *message    `json:"m,omitempty"`
	Packet   *packet     `json:"p,omitempty"`
	Peer     int32       `json:"peer,omitempty"`
	OK       bool        `json:"ok,omitempty"`
	Fresh    unit.Bytes  `json:"fresh,omitempty"`
	Ready    []unit.Time `json:"ready,omitempty"`
	Deadline []unit.Time `json:"deadline,omitempty"`
	Events   []event     `json:"events,omitempty"`
}

type message struct {
	Peer  int32      `json:"peer"`
	Group uint8      `json:"group,omitempty"`
	Tag   uint64     `json:"tag"`
	Bytes unit.Bytes `json:"bytes"`
}

func messageOf(m *protocol.HostMessage) *message { return &message{m.Peer, m.Group, m.Tag, m.Bytes} }

func (m *message) host() *protocol.HostMessage {
	return &protocol.HostMessage{Peer: m.Peer, Group: m.Group, Tag: m.Tag, Bytes: m.Bytes}
}

type event struct {
	Kind        uint8      `json:"kind"`
	Cause       uint8      `json:"cause,omitempty"`
	Group       uint8      `json:"group,omitempty"`
	Unconfirmed bool       `json:"unconfirmed,omitempty"`
	Peer        int32      `json:"peer"`
	Tag         uint64     `json:"tag"`
	Bytes       unit.Bytes `json:"bytes,omitempty"`
}

func eventsOf(list []protocol.HostEvent) (out []event) {
	for _, e := range list {
		out = append(out, event{uint8(e.Kind), uint8(e.Cause), e.Group, e.Unconfirmed, e.Peer, e.Tag, e.Bytes})
	}
	return out
}

// packet has the fields of protocol.Packet.
type packet struct {
	Peer    int32      `json:"peer"`
	Kind    uint8      `json:"kind,omitempty"`
	Class   uint8      `json:"class,omitempty"`
	Group   uint8      `json:"group,omitempty"`
	Flags   uint16     `json:"flags,omitempty"`
	Entropy uint16     `json:"entropy,omitempty"`
	Echo    uint16     `json:"echo,omitempty"`
	Message uint32     `json:"message,omitempty"`
	Tag     uint64     `json:"tag,omitempty"`
	Size    unit.Bytes `json:"size,omitempty"`
	Offset  unit.Bytes `json:"offset,omitempty"`
	Payload unit.Bytes `json:"payload,omitempty"`
	Wire    unit.Bytes `json:"wire,omitempty"`
	Amount  unit.Bytes `json:"amount,omitempty"`
	Number  uint32     `json:"number,omitempty"`
	Extra   uint32     `json:"extra,omitempty"`
	SentAt  unit.Time  `json:"sentat,omitempty"`
	EchoAt  unit.Time  `json:"echoat,omitempty"`
	More    string     `json:"more,omitempty"`
}

func packetOf(p *protocol.Packet) *packet {
	return &packet{
		p.Peer, p.Kind, p.Class, p.Group, uint16(p.Flags), p.Entropy, p.Echo, p.Message, p.Tag, p.Size, p.Offset, p.Payload, p.Wire, p.Amount,
		p.Number, p.Extra, p.SentAt, p.EchoAt, textOf(p.More),
	}
}

// textOf returns More in hexadecimal.
func textOf(m *protocol.More) string {
	if m == nil {
		return ""
	}
	return hex.EncodeToString(m.Said())
}

// more decodes More, and returns nil if there is none.
func (p *packet) more() (*protocol.More, error) {
	if p.More == "" {
		return nil, nil
	}
	b, err := hex.DecodeString(p.More)
	if err != nil || len(b) > protocol.MostMore {
		return nil, fmt.Errorf("more of a packet is no list of up to %d bytes", protocol.MostMore)
	}
	m := &protocol.More{Length: uint8(len(b))}
	copy(m.Bytes[:], b)
	return m, nil
}

// host returns the packet as a protocol.Packet. Its fields must have been checked.
func (p *packet) host() *protocol.Packet {
	more, _ := p.more()
	return &protocol.Packet{
		Peer: p.Peer, Kind: p.Kind, Class: p.Class, Group: p.Group, Flags: protocol.PacketFlags(p.Flags), Entropy: p.Entropy, Echo: p.Echo,
		Message: p.Message, Tag: p.Tag, Size: p.Size, Offset: p.Offset, Payload: p.Payload, Wire: p.Wire, Amount: p.Amount,
		Number: p.Number, Extra: p.Extra, SentAt: p.SentAt, EchoAt: p.EchoAt, More: more,
	}
}
