package workload

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"weft/internal/portable"
	"weft/problem"
	"weft/sim"
	"weft/unit"
)

// Bursts makes a random set of hosts send one message each to a random host, all at the same
// instant. It repeats at a fixed interval or as a Poisson process. The first burst comes one
// interval after the group's start. The receiver is drawn from all members and the senders from
// the others, anew for each burst. Draws depend on the seed and the group.
//
// SIRD's evaluation (NSDI 2025, §6.2) adds 30 senders of 500 KB to other traffic, often enough to
// make 7 % of the load; so do dcPIM's and HPCC's. Dart's (§VI-A) has several concurrent incasts
// of random senders and receivers.
type Bursts struct {
	Senders  int         `yaml:"senders" default:"30" doc:"Hosts that send in each burst." source:"SIRD §6.2" min:"1"`
	Load     *unit.Ratio `yaml:"load" doc:"Mean payload of the bursts, as a share of the link rates of all hosts that take part, or of what of says; this or interval." max:"200%"`
	Of       LoadOf      `yaml:"of" default:"hosts" enum:"hosts,uplinks,core,tightest" doc:"What load is a share of, as for arrivals of kind poisson: hosts, all links of a tier, or the busiest link."`
	Interval *unit.Time  `yaml:"interval" doc:"Time from one burst to the next; this or load." min:"1ps"`
	Count    *int        `yaml:"count" doc:"Number of bursts (default: as many as fit into the run)." min:"1"`
	Gaps     string      `yaml:"gaps" default:"equal" enum:"equal,exponential" doc:"Times between bursts: all equal, or exponentially distributed, so that bursts are a Poisson process and may overlap." source:"SIRD §6.2 (equal); Dart §VI-A (several incasts at a time)"`
	Draw     string      `yaml:"draw" default:"message" enum:"message,burst" doc:"For what a size is drawn: for each message, or once for all messages of a burst."`
}

// Lists implements Ordered. Sizes are the group's.
func (Bursts) Lists() bool { return false }

// Endless implements Repeated.
func (o Bursts) Endless() bool { return o.Count == nil }

// Resolve implements Pattern.
func (o Bursts) Resolve(s Setting) (Destinations, error) {
	switch {
	case (o.Load == nil) == (o.Interval == nil):
		return nil, errors.New("bursts: give either load (as in 3.5%) or interval (as in 200us), to set how often they come")
	case o.Load != nil && !(*o.Load > 0 && *o.Load <= mostLoad):
		return nil, problem.At("load", "bursts: load is %v", *o.Load).Mend("it must be above 0 and at most 200%%")
	case o.Interval != nil && *o.Interval <= 0:
		return nil, problem.At("interval", "bursts: interval is %v", *o.Interval).Mend("it must be positive")
	case o.Senders < 1 || o.Senders >= len(s.Members):
		return nil, problem.At("senders", "bursts: senders is %d", o.Senders).Mend("it must be at least 1 and less than the %d hosts that take part", len(s.Members))
	case !slices.Contains([]string{"", equalGaps, exponentialGaps}, o.Gaps):
		return nil, problem.At("gaps", "bursts: gaps is %q", o.Gaps).Mend("write equal or exponential")
	case !slices.Contains([]string{"", perMessage, perBurst}, o.Draw):
		return nil, problem.At("draw", "bursts: draw is %q", o.Draw).Mend("write message or burst")
	case o.Load == nil && !o.Of.ofHosts():
		return nil, problem.At("of", "bursts: of: %s says what load is a share of", o.Of).Mend("give load (as in 3.5%%) instead of interval, or remove of")
	case o.Load != nil && s.LineRate == nil:
		return nil, errors.New("bursts: the rates of the hosts' links are not known, so a load has no meaning; give interval")
	}
	return &bursts{Bursts: o, setting: s}, nil
}

// Values of Bursts.Gaps and Bursts.Draw. The empty string means the first of each.
const (
	equalGaps       = "equal"
	exponentialGaps = "exponential"
	perMessage      = "message"
	perBurst        = "burst"
)

type bursts struct {
	Bursts
	setting Setting
}

func (b *bursts) Fan(int32) int { return 1 }

func (b *bursts) Destination(host int32, _ int64, _ *rand.PCG) int32 { return host } // see Sources

