package record

import (
	"math"
	"strings"

	"weft/unit"
)

// Metrics returns the numbers of a summary that can be averaged over runs: first the numbers of all
// messages, then each group's.
func (s *Summary) Metrics() []Metric {
	list := s.Stats.metrics()
	count := func(name, title string, n int64) Metric {
		return Metric{Name: name, Title: title, Value: float64(n), LowerIsBetter: true}
	}
	list = append(list,
		count("drops", "drops", s.Drops.Total()),
		count("lost_to_faults", "frames lost to faults", s.LostToFaults.Frames),
		count("lost_to_faults_bytes", "bytes lost to faults", s.LostToFaults.Bytes),
		count("lost_to_congestion", "frames lost to congestion", s.LostToCongestion.Frames),
		count("lost_to_congestion_bytes", "bytes lost to congestion", s.LostToCongestion.Bytes),
		count("trims", "trims", s.Trims),
		count("spurious_retransmits", "spurious retransmits", s.SpuriousRetransmits),
		Metric{Name: "ecn_marks", Title: "ECN marks", Value: float64(s.ECNMarks), Neutral: true},
	)
	list = append(list, s.Faults.metrics()...)
	list = append(list, s.hosts()...)
	list = append(list, s.Buffers.metrics()...)
	list = append(list, s.Stability.metrics()...)
	list = append(list, s.LeastHost.metrics()...)
	list = append(list, s.sectionMetrics()...)
	for i := range s.Groups {
		list = append(list, s.Groups[i].metrics()...)
		list = append(list, s.sectionsOfGroup(s.Groups[i].Name)...)
	}
	for i := range s.Sizes {
		list = append(list, s.Sizes[i].metrics()...)
	}
	return list
}

// KnownMetrics lists all metrics that summaries can have, for all messages and for the named
// groups. No run has all of them.
func KnownMetrics(groups ...string) []Metric {
	all := Summary{Sections: EmptySections(SectionNames()...)}
	for _, name := range groups {
		all.Groups = append(all.Groups, Group{Name: name})
	}
	return all.Metrics()
}

// hosts returns the goodput per host.
func (s *Summary) hosts() []Metric {
	delivered, completed := math.NaN(), math.NaN()
	if s.Hosts > 0 {
		per := float64(s.Hosts) * float64(unit.Gbps)
		if s.HasGoodput() {
			delivered = float64(s.Goodput) / per
		}
		if s.Completed != nil {
			completed = float64(*s.Completed) / per
		}
	}
	return []Metric{
		{Name: "host_goodput_gbps", Title: "goodput of a host", Unit: "Gb/s", Value: delivered, Basis: Basis{Windowed: true}},
		{Name: "host_completed_gbps", Title: "goodput of a host, by completed messages", Unit: "Gb/s", Value: completed, Basis: Basis{Windowed: true}},
	}
}

// metrics returns the metrics, NaN if f is nil.
func (f *Faults) metrics() []Metric {
	nan := math.NaN()
	offered, offeredBytes, unregained := nan, nan, nan
	var last, avoided, regained = nan, nan, nan
	if f != nil {
		micros := func(t unit.Time) float64 {
			if t == None {
				return nan
			}
			return float64(t) / float64(unit.Microsecond)
		}
		offered, offeredBytes, unregained = float64(f.Offered), float64(f.OfferedBytes), float64(f.Unregained)
		last, avoided, regained = micros(f.LastOffered), micros(f.Avoided), micros(f.Regained)
	}
	return []Metric{
		{Name: "fault_offered", Title: "frames sent to dead ports", Value: offered, LowerIsBetter: true},
		{Name: "fault_offered_bytes", Title: "bytes sent to dead ports", Value: offeredBytes, LowerIsBetter: true},
		{Name: "fault_last_offered_us", Title: "last frame to a dead port", Unit: "µs", Value: last, LowerIsBetter: true},
		{Name: "fault_avoided_us", Title: "dead port avoided", Unit: "µs", Value: avoided, LowerIsBetter: true},
		{Name: "fault_regained_us", Title: "full rate regained", Unit: "µs", Value: regained, LowerIsBetter: true},
		{Name: "fault_unregained", Title: "failures without regaining", Value: unregained, LowerIsBetter: true},
	}
}

// Denominators of slowdowns, as tables and figures name them. Flow defines each.
const (
	IdealWithHeaders    = "ideal with headers"
	IdealWithoutHeaders = "ideal without headers"
	idealReference      = "ideal with reference headers"
	IdealAcknowledged   = "ideal until acknowledged"
)

// metrics returns the metrics of a traffic group or a size class.
func (g *Group) metrics() []Metric {
	list := g.Stats.metrics()
	for i := range list {
		list[i].Name, list[i].Group = g.Name+"."+list[i].Name, g.Name
	}
	return list
}

