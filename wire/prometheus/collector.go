// Package prometheus exports the counts of an endpoint (wire.Stats) to Prometheus.
//
//	registry.MustRegister(prometheus.New(endpoint, nil))
//
// It is a module of its own, so that package wire needs no client of Prometheus. Names begin with weft_wire_, and follow
// Prometheus' conventions: totals of counters, seconds and bytes.
package prometheus

import (
	"github.com/prometheus/client_golang/prometheus"

	"weft/wire"
)

// Source is what has counts: a *wire.Endpoint.
type Source interface{ Stats() wire.Stats }

// collector reads the counts of a source whenever it is asked.
type collector struct {
	source   Source
	counters []*prometheus.Desc // of counters, in order
	late     *prometheus.Desc
}

// New returns a collector of an endpoint. Labels tell endpoints of a process apart, such as {"endpoint": "front"}; nil for none.
func New(s Source, labels prometheus.Labels) prometheus.Collector {
	c := &collector{source: s}
	for _, m := range counters {
		fixed := prometheus.Labels{}
		for name, value := range labels {
			fixed[name] = value
		}
		for name, value := range m.labels {
			fixed[name] = value
		}
		c.counters = append(c.counters, prometheus.NewDesc("weft_wire_"+m.name, m.help, nil, fixed))
	}
	c.late = prometheus.NewDesc("weft_wire_pacing_late_seconds", "How late datagrams left that had waited for the configured rate, since the endpoint was opened.", nil, labels)
	return c
}

// Describe implements prometheus.Collector.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range c.counters {
		to <- d
	}
	to <- c.late
}

// Collect implements prometheus.Collector.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := c.source.Stats()
	for i, m := range counters {
		to <- prometheus.MustNewConstMetric(c.counters[i], prometheus.CounterValue, float64(m.value(&s)))
	}
	to <- prometheus.MustNewConstSummary(c.late, s.Paced, s.Late.Seconds(), map[float64]float64{
		0.5: s.LateP50.Seconds(), 0.99: s.LateP99.Seconds(),
	})
}
