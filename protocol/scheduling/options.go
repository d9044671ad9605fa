package scheduling

import (
	"weft/catalog"
	"weft/problem"
	"weft/protocol"
)

// maxWeight is the largest weight of a class.
const maxWeight = 1000

// Options are those of schedulers with weights.
type options struct {
	Strict  *int  `yaml:"strict" doc:"How many of the first classes are served in strict priority; the others share what these leave (default: 1 if class 0 is reserved, for trimmed headers or the like, else 0)." min:"0" max:"7"`
	Weights []int `yaml:"weights" default:"[]" doc:"Weights of the classes after the strict ones, 1 to 1000, in their order, as in [3, 1]. A class without one has weight 1."`
}

// shares is how the classes of one port are divided.
type shares struct {
	strict  int // classes below are served strictly
	classes int
	weight  [protocol.MaxClasses]int // of each class from strict on
}

// of returns the shares of a port, or why the options do not fit it.
func (o *options) of(env protocol.SchedulerEnv) (shares, error) {
	s := shares{strict: env.Reserved, classes: env.Classes}
	if o.Strict != nil {
		s.strict = *o.Strict
	}
	switch rest := env.Classes - s.strict; {
	case s.strict < env.Reserved:
		return s, problem.At("strict", "class 0 is reserved, and no weights may delay it").Mend("write strict: %d or more, or leave it out", env.Reserved)
	case rest < 2:
		return s, problem.At("strict", "ports have %d classes, of which %d are served strictly, so that weights have nothing to divide", env.Classes, s.strict).Mend("write fabric.classes: %d, or more", s.strict+2)
	case len(o.Weights) > rest:
		return s, problem.At("weights", "there are %d weights, and %d classes that share the link", len(o.Weights), rest).Mend("write at most %d weights, or fabric.classes: %d", rest, s.strict+len(o.Weights))
	}
	for k := s.strict; k < env.Classes; k++ {
		s.weight[k] = 1
	}
	for i, w := range o.Weights {
		if w < 1 || w > maxWeight {
			return s, problem.At("weights", "a weight is %d", w).Mend("weights are 1 to %d", maxWeight)
		}
		s.weight[s.strict+i] = w
	}
	return s, nil
}

// first returns the strict class that goes first, if one is open.
func (s *shares) first(open uint8) (class int, ok bool) {
	for k := range s.strict {
		if open>>k&1 != 0 {
			return k, true
		}
	}
	return 0, false
}

// ahead returns how many full queues leave at most while one of a class drains.
func (o *options) ahead(env protocol.SchedulerEnv, class int) int {
	s, err := o.of(env)
	if err != nil || class < s.strict {
		return class + 1
	}
	sum := 0
	for _, w := range s.weight {
		sum += w
	}
	own := s.weight[min(class, s.classes-1)]
	return s.strict + (sum+own-1)/own
}

// Entries returns the schedulers that come with weft.
func Entries() []catalog.Entry[protocol.Scheduling] {
	return []catalog.Entry[protocol.Scheduling]{
		catalog.Define("strict", "class 0 goes first, then class 1, and so on", "IEEE 802.1Q", func(struct{}) (protocol.Scheduling, error) {
			return protocol.Scheduling{}, nil
		}),
		catalog.Define("drr", "deficit round robin: each class in turn sends its weight times a full frame", "Shreedhar and Varghese, SIGCOMM 1995",
			func(o options) (protocol.Scheduling, error) { return o.scheduling(newDRR), nil }).Alias("dwrr", "wrr"),
		catalog.Define("sfq", "start-time fair queueing: frames go by when a fair server would begin them", "Goyal, Vin and Cheng, SIGCOMM 1996",
			func(o options) (protocol.Scheduling, error) { return o.scheduling(newSFQ), nil }).Alias("wfq"),
	}
}

// scheduling returns what makes schedulers with these options.
func (o options) scheduling(make func(shares, protocol.SchedulerEnv) protocol.Scheduler) protocol.Scheduling {
	return protocol.Scheduling{
		New: func(env protocol.SchedulerEnv) (protocol.Scheduler, error) {
			s, err := o.of(env)
			if err != nil {
				return nil, err
			}
			return make(s, env), nil
		},
		Ahead: o.ahead,
	}
}
