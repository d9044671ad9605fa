package papers

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"weft/internal/histogram"
	"weft/problem"
	"weft/record"
	"weft/unit"
)

// unit of a measure's values, for tables.
func (m *Measure) unit() string {
	switch {
	case strings.HasPrefix(m.Take, "share"), m.Take == "growth", m.Take == "spread", m.Take == "imbalance", m.Take == "part", m.Per != 1:
		return ""
	case m.isTime(), m.Messages == "fct":
		return "µs"
	case m.Messages != "":
		return ""
	}
	return map[string]string{"gbps": "Gb/s", "bytes": "B", "bdp": "BDP", "queue_limit": "× queue limit", "kmin": "× Kmin", "rate": "× line rate"}[m.in()]
}

func (m *Measure) isTime() bool {
	return m.Take == "last" || m.Take == "first_drop" || strings.HasPrefix(m.Take, "settled")
}

// in is what values are in, whether said or not.
func (m *Measure) in() string {
	switch {
	case m.In != "":
		return m.In
	case m.Series == record.Pace:
		return "gbps"
	case m.Series == record.Accepted, m.Series == record.Transmitted:
		return "rate"
	case m.Series == record.Queue, m.Series == record.Buffer, strings.HasPrefix(m.Counter, "queue"), strings.HasSuffix(m.Counter, "_bytes"):
		return "bytes"
	}
	return "frames"
}

// Of computes the measure of a run.
func (m *Measure) Of(r *record.Result) (float64, error) {
	switch {
	case m.Counter != "":
		return m.ofCounter(r)
	case m.Messages != "":
		return m.ofMessages(r), nil
	}
	return m.ofSeries(r)
}

func (m *Measure) matches(port string) bool { return matches(m.Ports, port) }

func matches(patterns []string, port string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, port)
		return ok && err == nil
	})
}

// scale returns what a value of a port is divided by; interval is the length of a
// bucket, for rates.
func (m *Measure) scale(r *record.Result, rate unit.Rate, interval unit.Time) (float64, error) {
	seconds := float64(interval) / float64(unit.Second)
	derived := map[string]string{"bdp": "bdp", "queue_limit": "queue_limit", "kmin": "ecn_kmin"}
	switch in := m.in(); in {
	case "rate":
		return float64(rate) / 8 * seconds * m.Per, nil
	case "gbps":
		if m.Series == record.Pace {
			return float64(unit.Gbps) * m.Per, nil
		}
		return 1e9 / 8 * seconds * m.Per, nil
	case "bdp", "queue_limit", "kmin":
		// Ports of another rate than the hosts' may have queues of their own.
		for _, name := range []string{derived[in] + "." + rate.String(), derived[in]} {
			for _, d := range r.Manifest.Derived {
				if d.Name == name && d.Value > 0 {
					return d.Value * m.Per, nil
				}
			}
		}
		return 0, problem.New("the run has no %s to compare with", derived[in]).Mend("choose another unit with in")
	}
	return m.Per, nil
}

func (m *Measure) ofCounter(r *record.Result) (float64, error) {
	var totals, part []float64
	from, to := r.Counted()
	for i := range r.Ports {
		p := &r.Ports[i]
		if !m.matches(p.Name) {
			continue
		}
		divisor, err := m.scale(r, p.Rate, to-from)
		if err != nil {
			return 0, err
		}
		totals = append(totals, counterOf(p, m.Counter)/divisor)
		if matches(m.Part, p.Name) {
			part = append(part, totals[len(totals)-1])
		}
	}
	if len(totals) == 0 {
		return 0, fmt.Errorf("the run has no ports %s", strings.Join(m.Ports, ", "))
	}
	return m.statistic(totals, totals, part), nil
}

func counterOf(p *record.Port, name string) float64 {
	switch name {
	case "accepted_bytes":
		return float64(p.Bytes)
	case "transmitted_bytes":
		return float64(p.SentBytes)
	case "ecn_marks":
		return float64(p.Marks)
	case "trims":
		return float64(p.Trims)
	case "queue_max":
		return float64(p.QueueMax)
	}
	return p.QueueMean
}

// window returns the buckets that lie in the measure's window as a whole, as from
// the first to before the last.
func (m *Measure) window(r *record.Result) (from, to int) {
	interval := r.Manifest.Interval
	start, end := runtimeOf(r)
	instant := func(i Instant) unit.Time {
		if i.Relative {
			return start + unit.Time(i.Share*float64(end-start))
		}
		return i.At
	}
	from = int((instant(m.From) + interval - 1) / interval)
	to = int(instant(m.To) / interval)
	return from, max(to, from)
}

