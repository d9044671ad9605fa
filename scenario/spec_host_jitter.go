package scenario

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// HostJitter configures the jitter of hosts: automatic, none, or a time.
type HostJitter struct {
	Auto bool
	Size unit.Time // if not Auto; 0 is none
}

// UnmarshalText reads auto, none or a time.
func (j *HostJitter) UnmarshalText(text []byte) error {
	switch string(text) {
	case "auto":
		*j = HostJitter{Auto: true}
		return nil
	case "none":
		*j = HostJitter{}
		return nil
	}
	size, err := unit.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%w, or auto, or none", err)
	}
	if size <= 0 || size > mostWait {
		return problem.New("host jitter %v is not from 1ps to %v", size, mostWait).Mend("write none for exact hosts")
	}
	*j = HostJitter{Size: size}
	return nil
}

// MarshalText writes j in the form that UnmarshalText reads.
func (j HostJitter) MarshalText() ([]byte, error) {
	switch {
	case j.Auto:
		return []byte("auto"), nil
	case j.Size == 0:
		return []byte("none"), nil
	}
	return j.Size.MarshalText()
}

// Form describes how to write a HostJitter.
func (HostJitter) Form() catalog.Form {
	return catalog.Form{Name: "auto, none or time", Example: "auto"}
}

// autoJitter is the time of a full frame on a host's link divided by the automatic jitter.
const autoJitter = 16
