package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/transport"
	"weft/unit"
)

const (
	// bytesPerConnection is the least memory of a connection.
	bytesPerConnection = 192 * unit.Byte
	// advisedShare is the share of the memory that a remedy fills, by the least size of
	// messages. Messages can need four times as much, and other programs need memory, too.
	advisedShare = 1. / 8
)

// offeredLoad counts the messages that a group with a load starts until it ends, and the
// memory they need.
type offeredLoad struct {
	end     unit.Time // no message starts later
	started float64   // messages
	held    float64   // messages that still wait at the end, or have a row
	bytes   float64   // the least memory of the held messages
}

// checkLoad refuses loads whose messages cannot fit into the machine's memory. It counts
// the least memory per message, so a run that it refuses could not have finished.
func (p *plan) checkLoad(list []Traffic) error {
	var need float64
	var most offeredLoad
	largest := -1
	for i := range list {
		l := p.offeredLoad(&list[i], p.stops(&list[i]))
		need += l.bytes
		if l.bytes > most.bytes {
			largest, most = i, l
		}
	}
	if largest < 0 {
		return nil
	}
	have, lacking := lacking(networkBytes(p.graph) + unit.Bytes(min(need, math.MaxInt64/2)))
	if !lacking {
		return nil
	}
	remedy := "make messages larger, lower the load, or use a larger machine"
	if key, end := p.earlierEnd(&list[largest], most.end, float64(have), float64(have)/need); key != "" {
		remedy = fmt.Sprintf("write %s: %v or less, %s", key, end, remedy)
	}
	err := fmt.Errorf("about %.2g messages start by %v, and about %.2g of them wait or have a row then; they need at least %.1f GiB of memory, and %.1f GiB is available; %s",
		most.started, most.end, most.held, need/float64(unit.GiB), gib(have), remedy)
	return at("traffic["+strconv.Itoa(largest)+"]", at("arrival", err))
}

// earlierEnd returns the key that ends a group of traffic, and a value with which the
// group's messages fit the available memory. share is the share of the group's time that
// fits, roughly. The key is empty if the measurement would have to end earlier, too.
func (p *plan) earlierEnd(s *Traffic, end unit.Time, have, share float64) (string, unit.Time) {
	key := "until"
	if s.Stop != nil && *s.Stop == end {
		key = "stop"
	}
	length := unit.Time(min(1, share) * advisedShare * float64(end-s.Start))
	for length > 0 { // the connections of pools come first, and take the most memory
		need := float64(networkBytes(p.graph)) + p.offeredLoad(s, s.Start+length).bytes
		if need <= have {
			break
		}
		length = unit.Time(min(0.9, have*advisedShare/need) * float64(length))
	}
	for step := unit.Time(1); step <= length/10; step *= 10 {
		length -= length % step // round to two digits
	}
	end = s.Start + length
	if length == 0 || end <= p.times.from || p.times.to != unit.Forever && end < p.times.to {
		return "", 0
	}
	return key, end
}

// stops returns the time from which on no message of a group starts.
func (p *plan) stops(s *Traffic) unit.Time {
	if s.Stop != nil {
		return min(p.times.until, *s.Stop)
	}
	return p.times.until
}

// offeredLoad returns what the group holds at a time after which none of its messages
// starts. It returns zero for a group without a load or an end.
func (p *plan) offeredLoad(s *Traffic, end unit.Time) offeredLoad {
	g := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == s.Name })
	sizes, err := s.Size.Load()
	if end == unit.Forever || g < 0 || err != nil {
		return offeredLoad{}
	}
	group := &p.groups[g]
	rate, senders := 0.0, 0.0
	for h, source := range group.Sources {
		if source != nil {
			rate, senders = rate+float64(p.lineRate(int32(h))), senders+1
		}
	}
	load, open := p.offeredShare(s, unit.Rate(rate/senders))
	if !open {
		return offeredLoad{}
	}
	mean := sizes.Mean()
	started := func(from, to unit.Time) float64 {
		return max(0, float64(to-from)/float64(unit.Second)) * float64(load) * rate / (8 * mean)
	}
	l := offeredLoad{end: end, started: started(s.Start, end)}
	// Each message carries at least one header.
	carried := mean / (mean + float64(group.Header))
	waiting := l.started * max(0, 1-carried/float64(load))
	l.held = waiting
	if p.recorded.sample >= 1 && !p.times.ends {
		l.held = max(l.held, started(max(s.Start, p.times.from), min(end, p.times.to)))
	}
	l.bytes = l.held*float64(bytesPerMessage) + p.connections(s, &group.Params, waiting)*float64(connectionBytes(&group.Params))
	return l
}

// connections returns the number of connections of a group for its waiting messages.
func (p *plan) connections(s *Traffic, g *transport.Params, waiting float64) float64 {
	switch {
	case g.Congestion.NewHost != nil || g.PerPair:
		return 0 // at most one per pair of hosts, however many messages wait
	case g.Pool > 0:
		return min(waiting, float64(len(p.graph.Hosts))*float64(p.peers(s))*float64(g.Pool))
	}
	return waiting
}

// connectionBytes returns the least memory of a group's connection.
func connectionBytes(g *transport.Params) unit.Bytes { return bytesPerConnection + g.Balancer.Memory }
