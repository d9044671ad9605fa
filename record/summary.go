package record

import (
	"math"
	"math/bits"
	"time"

	"weft/record/section"
	"weft/unit"
)

// Ending is why a run ended.
type Ending string

// Reasons for a run's end.
const (
	// Drained: nothing was left to do.
	Drained Ending = "drained"
	// Until: the scenario's end was reached.
	Until Ending = "until"
	// Stuck: there was no progress for the scenario's stuck_after.
	Stuck Ending = "stuck"
	// Interrupted: the user stopped the run.
	Interrupted Ending = "interrupted"
)

// Summary holds the numbers that a terminal shows for one run.
type Summary struct {
	// Name is the variant's name, or the scenario's.
	Name string `json:"name"`
	// Presets holds the presets of transports and balancers by traffic group, as in "sird
	// nsdi25". Groups without a preset are left out.
	Presets map[string]string `json:"presets,omitempty"`
	// Ended is why the run ended. Cause is what blocked it, if it was stuck.
	Ended Ending `json:"ended"`
	Cause string `json:"cause,omitempty"`
	// Deadlocked is set if the run ended because pauses waited for each other.
	Deadlocked bool `json:"deadlocked,omitempty"`
	// Partial marks a run that was cut short. Its numbers are not the scenario's.
	Partial bool `json:"partial"`
	// Simulated is the simulated time at which the run ended. A run that drained ended when
	// nothing moved any more.
	Simulated unit.Time `json:"-"`

	// Stats covers all measured messages.
	Stats
	// Groups has the same for each traffic group, if there are several.
	Groups []Group `json:"groups,omitempty"`

	// Sizes has the same for each size class, if the scenario asks for it, without messages that
	// have no slowdown.
	Sizes []Group `json:"sizes,omitempty"`
	// Hosts is the number of hosts. Completed is the goodput as SIRD counts it: the payload of
	// all messages that were completed at their receivers within the measured window, whenever
	// they started, over the window. It is nil for a run that drained without a window.
	Hosts     int64      `json:"hosts,omitempty"`
	Completed *unit.Rate `json:"-"`
	// Buffers is the buffer occupancy of switches, or nil if it was not recorded.
	Buffers *Buffers `json:"buffers,omitempty"`
	// Stability says whether the load was carried. It is nil without a window.
	Stability *Stability `json:"stability,omitempty"`
	// Load is the expected load of links. It is nil if no traffic has a rate of its own.
	Load *Load `json:"expected_load,omitempty"`
	// Noted holds the notices that do not follow from the other numbers. The method Notices, and
	// files, have all of them.
	Noted []Notice `json:"-"`
	// NeverActed lists the options that the scenario sets and that had no effect.
	NeverActed []Idle `json:"never_acted,omitempty"`
	// Finish says how to let the last messages finish. It is empty if the run does not know.
	Finish string `json:"finish_advice,omitempty"`
	// LeastHost says how evenly hosts sent. It is nil without a window, or if nothing was sent in
	// it.
	LeastHost *LeastHost `json:"least_host,omitempty"`

	// Events is the number of events the engine processed.
	Events int64 `json:"events"`
	// PacketHops counts frames that crossed a link, including acknowledgements.
	PacketHops int64 `json:"packet_hops"`
	// PacketsDelivered counts untrimmed data packets that reached their host for the first time.
	PacketsDelivered int64 `json:"packets_delivered"`
	// SpuriousRetransmits counts copies of data packets that arrived after the packet had already
	// arrived.
	SpuriousRetransmits int64 `json:"spurious_retransmits"`
	// Drops counts the dropped frames. JSON shows their total and the reasons.
	Drops Drops `json:"drops_by_reason"`
	// LostToFaults and LostToCongestion divide the same frames, with their bytes. The first were
	// lost on links that were down or lossy, or had no route. The others found no room.
	LostToFaults     Loss `json:"lost_to_faults"`
	LostToCongestion Loss `json:"lost_to_congestion"`
	// Faults sums up the effects of faults over the whole run. It is nil if there were none.
	Faults *Faults `json:"faults,omitempty"`
	// Drawn lists the randomly chosen targets of faults.
	Drawn []Draw `json:"drawn,omitempty"`
	// Sections holds the reports of features that the run has.
	Sections section.Set `json:"-"`

	// The following fields come after the sections in JSON.

	// Trims counts frames cut to their headers, and ECNMarks marked frames.
	Trims    int64 `json:"-"`
	ECNMarks int64 `json:"-"`
	// SourceMarks counts frames that their hosts marked, over the whole run.
	SourceMarks int64 `json:"-"`

	// EngineCPU is the processor time of the event loop over all threads, Wall the real time of
	// the run, and PeakRSS the largest resident memory of the process.
	EngineCPU time.Duration `json:"-"`
	Wall      time.Duration `json:"-"`
	PeakRSS   unit.Bytes    `json:"-"`

	// ResultHash is the value of the function ResultHash.
	ResultHash string `json:"-"`
}

// Group is the part of a summary about one traffic group or one size class.
type Group struct {
	Name string `json:"name"`
	// From is the least size of a size class, and Below the next class's. 0 means no limit.
	From  Bytes `json:"from_bytes,omitempty"`
	Below Bytes `json:"below_bytes,omitempty"`
	Stats
}