// every returns the time between bursts.
func (b *bursts) every(t Traffic) (unit.Time, error) {
	if b.Interval != nil {
		return *b.Interval, nil
	}
	if !b.Of.ofHosts() {
		return 0, problem.New("bursts: what a load of %s means for hosts depends on the network", b.Of).Mend("use Traffic.Scaled")
	}
	rate := 0.0
	for _, h := range b.setting.Members {
		rate += float64(b.setting.LineRate(h))
	}
	v := math.Round(float64(b.Senders) * t.Sizes.Mean() * 8 * float64(unit.Second) / (float64(*b.Load) * rate))
	if !(v >= 1 && v < float64(unit.Forever)) {
		return 0, problem.New("bursts: a load of %v gives an invalid interval", *b.Load).Mend("use another one")
	}
	return unit.Time(v), nil
}

// Total implements Schedule.
func (b *bursts) Total(t Traffic) (messages int64, size unit.Bytes, err error) {
	if b.Count == nil || t.Stop > 0 {
		return 0, 0, errors.New("bursts continue to the end of the run")
	}
	messages = int64(*b.Count) * int64(b.Senders)
	return messages, bytesOf(messages, t.Sizes), nil
}

// Sources implements Schedule. Every host follows the same draws, and sends when it is among the
// senders.
func (b *bursts) Sources(t Traffic, s Setting) ([]Source, error) {
	every, err := b.every(t)
	if err != nil {
		return nil, err
	}
	left := int64(math.MaxInt64)
	if b.Count != nil {
		left = int64(*b.Count)
	}
	listed := 0
	switch t.LookAhead {
	case ListSenders:
		listed = b.Senders
	case ListMembers:
		listed = len(s.Members) - 1
	}
	if err := checkListed(listed); err != nil {
		return nil, err
	}
	list := make([]Source, s.Hosts)
	for _, h := range s.Members {
		from := &burstSource{
			listed: listed,
			at:     t.begins(s, h), every: every, left: left, stop: t.Stop, host: h,
			senders: b.Senders, sizes: t.Sizes, order: append([]int32(nil), s.Members...),
			draws:   sim.Stream(s.Seed, s.groupHash(), "bursts"),
			size:    sim.Stream(s.Seed, s.senderHash(h), "size"),
			gaps:    sim.Stream(s.Seed, s.groupHash(), "burst gaps"),
			poisson: b.Gaps == exponentialGaps, common: b.Draw == perBurst,
		}
		if b.Draw == perBurst {
			from.size = sim.Stream(s.Seed, s.groupHash(), "burst sizes")
		}
		list[h] = from
	}
	return list, nil
}

// burstSource yields the messages of one host.
type burstSource struct {
	at, every, stop unit.Time
	left            int64
	host            int32
	senders         int
	sizes           Sizes
	// order lists the members in an order that the draws permute in the same way at every host.
	order             []int32
	draws, size, gaps rand.PCG
	// poisson is set if every is a mean. common is set if all senders draw the size of each burst
	// from one stream.
	poisson, common bool
	// number counts bursts. listed is how many hosts of order, after the receiver, a message
	// lists as senders.
	number uint32
	listed int
	round  Round
}

// Next implements Source.
func (b *burstSource) Next() (Message, bool) {
	for b.left > 0 {
		gap := b.gap()
		if b.at >= unit.Forever-gap {
			break
		}
		b.left--
		b.number++
		b.at += gap
		if b.stop > 0 && b.at >= b.stop {
			b.left = 0
			break
		}
		portable.Sample(&b.draws, b.order, b.senders+1) // the receiver comes first
		var size unit.Bytes
		if b.common {
			size = b.sizes.Draw(&b.size)
		}
		for _, h := range b.order[1 : b.senders+1] {
			if h == b.host {
				if !b.common {
					size = b.sizes.Draw(&b.size)
				}
				m := Message{At: b.at, Dst: b.order[0], Size: size}
				if b.listed > 0 {
					b.round = Round{b.number, append(b.round.Senders[:0], b.order[1:b.listed+1]...)}
					m.Round = &b.round
				}
				return m, true
			}
		}
	}
	return Message{}, false
}

// gap returns the time to the next burst.
func (b *burstSource) gap() unit.Time {
	if !b.poisson {
		return b.every
	}
	gap := math.Round(-float64(b.every) * portable.Log(portable.Uniform(&b.gaps)))
	return unit.Time(min(gap, float64(unit.Forever/2)))
}

// Completed implements Source.
func (*burstSource) Completed(unit.Time, uint64) {}
