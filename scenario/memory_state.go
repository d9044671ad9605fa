package scenario

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"

	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// What is known beforehand of the memory that switches and connections take once a run goes
// on. It is what they need at the least: a run that is refused for it could not end.

const (
	// bytesPerFlowlet is what an entry of a switch's table of flowlets takes.
	bytesPerFlowlet = 16 * unit.Byte
	// bytesPerConnection is what a connection takes with the least of controls.
	bytesPerConnection = 192 * unit.Byte
	// openMargin is how much less a remedy asks for than what takes all memory by the
	// least that things need: they take up to four times as much, and other programs some.
	openMargin = 8
)

// checkFlowlets refuses tables of flowlets that the machine's memory cannot hold. Each
// switch has one for each group of traffic whose balancer has other options.
func (p *plan) checkFlowlets(list []Traffic) error {
	entries := 0
	for _, s := range p.sprays {
		if s.Way == protocol.ByFlowlet {
			entries += s.Flowlets
		}
	}
	if entries == 0 {
		return nil
	}
	switches := unit.Bytes(len(p.graph.Nodes) - len(p.graph.Hosts))
	tables := switches * unit.Bytes(entries) * bytesPerFlowlet
	have, lacking := lacking(networkBytes(p.graph) + tables)
	if !lacking {
		return nil
	}
	remedy := "simulate a smaller network, or use a larger machine"
	// A third remains for the rest of the run, and for garbage.
	if fit := (have - networkBytes(p.graph)) * 2 / 3 / (switches * bytesPerFlowlet); fit > 0 && len(p.sprays) == 2 {
		remedy = fmt.Sprintf("write at most flowlets: %d, or %s", 1<<(bits.Len64(uint64(fit))-1), remedy)
	}
	err := fmt.Errorf("tables of %d flowlets at each of %d switches need %.1f GiB of memory, %d B an entry, and %.1f GiB is available; %s",
		entries, switches, gib(tables), bytesPerFlowlet, gib(have), remedy)
	for i := range list {
		if b, e := list[i].Transport.Balancer.Build(); e == nil && b.Spray.Way == protocol.ByFlowlet {
			return at("traffic["+strconv.Itoa(i)+"]", at("transport", at("balancer", err)))
		}
	}
	return at("traffic", err)
}

// checkOpen refuses messages at a load of which more wait, or have rows, in the end than the
// machine's memory can hold.
func (p *plan) checkOpen(list []Traffic) error {
	var need float64
	largest, most := -1, openLoad{}
	for i := range list {
		l := p.openLoad(&list[i])
		need += l.bytes
		if l.bytes > most.bytes {
			largest, most = i, l
		}
	}
	have, lacking := lacking(networkBytes(p.graph) + unit.Bytes(min(need, math.MaxInt64/2)))
	if !lacking {
		return nil
	}
	err := fmt.Errorf("about %.3g messages start until %v, of which %.3g wait or have a row at the end; that takes at least %.1f GiB of memory, and %.1f GiB is available; %smake messages larger, lower the load, or use a larger machine",
		most.started, most.end, most.held, need/float64(unit.GiB), gib(have), p.earlier(&list[largest], most.end, float64(have)/need))
	return at("traffic["+strconv.Itoa(largest)+"]", at("arrival", err))
}

// earlier returns the advice to end a group of traffic early enough for a share of what it
// holds, if the window of measurement leaves room for that.
func (p *plan) earlier(s *Traffic, end unit.Time, share float64) string {
	key := "until"
	if s.Stop != nil && *s.Stop == end {
		key = "stop"
	}
	length := unit.Time(min(1, share) / openMargin * float64(end-s.Start))
	for step := unit.Time(1); step <= length/10; step *= 10 {
		length -= length % step // to two digits
	}
	end = s.Start + length
	if length == 0 || end <= p.from || p.to != unit.Forever && end < p.to {
		return ""
	}
	return fmt.Sprintf("write %s: %v or less, ", key, end)
}

// openLoad is what a group of traffic with a load holds when its last message has started.
type openLoad struct {
	started, held, bytes float64
	end                  unit.Time
}

func (p *plan) openLoad(s *Traffic) openLoad {
	load, open := offered(s)
	l := openLoad{end: p.until}
	if s.Stop != nil {
		l.end = min(l.end, *s.Stop)
	}
	g := slices.IndexFunc(p.groups, func(g transport.Group) bool { return g.Name == s.Name })
	if !open || g < 0 || l.end == unit.Forever {
		return openLoad{}
	}
	sizes, err := s.Size.Load()
	if err != nil {
		return openLoad{}
	}
	group := &p.groups[g]
	senders, rate := 0, 0.0
	for h, source := range group.Sources {
		if source != nil {
			senders++
			rate += float64(p.lineRate(int32(h)))
		}
	}
	mean := sizes.Mean()
	started := func(from, to unit.Time) float64 {
		return max(0, float64(to-from)/float64(unit.Second)) * float64(load) * rate / (8 * mean)
	}
	l.started = started(s.Start, l.end)
	// Links carry a header with each message at the least.
	carried := mean / (mean + float64(group.Header))
	waiting := l.started * max(0, 1-carried/float64(load))
	rows := 0.0
	if p.sample >= 1 && !p.ends {
		rows = started(max(s.Start, p.from), min(l.end, p.to))
	}
	connections := waiting
	switch {
	case group.Congestion.NewHost != nil || group.PerPair:
		connections = 0 // as many as there are pairs, however many messages wait
	case group.Pool > 0:
		connections = min(waiting, float64(senders)*float64(p.peers(s))*float64(group.Pool))
	}
	l.held = max(waiting, rows)
	l.bytes = l.held*float64(bytesPerMessage) + connections*float64(bytesPerConnection)
	return l
}