// runtimeOf returns the first start and the last finish of the measured messages.
func runtimeOf(r *record.Result) (start, end unit.Time) {
	start = unit.Forever
	for i := range r.Flows {
		f := &r.Flows[i]
		if !f.Measured {
			continue
		}
		start = min(start, f.Start)
		if f.Finished() {
			end = max(end, f.End)
		}
	}
	if start > end {
		return 0, r.Summary.Simulated
	}
	return start, end
}

func (m *Measure) ofSeries(r *record.Result) (float64, error) {
	if m.Series == record.Buffer {
		return m.ofBuffers(r)
	}
	interval := r.Manifest.Interval
	if interval <= 0 {
		return 0, problem.New("the run recorded no series").Mend("name ports under record: in the scenario")
	}
	rates := map[string]unit.Rate{}
	for i := range r.Ports {
		rates[r.Ports[i].Name] = r.Ports[i].Rate
	}
	from, to := m.window(r)
	if to == from {
		return math.NaN(), nil
	}
	byPort := map[string][]float64{}
	var order []string
	for i := range r.Series {
		s := &r.Series[i]
		if s.Kind != m.Series || !m.matches(s.Entity) {
			continue
		}
		if byPort[s.Entity] == nil {
			byPort[s.Entity] = make([]float64, to-from)
			order = append(order, s.Entity)
		}
		if b := int(s.Time / interval); b >= from && b < to {
			byPort[s.Entity][b-from] = float64(s.Value)
		}
	}
	if len(order) == 0 {
		return 0, fmt.Errorf("the run recorded no series %s of %s %s", m.Series, m.recordedOf(), strings.Join(m.Ports, ", "))
	}
	var all, totals, part []float64
	for _, name := range order {
		divisor, err := m.scale(r, rates[name], interval)
		if err != nil {
			return 0, err
		}
		total := 0.0
		for i := range byPort[name] {
			byPort[name][i] /= divisor
			total += byPort[name][i]
		}
		all = append(all, byPort[name]...)
		totals = append(totals, total)
		if matches(m.Part, name) {
			part = append(part, total)
		}
	}
	if m.Take == "first_drop" {
		return m.firstDrop(byPort) * float64(interval) / float64(unit.Microsecond), nil
	}
	if m.isTime() {
		last := 0
		for _, values := range byPort {
			for i, v := range values {
				if m.unsettled(v) {
					last = max(last, i+1)
				}
			}
		}
		return float64(last) * float64(interval) / float64(unit.Microsecond), nil
	}
	return m.statistic(all, totals, part), nil
}

// unsettled tells whether a value counts for a time.
func (m *Measure) unsettled(v float64) bool {
	switch m.Take {
	case "settled_above":
		return v < m.Limit
	case "settled_within":
		return math.Abs(v-m.Limit) > m.Within
	}
	return v > m.Limit // last, settled_below
}

// statistic computes what take says, of all values, of the totals of ports, or of
// those whose share is taken.
func (m *Measure) statistic(all, totals, part []float64) float64 {
	share := func(counts func(v float64) bool) float64 {
		n := 0
		for _, v := range all {
			if counts(v) {
				n++
			}
		}
		return float64(n) / float64(len(all))
	}
	sum := 0.0
	for _, v := range totals {
		sum += v
	}
	mean := sum / float64(len(totals))
	ofPart := 0.0
	for _, v := range part {
		ofPart += v
	}
	switch m.Take {
	case "mean":
		return sum / float64(len(all))
	case "sum":
		return sum
	case "max":
		return slices.Max(all)
	case "min":
		return slices.Min(all)
	case "p1", "p50", "p95", "p99":
		sorted := slices.Sorted(slices.Values(all))
		return histogram.Percentile(sorted, map[string]int{"p1": 1, "p50": 50, "p95": 95, "p99": 99}[m.Take])
	case "share_above":
		return share(func(v float64) bool { return v > m.Limit })
	case "share_below":
		return share(func(v float64) bool { return v < m.Limit })
	case "share_outside":
		return share(func(v float64) bool { return math.Abs(v-m.Limit) > m.Within })
	case "spread":
		return (slices.Max(totals) - slices.Min(totals)) / mean
	case "part":
		return ofPart / sum
	case "imbalance":
		return slices.Max(totals)/mean - 1
	}
	return math.NaN()
}