// SplitMetric splits the name of a metric into the traffic group, "" for all messages, and the
// rest.
func SplitMetric(name string) (group, rest string) {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return "", name
}

// numberOf returns a count as a float, NaN if it is unknown.
func numberOf(n int64) float64 {
	if n == Unknown {
		return math.NaN()
	}
	return float64(n)
}

func (s *Stats) metrics() []Metric {
	micros := func(name, title string, t unit.Time) Metric {
		v := math.NaN()
		if t > 0 {
			v = float64(t) / float64(unit.Microsecond)
		}
		return Metric{Name: name, Title: title, Unit: "µs", Value: v, LowerIsBetter: true}
	}
	completion := func(name, title string, t unit.Time) Metric {
		m := micros(name, title, t)
		m.Completion, m.OfFinished = true, true
		return m
	}
	slowdown := func(name, of, ideal string, v float64) Metric {
		if v == 0 {
			v = math.NaN()
		}
		return Metric{Name: name, Title: of + " slowdown (" + ideal + ")", Value: v, LowerIsBetter: true, Basis: Basis{Ideal: ideal, OfFinished: true}}
	}
	goodput := math.NaN()
	if s.HasGoodput() {
		goodput = float64(s.Goodput) / float64(unit.Gbps)
	}
	throughput := func(name, title string, r unit.Rate) Metric {
		v := math.NaN()
		if s.Throughput.Mean > 0 {
			v = float64(r) / float64(unit.Gbps)
		}
		return Metric{Name: name, Title: title, Unit: "Gb/s", Value: v}
	}
	count := func(name, title string, n int64) Metric {
		return Metric{Name: name, Title: title, Value: numberOf(n), LowerIsBetter: true}
	}
	left := func(name, title string, n int64) Metric {
		m := count(name, title, n)
		m.Shortfall = true
		return m
	}
	messages := left("messages", "measured messages", s.Messages)
	messages.Neutral = true
	runtime := micros("runtime_us", "runtime", s.Runtime)
	runtime.Completion = true
	return []Metric{
		runtime,
		{Name: "goodput_gbps", Title: "goodput", Unit: "Gb/s", Value: goodput, Basis: Basis{Windowed: true}},
		completion("fct_mean_us", "mean FCT", s.FCT.Mean),
		completion("fct_p50_us", "median FCT", s.FCT.P50),
		completion("fct_p99_us", "p99 FCT", s.FCT.P99),
		completion("fct_max_us", "max FCT", s.FCT.Max),
		throughput("throughput_mean_gbps", "mean throughput of a message", s.Throughput.Mean),
		throughput("throughput_p50_gbps", "median throughput of a message", s.Throughput.P50),
		throughput("throughput_p1_gbps", "throughput that 99 % of messages reach", s.Throughput.P1),
		micros("rtt_p50_us", "median packet RTT", s.RTT.P50),
		micros("rtt_p99_us", "p99 packet RTT", s.RTT.P99),
		micros("rtt_p999_us", "p99.9 packet RTT", s.RTT.P999),
		micros("rtt_max_us", "max packet RTT", s.RTT.Max),
		slowdown("slowdown_p50", "median", IdealWithHeaders, s.Slowdown.P50),
		slowdown("slowdown_p99", "p99", IdealWithHeaders, s.Slowdown.P99),
		slowdown("slowdown_ref_p50", "median", idealReference, s.SlowdownRef.P50),
		slowdown("slowdown_ref_p99", "p99", idealReference, s.SlowdownRef.P99),
		slowdown("slowdown_bare_p50", "median", IdealWithoutHeaders, s.SlowdownBare.P50),
		slowdown("slowdown_bare_p99", "p99", IdealWithoutHeaders, s.SlowdownBare.P99),
		slowdown("slowdown_ack_p50", "median", IdealAcknowledged, s.SlowdownAck.P50),
		slowdown("slowdown_ack_p99", "p99", IdealAcknowledged, s.SlowdownAck.P99),
		messages,
		left("unfinished", "unfinished", s.Unfinished),
		left("not_started", "not started", s.NotStarted()),
		{Name: "marked_percent", Title: "packets with an ECN mark", Unit: "%", Value: s.Packets.share(s.Packets.Marked), LowerIsBetter: true},
		{Name: "heeded_percent", Title: "packets whose ECN mark their sender hears of", Unit: "%", Value: s.Packets.share(s.Packets.heeded()), LowerIsBetter: true},
		count("retransmits", "retransmits", s.Retransmits),
		count("timeouts", "timeouts", s.Timeouts),
	}
}
