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

// Summary is the handful of numbers that a terminal shows for one run.
type Summary struct {
	// Name is the variant's name, or the scenario's.
	Name string `json:"name"`
	// Presets are those of transports and balancers by group of traffic, as in
	// "sird nsdi25"; groups without any are left out.
	Presets map[string]string `json:"presets,omitempty"`
	// Ended is why the run ended, and Cause what blocked it if it was stuck.
	Ended Ending `json:"ended"`
	Cause string `json:"cause,omitempty"`
	// Deadlocked tells that it ended because pauses wait for each other.
	Deadlocked bool `json:"deadlocked,omitempty"`
	// Partial marks a run that was cut short; its numbers are not the scenario's.
	Partial bool `json:"partial"`
	// Simulated is the simulated time at which the run ended; a run that drained
	// ended when nothing moved any more.
	Simulated unit.Time `json:"-"`

	// Stats are over all measured messages.
	Stats
	// Groups are the same for each group of traffic, if there are several.
	Groups []Group `json:"groups,omitempty"`

	// Sizes are the same for the messages of each class of sizes, if the scenario asks
	// for them; those without slowdowns are left out.
	Sizes []Group `json:"sizes,omitempty"`
	// Hosts is the number of hosts, and Completed the payload of the messages that were
	// completed at their receivers within the measured window, whenever they started,
	// over the window: goodput as SIRD counts it. It is nil of a run that drained without
	// a window.
	Hosts     int64      `json:"hosts,omitempty"`
	Completed *unit.Rate `json:"-"`
	// Buffers is the buffer occupancy of switches; nil if it was not recorded.
	Buffers *Buffers `json:"buffers,omitempty"`
	// Stability tells whether the load was carried; nil without a window.
	Stability *Stability `json:"stability,omitempty"`
	// Load is what traffic was expected to bring to links; nil if none had a rate of its own.
	Load *Load `json:"expected_load,omitempty"`
	// Noted are the notices that do not follow from the other numbers; Notices has them all,
	// as have files.
	Noted []Notice `json:"-"`
	// NeverActed lists the options that the scenario sets and that had no effect.
	NeverActed []Idle `json:"never_acted,omitempty"`
	// Finish is what to write so that the last messages can finish; empty if the run does not know.
	Finish string `json:"finish_advice,omitempty"`
	// LeastHost tells how evenly hosts sent; nil without a window, or where nothing was sent in it.
	LeastHost *LeastHost `json:"least_host,omitempty"`

	// Events is the number of events the engine processed.
	Events int64 `json:"events"`
	// PacketHops counts frames that crossed a link, acknowledgements included.
	PacketHops int64 `json:"packet_hops"`
	// PacketsDelivered counts data packets that reached their host whole and for
	// the first time.
	PacketsDelivered int64 `json:"packets_delivered"`
	// SpuriousRetransmits counts copies of data packets that arrived though the packet had
	// arrived before.
	SpuriousRetransmits int64 `json:"spurious_retransmits"`
	// Drops are the dropped frames; JSON shows their total and the reasons.
	Drops Drops `json:"drops_by_reason"`
	// LostToFaults and LostToCongestion are the same frames with their bytes: lost on
	// links that were down or lossy or for lack of a route, and for want of room.
	LostToFaults     Loss `json:"lost_to_faults"`
	LostToCongestion Loss `json:"lost_to_congestion"`
	// Faults sums up the effects of faults over the whole run; nil without any.
	Faults *Faults `json:"faults,omitempty"`
	// Drawn lists the randomly chosen targets of faults.
	Drawn []Draw `json:"drawn,omitempty"`
	// Sections are what features tell, each that the run has.
	Sections section.Set `json:"-"`

	// What follows stands behind the sections in JSON.

	// Trims counts frames cut to their headers, ECNMarks frames marked.
	Trims    int64 `json:"-"`
	ECNMarks int64 `json:"-"`
	// SourceMarks counts frames that their hosts marked, over the whole run.
	SourceMarks int64 `json:"-"`

	// EngineCPU is the processor time of the event loop over all threads, Wall
	// the real time of the run, PeakRSS the process's largest resident memory.
	EngineCPU time.Duration `json:"-"`
	Wall      time.Duration `json:"-"`
	PeakRSS   unit.Bytes    `json:"-"`

	// ResultHash is the hash that ResultHash returns.
	ResultHash string `json:"-"`
}

// Group is the part of a summary about one group of traffic.
type Group struct {
	Name string `json:"name"`
	// From is the least size of a class of sizes, and Below the least of the next one; 0
	// where there is none.
	From  Bytes `json:"from_bytes,omitempty"`
	Below Bytes `json:"below_bytes,omitempty"`
	Stats
}