// Stats sums up a set of messages.
type Stats struct {
	// Messages is the number of messages, and Unfinished how many did not finish.
	Messages   int64 `json:"messages"`
	Unfinished int64 `json:"unfinished"`
	// Planned is the number of messages in the scenario, started or not. It is 0 if that is not
	// known beforehand.
	Planned int64 `json:"planned,omitempty"`
	// Retransmits and Timeouts are sums over all messages, or Unknown. Real endpoints count them
	// in the measured window for all messages.
	Retransmits int64 `json:"-"`
	Timeouts    int64 `json:"-"`
	// FCT and Slowdown cover the finished messages.
	FCT Times `json:"fct_us"`
	// Throughput is the payload over the completion time of each finished message.
	Throughput Throughput `json:"throughput_bps"`
	Slowdown   Quantiles  `json:"slowdown"`
	// SlowdownRef, SlowdownBare and SlowdownAck use the other definitions in Flow.
	SlowdownRef  Quantiles `json:"slowdown_ref"`
	SlowdownBare Quantiles `json:"slowdown_bare"`
	SlowdownAck  Quantiles `json:"slowdown_ack"`
	// RTT covers the packets acknowledged in the measured window.
	RTT RTTs `json:"rtt_us"`
	// Packets counts packets that arrived in the measured window.
	Packets Packets `json:"packets"`
	// Runtime is from the first start to the last finish. If some messages did not finish or
	// start, it extends to the end of the run and is a lower bound.
	Runtime unit.Time `json:"-"`
	// Goodput is the payload of the finished messages over Runtime. For a run that was cut short,
	// or measured over a window, it is the payload of all messages delivered within the window,
	// over the window.
	Goodput unit.Rate `json:"-"`
	// Idle is set if no measured message started. Then there is no Runtime, but Goodput, of other
	// messages, is still valid.
	Idle bool `json:"-"`
}

// HasGoodput reports whether Goodput is valid. It may be 0.
func (s *Stats) HasGoodput() bool { return s.Runtime > 0 || s.Idle }

// All returns the known number of messages, including those not started.
func (s *Stats) All() int64 { return max(s.Messages, s.Planned) }

// NotStarted returns the number of messages known not to have started.
func (s *Stats) NotStarted() int64 { return s.All() - s.Messages }

// Missing returns the number of messages that did not finish, including those that did not start.
func (s *Stats) Missing() int64 { return s.Unfinished + s.NotStarted() }

// FewUnfinished is the share of unfinished messages up to which no notice is given, since some
// messages have always just begun at the end of a window.
const FewUnfinished = 0.01

// Whole reports whether all messages finished, so that Runtime is exact. For a run that was cut
// short, this is known only if Planned is.
func (s *Stats) Whole(partial bool) bool {
	return s.Runtime > 0 && s.Missing() == 0 && (s.Planned > 0 || !partial)
}

// Extent holds facts about a run that its flows do not show. The zero value describes a run whose
// messages all started, and that ended with the last of them.
type Extent struct {
	// End is when the run ended.
	End unit.Time
	// Planned is the number of measured messages, and Groups the same by group. Unknown numbers
	// are 0 or left out.
	Planned int64
	Groups  map[string]int64
}

// Times sums up completion times. All are 0 if no message finished, which JSON shows as null.
// JSON numbers are in microseconds.
type Times struct {
	Mean, P50, P99, Max unit.Time
}

// Throughput sums up messages' rates, each the payload over the completion time. P1 is the rate
// that 99 % of messages reach. All are 0 if no message finished, which JSON shows as null.
type Throughput struct {
	Mean, P50, P1 unit.Rate
}

// RTTs sums up round-trip times of packets, from when the NIC takes the packet until its
// acknowledgement is received. It covers packets that were sent once. If packets are acknowledged
// together, it covers the packet that the acknowledgement answers. Percentiles are within 0.4 %
// of the true ones, and Max is exact. All are 0 if there are none.
type RTTs struct {
	Packets             int64
	P50, P99, P999, Max unit.Time
}

// Packets counts first arrivals of untrimmed data packets. Marked is the number with an ECN mark.
// Kept is the number whose mark the receiving end of the control withheld from the sender, as
// Dart's does while its link is full. Both may be Unknown.
type Packets struct {
	Arrived, Marked, Kept int64
}

// Add adds other counts.
func (p *Packets) Add(o Packets) {
	p.Arrived += o.Arrived
	p.Marked = sum(p.Marked, o.Marked)
	p.Kept = sum(p.Kept, o.Kept)
}

// heeded returns the number of packets whose mark the sender learns of.
func (p *Packets) heeded() int64 {
	if p.Marked == Unknown || p.Kept == Unknown {
		return Unknown
	}
	return p.Marked - p.Kept
}

// share returns a number of the packets in percent, NaN if none arrived or it is unknown.
func (p *Packets) share(n int64) float64 {
	if n == Unknown {
		return math.NaN()
	}
	return 100 * float64(n) / float64(p.Arrived)
}

// Loss is a number of frames with their bytes.
type Loss struct {
	Frames int64 `json:"frames"`
	Bytes  int64 `json:"bytes"`
}

// Quantiles sums up slowdowns. All are 0 if no message finished, which JSON shows as null.
type Quantiles struct {
	P50, P99 float64
}

// Summarize computes the part of a summary that follows from the measured flows and the ports.
func Summarize(flows []Flow, ports []Port, e Extent) Summary {
	t := NewTally(len(flows), nil)
	for i := range flows {
		t.Add(&flows[i])
	}
	return t.Summary(ports, e)
}

// Of returns the numbers of a traffic group, or of the whole run for "". It returns false if
// there are none, as for the only group of a run.
func (s *Summary) Of(group string) (Stats, bool) {
	if group == "" {
		return s.Stats, true
	}
	for i := range s.Groups {
		if s.Groups[i].Name == group {
			return s.Groups[i].Stats, true
		}
	}
	return Stats{}, false
}

// mean returns the mean of non-negative values, rounded down, without overflow.
func mean[T ~int64](values []T) T {
	var hi, lo, carry uint64
	for _, t := range values {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	q, _ := bits.Div64(hi, lo, uint64(len(values)))
	return T(q)
}
