package scenario

import (
	"errors"
	"fmt"
	"reflect"

	"weft/catalog"
	"weft/fabric"
	"weft/unit"
)

// NICJitter configures how hosts differ when they send: the longest wait of a frame
// ("5ns"), or a mapping that can also slow clocks down ({delay: 5ns, ppm: 200}).
type NICJitter struct {
	Delay unit.Time `yaml:"delay" default:"0s" doc:"Longest wait of a frame at its NIC while the wire is idle; each frame draws its wait uniformly from 0. A host that always has something to send loses half of it per frame." source:"Floyd and Jacobson, CCR 21(2), 1991; overhead_ of ns-2" max:"1ms"`
	PPM   int       `yaml:"ppm" default:"0" doc:"Largest lag of a host's clock, in parts per million; each host draws its own, uniformly from 0, for the whole run. 200 is the tolerance between two ends of a link." source:"IEEE 802.3 (100 ppm either way)" min:"0" max:"10000"`
}

// mostWait is the largest delay.
const mostWait = unit.Millisecond

// Form describes the short form of a NICJitter.
func (NICJitter) Form() catalog.Form {
	f := catalog.FormOf(reflect.TypeFor[unit.Time]())
	f.Example = "5ns"
	return f
}

// UnmarshalText reads the longest wait of a frame.
func (j *NICJitter) UnmarshalText(text []byte) error {
	delay, err := unit.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%w; with slow clocks, write a jitter as {delay: 5ns, ppm: 200}", err)
	}
	if delay < 0 || delay > mostWait {
		return fmt.Errorf("jitter %v is not from 0s to %v", delay, mostWait)
	}
	*j = NICJitter{Delay: delay}
	return nil
}

// MarshalText writes j in the form that UnmarshalText reads. It fails if clocks are slow,
// which needs a mapping.
func (j NICJitter) MarshalText() ([]byte, error) {
	if j.PPM != 0 {
		return nil, errors.New("a jitter with ppm cannot be written as one word")
	}
	return j.Delay.MarshalText()
}

// resolve returns the jitter of a fabric. A nil j means no jitter.
func (j *NICJitter) resolve() fabric.Jitter {
	if j == nil {
		return fabric.Jitter{}
	}
	return fabric.Jitter{Delay: j.Delay, PPM: j.PPM}
}
