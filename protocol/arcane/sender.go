package arcane

import (
	"math"
	"math/rand/v2"

	"weft/protocol"
	"weft/unit"
)

// Sender chooses the entropies of one connection. It implements
// [protocol.Entropy]; [Options.Build] makes the balancer whose New returns one.
type Sender struct {
	// cells is ARCANEBuffer. Its valid cells are the valid ones before head.
	cells []uint16
	head  int
	valid int // numberOfValidEVs
	// written is 0 if nothing was cached. In fixed, the cells that hold an
	// entropy are the first written ones.
	written int
	explore int    // exploreCounter
	fresh   []bool // validity bits of the preset code; nil in others
	cursor  int    // of that preset's walk

	frozen bool      // isFreezingMode
	froze  bool      // ever, since it was made
	exit   unit.Time // exitFreezingMode
	// due is the time after which a send has to freeze or thaw.
	due unit.Time

	rand      *rand.PCG
	entropies uint64 // EVS_SIZE

	rtts maxRTT
	probing
	config
}

// config is what does not change while a sender lives.
type config struct {
	fixed    bool
	probes   bool
	detects  bool
	bdp      int // NUM_PKTS_BDP
	timeout  unit.Time
	highRTT  unit.Time
	freezeAt unit.Time
}

func newSender(o Options, env protocol.Env) *Sender {
	s := &Sender{
		cells:     make([]uint16, o.Buffer),
		rand:      env.Rand,
		entropies: uint64(o.Entropies),
		config: config{
			fixed:    o.Preset == Fixed,
			probes:   o.Exit == ByProbe,
			detects:  o.Freezing && o.Detection != Never,
			bdp:      env.BDPPackets,
			timeout:  o.FreezingTimeout,
			freezeAt: unit.Forever,
		},
	}
	if o.Preset == Code {
		s.fresh = make([]bool, o.Buffer)
		s.bdp = max(1, int(env.BDP/max(env.Packet, 1)))
	}
	if s.probes {
		s.probing = newProbing(o, env)
	}
	if o.Explore != nil {
		volume := min(o.Explore.Resolve(env.BDP, 0), math.MaxInt32*env.Packet)
		s.bdp = int((volume + env.Packet - 1) / env.Packet)
	}
	if o.FreezeAt != nil {
		s.freezeAt = *o.FreezeAt - 1 // due is the last instant before
	}
	if s.detects && o.Detection == ByTimeout && o.MaxRTT {
		s.rtts.period = env.RTO
		if o.MaxRTTPeriod != nil {
			s.rtts.period = *o.MaxRTTPeriod
		}
		s.highRTT = scaled(o.MaxRTTThreshold, env.BaseRTT)
	}
	s.Start(0)
	return s
}

// Start sets the state variables as Algorithm 1, lines 1–3, and fixed the
// explore counter to one BDP.
func (s *Sender) Start(now unit.Time) {
	s.reset()
	s.explore = 0
	if s.fixed {
		s.explore = s.bdp
	}
	s.frozen, s.exit, s.due = false, 0, s.freezeAt
	s.rtts.restart(now)
}

// Resume makes fixed explore again (§3.1), but not while it is frozen.
func (s *Sender) Resume(now unit.Time) {
	if !s.fixed {
		return
	}
	if now > s.due {
		s.elapse(now)
	}
	if !s.frozen {
		s.explore = s.bdp
	}
}

// Next is OnSend of Algorithm 2, lines 14–22.
func (s *Sender) Next(now unit.Time) uint16 {
	if now > s.due {
		s.elapse(now)
	}
	switch {
	case s.explore > 0:
		s.explore--
		return s.draw()
	case s.fresh != nil:
		if ev, ok := s.nextCode(); ok {
			return ev
		}
		return s.draw()
	case s.valid > 0:
		return s.reuse()
	case s.frozen && s.written > 0:
		return s.walk()
	}
	return s.draw()
}

// draw is line 17 of Algorithm 2.
func (s *Sender) draw() uint16 {
	return uint16(s.rand.Uint64() >> 32 * s.entropies >> 32)
}

