package scenario

import (
	"fmt"
	"reflect"
	"strings"

	"weft/protocol"
	"weft/unit"
)

// Refusal is a balancer that cannot go with a congestion control.
type Refusal struct {
	Balancer   string `json:"balancer"`
	Congestion string `json:"congestion"`
	// Missing is what one of both needs and the other does not offer.
	Missing string `json:"missing"`
}

// missing returns what a balancer needs that a congestion control does not offer, or "".
func missing(b *protocol.Balancer, c *protocol.CongestionControl) string {
	lacks := protocol.Need(0)
	if c.NewReceiver != nil {
		lacks = protocol.AckClock // receivers clock packets out
	}
	if c.NewHost == nil {
		return strings.Join((b.Needs & lacks).Words(), ", and ")
	}
	lacks = protocol.AckClock
	if !c.Echoes {
		lacks |= protocol.PacketAcks
	}
	words := (b.Needs & lacks).Words()
	switch {
	case b.Subflows > 1:
		words = append(words, "connections to divide messages over")
	case len(words) == 0 && !b.Oblivious && !c.Echoes:
		words = append(words, "answers to its packets, from which it learns")
	}
	return strings.Join(words, ", and ")
}

// Refusals returns the pairs of balancer and congestion control of a registry, each with
// its defaults, that scenarios cannot have, in the order of the registry. Entries that
// cannot be built by their defaults are left out.
func Refusals(reg *Registry) (list []Refusal) {
	for _, be := range reg.Balancers.Entries() {
		b, ok := byDefault(be.Defaults, be.Build)
		if !ok {
			continue
		}
		for _, ce := range reg.Congestion.Entries() {
			c, ok := byDefault(ce.Defaults, ce.Build)
			if !ok {
				continue
			}
			m := missing(&b, &c)
			if c.Host.Symmetric && be.Name != hashing {
				m = retraced
			}
			if m != "" {
				list = append(list, Refusal{be.Name, ce.Name, m})
			}
		}
	}
	return list
}

func byDefault[R any](defaults func() (any, error), build func(any) (R, error)) (r R, ok bool) {
	o, err := defaults()
	if err != nil {
		return r, false
	}
	r, err = build(o)
	return r, err == nil
}

// pairing checks that a balancer and a congestion control go together, and with the rest
// of the scenario.
func (v *validation) pairing(path string, t *Transport, b *protocol.Balancer, c *protocol.CongestionControl) {
	v.trimmed(path, t, c)
	switch m := missing(b, c); {
	case m == "", c.Host.Symmetric: // which only one balancer suits
	case c.NewHost != nil:
		v.errorf(path+".balancer", "%s needs %s, which %s, a transport of hosts as a whole, does not have; choose another balancer, such as ops",
			v.balancer(path, t), m, t.Congestion.Kind)
	default:
		v.errorf(path+".balancer", "%s needs %s, but with %s receivers decide when packets go; choose another balancer, such as arcane, or a control with a window, such as nscc",
			v.balancer(path, t), m, t.Congestion.Kind)
	}
	if c.NewHost != nil {
		v.hosted(path, t, b, c)
	}
	v.creditClass(path, t, c)
	if c.NewReceiver != nil && t.inTurn() {
		v.errorf(path+".pick", "receivers of %s give credit to each message, and messages that take connections in turn share them; write pick: idle, or connection: pair", t.Congestion.Kind)
	}
	if b.Needs&protocol.PacketAcks != 0 && t.Ack.Every > 1 {
		v.errorf(path+".balancer", "%s needs %s, but ack.every is %d; write ack: {every: 1}, or choose another balancer",
			t.Balancer.Kind, strings.Join(protocol.PacketAcks.Words(), ", "), t.Ack.Every)
	}
	if b.Subflows > protocol.MaxSubflows {
		v.errorf(path+".balancer", "%s divides messages into %d subflows; there can be %d", t.Balancer.Kind, b.Subflows, protocol.MaxSubflows)
	}
}

// trimmed checks that a control that learns of losses from trimmed headers can get some.
func (v *validation) trimmed(path string, t *Transport, c *protocol.CongestionControl) {
	const others = "or choose a control that does without, such as nscc"
	frame := t.Payload + t.Header
	switch f := &v.s.Fabric; {
	case !c.NeedsTrimming:
	case f.Overflow != trimming && f.Queue.Infinite:
		v.errorf(path+".congestion", "%s learns of lost packets from their trimmed headers, and with fabric.overflow: drop switches trim none, nor is any queue ever full with queue: %s; write fabric: {overflow: %s, queue: %v} for 8 frames, %s",
			t.Congestion.Kind, infinite, trimming, 8*frame, others)
	case f.Overflow != trimming:
		v.errorf(path+".congestion", "%s learns of lost packets from their trimmed headers, and with fabric.overflow: drop switches drop packets whole; write fabric: {overflow: %s}, %s",
			t.Congestion.Kind, trimming, others)
	case f.Queue.Infinite:
		v.errorf("fabric.queue", "%s learns from trimmed headers that a queue was full, and with queue: %s none ever is; write a limit of at least a full frame, %v, and at most %v, as in queue: %v for 8 frames, %s",
			t.Congestion.Kind, infinite, frame, mostQueued, 8*frame, others)
	}
}

