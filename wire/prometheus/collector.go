// Package prometheus exports the counters of an endpoint (wire.Stats) to Prometheus.
//
//	registry.MustRegister(prometheus.New(endpoint, nil))
//
// It is a module of its own, so that package wire does not need the Prometheus client. Names begin
// with weft_wire_ and follow Prometheus' conventions: totals for counters, seconds and bytes.
package prometheus

import (
	"maps"
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"weft/wire"
)

// Source provides the counters. A *wire.Endpoint is one.
type Source interface{ Stats() wire.Stats }

// collector reads the counters whenever Prometheus asks.
type collector struct {
	source           Source
	counters, gauges []*prometheus.Desc // in the order of the lists
	late, burst, rtt *prometheus.Desc
}

// New returns a collector for an endpoint. Labels distinguish the endpoints of a process, such as
// {"endpoint": "front"}; nil means none.
func New(s Source, labels prometheus.Labels) prometheus.Collector {
	return &collector{
		source: s, counters: described(counters, labels), gauges: described(gauges, labels),
		late:  prometheus.NewDesc("weft_wire_pacing_late_seconds", "How late datagrams left that had waited for the configured rate, since the endpoint was opened.", nil, labels),
		rtt:   prometheus.NewDesc("weft_wire_round_trip_seconds", "Round-trip times of packets that were sent once, since the endpoint was opened. Transports that measure none have no such metric.", nil, labels),
		burst: prometheus.NewDesc("weft_wire_sent_burst_datagrams", "How many datagrams a burst has that the kernel took in one go.", nil, labels),
	}
}

// described returns descriptions of counters, with the user's labels and their own.
func described(list []counter, labels prometheus.Labels) (out []*prometheus.Desc) {
	for _, m := range list {
		all := maps.Clone(labels)
		if all == nil {
			all = prometheus.Labels{}
		}
		maps.Copy(all, m.labels)
		out = append(out, prometheus.NewDesc("weft_wire_"+m.name, m.help, nil, all))
	}
	return out
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range slices.Concat(c.counters, c.gauges) {
		to <- d
	}
	to <- c.late
	to <- c.burst
	to <- c.rtt
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := c.source.Stats()
	for i, m := range counters {
		to <- prometheus.MustNewConstMetric(c.counters[i], prometheus.CounterValue, float64(m.value(&s)))
	}
	for i, m := range gauges {
		to <- prometheus.MustNewConstMetric(c.gauges[i], prometheus.GaugeValue, float64(m.value(&s)))
	}
	to <- prometheus.MustNewConstHistogram(c.burst, s.Bursts.Sent, float64(s.Bursts.SentDatagrams), sizes(&s.Bursts))
	to <- prometheus.MustNewConstSummary(c.late, s.Paced, s.Late.Seconds(), map[float64]float64{
		0.5: s.LateP50.Seconds(), 0.99: s.LateP99.Seconds(),
	})
	if r := s.RTTs; r != nil {
		to <- prometheus.MustNewConstSummary(c.rtt, r.Count(), r.Sum().Seconds(), map[float64]float64{
			0.5: r.PerMille(500).Seconds(), 0.99: r.PerMille(990).Seconds(), 0.999: r.PerMille(999).Seconds(),
		})
	}
}
