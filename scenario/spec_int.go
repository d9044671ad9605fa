package scenario

import (
	"weft/catalog"
	"weft/fabric"
	"weft/protocol"
	"weft/unit"
)

// INT configures how switches stamp packets.
type INT struct {
	Refresh   unit.Time `yaml:"refresh" default:"0s" doc:"How often ports write the table from which switches stamp acknowledgements; 0s stamps present values. Stamps on data are always present values." source:"FNCC §4.1 (periodically; no period is given)" max:"1s"`
	Quantised bool      `yaml:"quantised" default:"false" doc:"Whether stamps are rounded as in 64 bits: times to 1 ns, queues to 80 B and bytes sent to 128 B, both times the rate in units of 25 Gb/s. They do not wrap. Otherwise they are exact." source:"HPCC's simulator (SIGCOMM 2019)"`
}

// Form describes how to write an INT without options.
func (INT) Form() catalog.Form { return catalog.Form{Name: "mapping", Example: "{}"} }

// resolve returns the telemetry of a fabric. A nil t means no telemetry.
func (t *INT) resolve() fabric.Telemetry {
	if t == nil {
		return fabric.Telemetry{}
	}
	return fabric.Telemetry{On: true, Quantised: t.Quantised, Refresh: t.Refresh}
}

// wire returns the bytes that a data frame has in addition to its payload, and the size of
// an acknowledgement. Both include room for stamps on data and for a control's field, which
// the receiver copies into the acknowledgement.
func (t *Transport) wire() (header, ack unit.Bytes) {
	header, ack = t.Header, t.Ack.Size
	c, err := t.Congestion.Build()
	if err != nil {
		return header, ack
	}
	more := unit.Bytes(0)
	if c.Stamping == protocol.OnData {
		more += c.MostStampBytes
	}
	if c.Controller.Fields {
		more += c.Controller.FieldBytes
	}
	return header + more, ack + more
}