// marks checks that controls that go by marks get some. It is asked of groups of traffic,
// since the transport of all traffic need not be that of any.
func (v *validation) marks(pairs []builtPair) {
	f := &v.s.Fabric
	if f.marksAnywhere() {
		return
	}
	write, is := "ecn: red", f.ECN.Kind
	if f.Queue.Infinite || f.NIC == fifo { // red needs a limit, and queues at hosts a threshold
		write = "ecn: {kind: threshold, k: 1.25BDP}"
	}
	if f.Queue.Infinite && !v.s.places.Given("fabric.ecn") {
		is += fmt.Sprintf(" (the default with queue: %s)", infinite)
	}
	for i := range pairs {
		if p := &pairs[i]; p.congestion.NeedsMarks {
			v.errorf(p.path+".congestion", "%s learns of congestion from marks, and with fabric.ecn: %s no port sets any, so that only losses slow it down; write fabric: {%s}, or choose a control that goes by delay, such as swift",
				p.kind, is, write)
		}
	}
}

const (
	// mostClasses is how many priority classes a port has at most, as in Fabric.
	mostClasses = 8
	// hashing is the balancer that gives a flow one path, by hash.
	hashing = "ecmp"
	// retraced is what transports need that cannot go with any other.
	retraced = "data to retrace the path of what it answers"
)

// hosted checks what a transport of hosts as a whole needs.
func (v *validation) hosted(path string, t *Transport, b *protocol.Balancer, c *protocol.CongestionControl) {
	first, _ := t.classes(v.s.Fabric.Overflow == trimming)
	if need := int(first) + max(1, c.Host.Classes); need > max(1, v.s.Fabric.Classes) && c.Host.Classes > 1 {
		remedy, fewer := "", fmt.Sprintf("options of %s with fewer priorities", t.Congestion.Kind)
		switch n := c.Host.Classes; {
		case n > mostClasses && c.Host.Fewer:
			remedy = fmt.Sprintf("ports have %d at most: write %s", mostClasses, fewer)
		case n > mostClasses:
			remedy = fmt.Sprintf("ports have %d at most, so that no scenario can run it: its entry must ask for fewer (HostNeeds.Classes)", mostClasses)
		case need <= mostClasses:
			remedy = fmt.Sprintf("write fabric: {classes: %d}", need)
		case v.s.Fabric.Overflow == trimming:
			remedy = fmt.Sprintf("ports have %d at most, and headers of what is trimmed take the first: write overflow: drop", mostClasses)
		default:
			remedy = fmt.Sprintf("ports have %d at most: write a class of %d at most", mostClasses, mostClasses-n)
		}
		if c.Host.Fewer && c.Host.Classes <= mostClasses {
			remedy += ", or " + fewer
		}
		v.errorf(path+".congestion", "%s uses %d priority classes from class %d on, and fabric.classes is %d; %s",
			t.Congestion.Kind, c.Host.Classes, first, v.s.Fabric.Classes, remedy)
	}
	if c.Host.Symmetric && t.Balancer.Kind != hashing {
		v.errorf(path+".balancer", "%s needs %s, and chooses one path for each flow itself; write balancer: %s, which does the same, and not %s",
			t.Congestion.Kind, retraced, hashing, v.balancer(path, t))
	}
}

// balancer names the balancer of a transport, and says so if the file does not.
func (v *validation) balancer(path string, t *Transport) string {
	key := path + ".balancer"
	if v.s.places.Given(key) || v.s.places.Given(v.s.written(key)) {
		return t.Balancer.Kind
	}
	return t.Balancer.Kind + " (the default)"
}

// receivers checks that all groups whose receivers grant credit agree on how, since a
// host has one receiver for all of them.
func (v *validation) receivers(groups []builtPair) {
	first := -1
	for i := range groups {
		g := &groups[i]
		if g.congestion.NewReceiver == nil && g.congestion.NewHost == nil {
			continue
		}
		if first < 0 {
			first = i
			continue
		}
		f := &groups[first]
		if g.congestion.NewHost != nil && g.kind == f.kind && f.sizes != g.sizes {
			v.errs.Append(v.s.Errorf(g.path+".payload", "payload, header or ack.size differ from those of %s, and a host has one transport for all its traffic of kind %s; give both the same", f.path, g.kind))
			return
		}
		if g.congestion.NewHost != nil && g.kind == f.kind && f.classes != g.classes {
			v.errs.Append(v.s.Errorf(g.path+".class", "class or ack.class differ from those of %s, and a host has one transport for all its traffic of kind %s; give both the same", f.path, g.kind))
			return
		}
		if g.congestion.NewReceiver != nil && g.kind == f.kind && g.frame() != f.frame() {
			v.errs.Append(v.s.Errorf(g.path+".payload", "payload and header are other than those of %s together, and a host has one receiver of kind %s, which grants full packets: give both the same", f.path, g.kind))
			return
		}
		hosts := g.congestion.NewHost != nil || f.congestion.NewHost != nil
		if hosts && f.kind != g.kind {
			v.errs.Append(v.s.Errorf(g.path+".congestion", "receivers grant credit as in %s, and those of %s as in %s; a host has one receiver for all its traffic: give both the same congestion", g.kind, f.path, f.kind))
			return
		}
		if !reflect.DeepEqual(f.shared(), g.shared()) {
			v.errs.Append(v.s.Errorf(g.path+".congestion", "receivers grant credit by other options than those of %s, and a host has one receiver for all its traffic; give both the same options of %s", f.path, f.kind))
			return
		}
	}
}

// builtPair is what a group of traffic has.
type builtPair struct {
	path, kind string
	options    any // of the congestion control
	congestion protocol.CongestionControl
	sizes      [3]unit.Bytes // payload, header, control frames
	classes    [2]uint8      // of data and of control frames
}

// shared are the options on which groups must agree: all of them if the congestion control
// does not say which.
func (b *builtPair) shared() any {
	if b.congestion.Receivers == nil {
		return b.options
	}
	return b.congestion.Receivers
}

// frame is a full data frame.
func (b *builtPair) frame() unit.Bytes { return b.sizes[0] + b.sizes[1] }
