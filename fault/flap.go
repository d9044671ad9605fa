package fault

import (
	"fmt"

	"weft/problem"
	"weft/unit"
)

// maxFlaps bounds the episodes of one Flap, which a timeline holds all at once.
const maxFlaps = 10_000_000

// Flap takes links down and up periodically: at At, At + Period, and so on.
type Flap struct {
	Where
	At     unit.Time  `yaml:"at" default:"0ns" doc:"When the links first fail."`
	Period unit.Time  `yaml:"period" doc:"Time from one failure to the next."`
	Down   unit.Time  `yaml:"down" doc:"How long the links are down in each period; less than period."`
	Count  *int       `yaml:"count" doc:"Number of failures; either count or until is required." min:"1"`
	Until  *unit.Time `yaml:"until" doc:"When the links come up permanently; either count or until is required."`
	Sample
	Cutting
}

// failures returns how often the links fail.
func (o Flap) failures() (int64, error) {
	switch {
	case o.At < 0:
		return 0, problem.At("at", "at is %v", o.At).Mend("it cannot be before the run")
	case o.Period <= 0 || o.Down <= 0 || o.Down >= o.Period:
		return 0, problem.At("down", "down is %v and period %v", o.Down, o.Period).Mend("the links must be down for more than 0 and less than a period")
	case o.Count == nil && o.Until == nil:
		return 0, problem.New("neither count nor until is given").Mend("set how often the links fail, or when they stop failing")
	case o.Count != nil && *o.Count < 1:
		return 0, problem.At("count", "count is %d", *o.Count).Mend("it must be at least 1")
	case o.Until != nil && *o.Until <= o.At:
		return 0, problem.At("until", "until is %v, but the links first fail at %v", *o.Until, o.At)
	}
	last := unit.Forever
	if o.Until != nil {
		last = *o.Until
	}
	n := int64((last-o.At-1)/o.Period) + 1
	if o.Count != nil {
		n = min(n, int64(*o.Count))
	}
	return n, nil
}

// Expand implements Fault.
func (o Flap) Expand(s Site) ([]Episode, []Mark, error) {
	n, err := o.failures()
	if err != nil {
		return nil, nil, fmt.Errorf("flap: %w", err)
	}
	t, err := o.targets(s, o.Sample, o.KeepConnected)
	if err != nil {
		return nil, nil, fmt.Errorf("flap: %w", err)
	}
	ports := t.ports()
	if n > maxFlaps/int64(len(ports)) {
		return nil, nil, fmt.Errorf("flap: %d failures of %d ports are more than %d; lower count or until, or choose fewer links", n, len(ports), maxFlaps)
	}
	episodes := make([]Episode, 0, n*int64(len(ports)))
	end := o.At
	for i := range unit.Time(n) {
		from := o.At + i*o.Period
		end = after(from, o.Down)
		if o.Until != nil {
			end = min(end, *o.Until)
		}
		for _, p := range ports {
			episodes = append(episodes, Episode{From: from, To: end, Port: p, What: Down})
		}
	}
	return episodes, []Mark{{At: o.At, What: t.label + " flaps"}, {At: end, What: t.label + " stops flapping"}}, nil
}
