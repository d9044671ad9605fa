package dart

import (
	"fmt"

	"weft/catalog"
	"weft/problem"
	"weft/unit"
)

// Patience is how long marked packets must come at less than line rate until the congestion counts as elsewhere: a
// time, or the span over which the rate is measured. The zero value acts at once, as §III-C has it.
type Patience struct {
	Span bool
	Time unit.Time // if not Span
}

const spanWord = "span"

// UnmarshalText reads span or a time.
func (p *Patience) UnmarshalText(text []byte) error {
	if string(text) == spanWord {
		*p = Patience{Span: true}
		return nil
	}
	t, err := unit.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%w, or span", err)
	}
	if t < 0 {
		return problem.New("patience is %v", t).Mend("write 0s to act at once, a time, or span")
	}
	*p = Patience{Time: t}
	return nil
}

// MarshalText writes p as UnmarshalText reads it.
func (p Patience) MarshalText() ([]byte, error) {
	if p.Span {
		return []byte(spanWord), nil
	}
	return p.Time.MarshalText()
}

// Form describes how a Patience is written.
func (Patience) Form() catalog.Form {
	return catalog.Form{Name: "time or span", Example: "10us"}
}

// of returns the time of p where the rate is measured over span.
func (p Patience) of(span unit.Time) unit.Time {
	if p.Span {
		return span
	}
	return p.Time
}