// reuse is lines 3–6 of Algorithm 2: the oldest valid entry.
func (s *Sender) reuse() uint16 {
	i := s.head - s.valid
	if i < 0 {
		i += len(s.cells)
	}
	s.valid--
	return s.cells[i]
}

// walk is lines 7–10 of Algorithm 2: entries that were used already.
func (s *Sender) walk() uint16 {
	i := s.head
	if s.fixed && i >= s.written {
		i = 0
	}
	s.head = i + 1
	if s.head == len(s.cells) {
		s.head = 0
	}
	return s.cells[i]
}

// Acked is OnAck of Algorithm 1, lines 5–19. It is called for every entropy that
// an acknowledgement returns: that of the packet which triggered it or, where
// the transport returns all unmarked ones, each of these (§4.5.1).
func (s *Sender) Acked(a *protocol.Ack) {
	if s.rtts.period > 0 {
		s.rtts.observe(a.Now, a.RTT)
	}
	if s.fresh != nil {
		s.ackedCode(a)
		return
	}
	if a.Marked {
		return
	}
	if s.valid < len(s.cells) {
		s.valid++
	}
	s.cells[s.head] = a.Entropy
	s.head++
	s.written = max(s.written, s.head)
	if s.head == len(s.cells) {
		s.head = 0
	}
	if s.frozen && a.Now > s.exit {
		s.thaw()
	}
}

// Lost is OnFailureDetection of Algorithm 1, lines 21–26, for losses that count
// as a failure (Appendix A).
func (s *Sender) Lost(l *protocol.Loss) {
	if s.fresh != nil && s.frozen && l.Cause != protocol.Timeout && l.Now > s.exit {
		s.thaw() // a report is feedback, the end of a timer is none
		return
	}
	if !s.detects || l.Cause != protocol.Timeout || s.frozen || s.explore > 0 {
		return
	}
	if s.rtts.period > 0 && s.rtts.max(l.Now) >= s.highRTT {
		return
	}
	s.frozen, s.froze = true, true
	s.exit = later(l.Now, s.timeout)
	if s.probes {
		s.probing.froze(l)
	}
	if s.fixed {
		s.due = min(s.exit, s.freezeAt)
	}
}

// thaw is lines 16–17 of Algorithm 1.
func (s *Sender) thaw() {
	s.frozen = false
	if s.fresh != nil {
		s.reset()
	}
	s.explore = s.bdp
	s.due = s.freezeAt
}

// elapse does what was due before now: it ends freezing mode, or starts it for
// good.
func (s *Sender) elapse(now unit.Time) {
	if now <= s.freezeAt {
		s.thaw()
		return
	}
	s.frozen, s.froze, s.explore = true, true, 0
	s.exit, s.due = unit.Forever, unit.Forever
}

// forGood tells whether the sender is frozen by freeze_at.
func (s *Sender) forGood() bool { return s.due == unit.Forever && s.freezeAt != unit.Forever }

// Valid returns the number of valid entries (numberOfValidEVs).
func (s *Sender) Valid() int { return s.valid }

// Empty tells whether nothing was cached since the connection started.
func (s *Sender) Empty() bool { return s.written == 0 }

// Exploring returns how many packets are still to be sent with random entropies
// (exploreCounter).
func (s *Sender) Exploring() int { return s.explore }

// Reacted implements protocol.Reactive: it tells whether the sender was ever in freezing mode.
func (s *Sender) Reacted() bool { return s.froze }

// Frozen tells whether the sender is in freezing mode, as of the last call.
func (s *Sender) Frozen() bool { return s.frozen }

// later returns t+d, or Forever if that is beyond it.
func later(t, d unit.Time) unit.Time { return t + min(d, unit.Forever-t) }

// scaled returns r·t rounded down, or Forever if that is beyond it.
func scaled(r unit.Ratio, t unit.Time) unit.Time {
	v := float64(r) * float64(t)
	if v >= math.MaxInt64 {
		return unit.Forever
	}
	return unit.Time(v)
}