// Stats sums up a set of messages.
type Stats struct {
	// Messages is their number, Unfinished how many of them did not end.
	Messages   int64 `json:"messages"`
	Unfinished int64 `json:"unfinished"`
	// Planned is how many the scenario has, started or not; 0 if that is not known
	// beforehand.
	Planned int64 `json:"planned,omitempty"`
	// Retransmits and Timeouts are summed over all of them, or Unknown. Real endpoints count them in the measured window, of whichever
	// message.
	Retransmits int64 `json:"-"`
	Timeouts    int64 `json:"-"`
	// FCT and Slowdown are over the finished ones.
	FCT Times `json:"fct_us"`
	// Throughput is the payload over the completion time, of each of the finished ones.
	Throughput Throughput `json:"throughput_bps"`
	Slowdown   Quantiles  `json:"slowdown"`
	// SlowdownRef, SlowdownBare and SlowdownAck are by the other definitions of Flow.
	SlowdownRef  Quantiles `json:"slowdown_ref"`
	SlowdownBare Quantiles `json:"slowdown_bare"`
	SlowdownAck  Quantiles `json:"slowdown_ack"`
	// RTT is over the packets acknowledged in the measured window.
	RTT RTTs `json:"rtt_us"`
	// Packets are those that arrived in the measured window.
	Packets Packets `json:"packets"`
	// Runtime is from the first start to the last finish. If some did not finish or
	// start, it is to the end of the run, which is less than the runtime is.
	Runtime unit.Time `json:"-"`
	// Goodput is the payload of the finished messages over Runtime. Of a run that
	// was cut short, or measured over a window, it is the payload delivered
	// within the window, of whichever message, over the window.
	Goodput unit.Rate `json:"-"`
	// Idle tells that no measured message started, so that there is no Runtime, and that
	// Goodput, of other messages, is a number all the same.
	Idle bool `json:"-"`
}

// HasGoodput tells whether Goodput is a number, which may be 0.
func (s *Stats) HasGoodput() bool { return s.Runtime > 0 || s.Idle }

// All returns how many messages there are, as far as that is known: also those that
// were still to start.
func (s *Stats) All() int64 { return max(s.Messages, s.Planned) }

// NotStarted returns how many messages are known to have been still to start.
func (s *Stats) NotStarted() int64 { return s.All() - s.Messages }

// Missing returns how many messages did not finish, those that did not start included.
func (s *Stats) Missing() int64 { return s.Unfinished + s.NotStarted() }

// FewUnfinished is up to which share of messages that did not finish nothing is said: of a
// window there are always some that have just begun.
const FewUnfinished = 0.01

// Whole tells whether all messages finished, so that Runtime is exact. Of a run that
// was cut short, that is known if their number is.
func (s *Stats) Whole(partial bool) bool {
	return s.Runtime > 0 && s.Missing() == 0 && (s.Planned > 0 || !partial)
}

// Extent holds what flows do not show of a run. The zero value is of one whose messages all
// started, and which ended with the last of them.
type Extent struct {
	// End is when the run ended.
	End unit.Time
	// Planned is how many measured messages there are, Groups the same of each group;
	// those that are not known beforehand are 0 or left out.
	Planned int64
	Groups  map[string]int64
}

// Times sums up completion times. All are 0 if no message finished, which JSON
// shows as null; JSON numbers are in microseconds.
type Times struct {
	Mean, P50, P99, Max unit.Time
}

// Throughput sums up rates of messages, each its payload over its completion time. P1 is that
// which 99 % of them reach. All are 0 if no message finished, which JSON shows as null.
type Throughput struct {
	Mean, P50, P1 unit.Rate
}

// RTTs sums up round-trip times of packets, from the NIC taking the packet to its
// acknowledgement being received; of packets that were sent once, and of packets
// acknowledged together that which the acknowledgement answers. Percentiles are
// within 0.4 % of the true ones, and Max is exact. All are 0 if there are none.
type RTTs struct {
	Packets             int64
	P50, P99, P999, Max unit.Time
}

// Packets counts data packets that arrived whole and for the first time. Marked are those with an ECN mark, and Kept those
// whose mark the receiving end of their control kept from the sender, as Dart's does while its link is full. Both may be Unknown.
type Packets struct {
	Arrived, Marked, Kept int64
}

// Add adds other packets.
func (p *Packets) Add(o Packets) {
	p.Arrived += o.Arrived
	p.Marked = sum(p.Marked, o.Marked)
	p.Kept = sum(p.Kept, o.Kept)
}

// heeded counts those whose mark the sender hears of.
func (p *Packets) heeded() int64 {
	if p.Marked == Unknown || p.Kept == Unknown {
		return Unknown
	}
	return p.Marked - p.Kept
}

// share is a number of the packets in per cent, NaN if none arrived or it is unknown.
func (p *Packets) share(n int64) float64 {
	if n == Unknown {
		return math.NaN()
	}
	return 100 * float64(n) / float64(p.Arrived)
}

// Loss is frames with their bytes.
type Loss struct {
	Frames int64 `json:"frames"`
	Bytes  int64 `json:"bytes"`
}

// Quantiles sums up slowdowns. All are 0 if no message finished, which JSON
// shows as null.
type Quantiles struct {
	P50, P99 float64
}

// Summarize fills in what follows from the measured flows and the ports.
func Summarize(flows []Flow, ports []Port, e Extent) Summary {
	t := NewTally(len(flows), nil)
	for i := range flows {
		t.Add(&flows[i])
	}
	return t.Summary(ports, e)
}

// Of returns the numbers of a group of traffic; "" is all of a run. It is false if there
// are none, as of the only group.
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

// mean returns the mean of values that are not negative, rounded down, without
// overflow.
func mean[T ~int64](values []T) T {
	var hi, lo, carry uint64
	for _, t := range values {
		lo, carry = bits.Add64(lo, uint64(t), 0)
		hi += carry
	}
	q, _ := bits.Div64(hi, lo, uint64(len(values)))
	return T(q)
}
