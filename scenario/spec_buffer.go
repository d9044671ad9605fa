package scenario

import (
	"errors"
	"fmt"
	"reflect"

	"weft/catalog"
	"weft/fabric"
	"weft/problem"
	"weft/unit"
)

// SharedBuffer configures the buffer that the ports of each switch share: a size ("16MB"),
// or a mapping ({size: 16MB, alpha: 2}).
type SharedBuffer struct {
	Size    unit.Bytes `yaml:"size" doc:"Buffer of a switch, all ports together. A frame that does not fit is refused, as at a full queue." min:"1B" max:"64GB"`
	Alpha   float64    `yaml:"alpha" default:"1" doc:"How many times the free buffer one class of a port may hold: each of n congested queues holds alpha/(1 + n alpha) of the size." source:"Choudhury and Hahne, ToN 6(2), 1998, §III" min:"0.001" max:"1024"`
	Release string     `yaml:"release" default:"end" doc:"When the bytes of a frame become free: when its transmission begins or ends. The limit of a queue always counts frames until they are sent." enum:"begin,end"`
}

const atBegin = "begin"

// largestBuffer is the largest size of a shared buffer.
const largestBuffer = 64 * unit.GB

// Form describes the short form of a SharedBuffer.
func (SharedBuffer) Form() catalog.Form {
	f := catalog.FormOf(reflect.TypeFor[unit.Bytes]())
	f.Example = "16MB"
	return f
}

// UnmarshalText reads a size.
func (b *SharedBuffer) UnmarshalText(text []byte) error {
	size, err := unit.ParseBytes(string(text))
	if err != nil {
		return problem.New("%w", err).Mend("write a shared buffer as its size, or as in {size: 16MB, alpha: 2}")
	}
	if size < 1 || size > largestBuffer {
		return fmt.Errorf("a buffer of %v is not from 1B to %v", size, largestBuffer)
	}
	*b = SharedBuffer{Size: size, Alpha: 1, Release: "end"}
	return nil
}

// MarshalText writes b in the form that UnmarshalText reads. It fails if b needs a mapping.
func (b SharedBuffer) MarshalText() ([]byte, error) {
	if b.Alpha != 1 || b.Release != "end" {
		return nil, errors.New("a shared buffer with alpha or release cannot be written as one word")
	}
	return b.Size.MarshalText()
}

// resolve returns the shared buffer of ports. A nil b means no buffer.
func (b *SharedBuffer) resolve() fabric.BufferConfig {
	if b == nil {
		return fabric.BufferConfig{}
	}
	return fabric.BufferConfig{Size: b.Size, Alpha: b.Alpha, AtBegin: b.Release == atBegin}
}

// Buffers configures which switches' buffer occupancy is recorded.
type Buffers struct {
	Switches []string  `yaml:"switches" doc:"Switches whose buffer occupancy is summed over the queues of all ports, as names, patterns (tor*) and ranges (tor0..tor8)."`
	Interval unit.Time `yaml:"interval" default:"10us" doc:"Length of the averaging intervals, from the start of the measurement window." source:"SIRD's simulator (NSDI 2025)" min:"1ns"`
	Waiting  bool      `yaml:"waiting_only" default:"false" doc:"Leave out frames in service."`
}
