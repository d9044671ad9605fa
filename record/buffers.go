package record

import (
	"encoding/json"
	"fmt"
	"math"

	"weft/internal/readable"
	"weft/record/internal/micros"
	"weft/unit"
)

// Buffers sums up the buffer occupancy of switches in the measured window. A switch's occupancy
// is the sum over its ports' queues.
type Buffers struct {
	// Interval is the length of the intervals over which MaxMean averages, like the samples of
	// some simulators.
	Interval unit.Time `json:"-"`
	// Waiting reports that frames in service were left out.
	Waiting bool `json:"waiting_only,omitempty"`
	// Buffered covers all switches: the mean of their means, percentiles of their combined time,
	// and the largest of each maximum.
	Buffered
	// Switches holds the single switches, in the order of the topology.
	Switches []SwitchBuffer `json:"switches"`
}

// SwitchBuffer is the buffer occupancy of one switch.
type SwitchBuffer struct {
	Name string `json:"name"`
	Buffered
}

// Buffered holds time statistics of an occupancy in bytes. Percentiles are within 0.4 % of the
// true ones, or half a KiB below 128 KiB.
type Buffered struct {
	Mean Bytes `json:"mean_bytes"`
	P50  Bytes `json:"p50_bytes"`
	P99  Bytes `json:"p99_bytes"`
	P999 Bytes `json:"p999_bytes"`
	// Max is exact. MaxMean is the largest mean over an interval.
	Max     Bytes `json:"max_bytes"`
	MaxMean Bytes `json:"max_mean_bytes"`
}

type plainBuffers Buffers

// MarshalJSON writes the interval in microseconds.
func (b Buffers) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Interval float64 `json:"interval_us"`
		plainBuffers
	}{float64(b.Interval) / float64(unit.Microsecond), plainBuffers(b)})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (b *Buffers) UnmarshalJSON(data []byte) error {
	var in struct {
		Interval float64 `json:"interval_us"`
		plainBuffers
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*b = Buffers(in.plainBuffers)
	b.Interval = micros.Time(&in.Interval)
	return nil
}

// metrics returns the metrics, all NaN if b is nil.
func (b *Buffers) metrics() []Metric {
	var v Buffered
	if b != nil {
		v = b.Buffered
	}
	bytes := func(name, title string, n Bytes) Metric {
		value := math.NaN()
		if b != nil {
			value = float64(n)
		}
		return Metric{Name: name, Title: title, Unit: "B", Value: value, LowerIsBetter: true}
	}
	return []Metric{
		bytes("buffer_mean_bytes", "mean buffering of a switch", v.Mean),
		bytes("buffer_p50_bytes", "median buffering of a switch", v.P50),
		bytes("buffer_p99_bytes", "p99 buffering of a switch", v.P99),
		bytes("buffer_p999_bytes", "p99.9 buffering of a switch", v.P999),
		bytes("buffer_max_bytes", "max buffering of a switch", v.Max),
		bytes("buffer_max_mean_bytes", "max buffering of a switch, interval means", v.MaxMean),
	}
}

// Stability reports whether a run carried the offered load.
//
// The backlog is the payload of started messages minus the part delivered. It is read at
// StabilityLooks evenly spaced instants of the measured window, and a straight line is fitted by
// least squares. The run is unstable if the backlog grows along that line by more than
// UnstableGrowth of the payload of the messages that started in the window, and the line explains
// at least UnstableFit of the backlog's variance. In short: the backlog grows, and steadily.
//
// A window may be too short to judge: if few messages start in it, or if it is not much longer
// than a round trip or than large messages take. In the last case, the messages under way at its
// end, which would be under way even if each had its hosts' links to itself, look like a growing
// backlog. If links have a load of ρ, the payload under way finally reaches 1/(1-ρ) times that
// amount at each of the two hosts' links (random arrivals, served one at a time). So growth up to
// 2/(1-ρ) times that amount is inconclusive. Then the run is not called unstable, and TooShort
// says why.
type Stability struct {
	Unstable bool   `json:"unstable"`
	TooShort string `json:"too_short,omitempty"`
	// Growth is the growth of the line over the window, as a share of the payload offered. Fit is
	// the share of the variance that it explains (R²).
	Growth float64 `json:"backlog_growth"`
	Fit    float64 `json:"fit"`
	// Offered is the payload of the messages that started in the window. UnderWay is the part
	// that would not have arrived by its end if each message had its hosts' links to itself. It
	// is only known if the backlog grows.
	Offered  Bytes `json:"offered_bytes"`
	UnderWay Bytes `json:"under_way_bytes,omitempty"`
}

// Parameters of Stability.
const (
	StabilityLooks = 33
	UnstableGrowth = 0.05
	UnstableFit    = 0.75

	// LeastRTTs is the shortest window in base round-trip times, and LeastMessages the least
	// number of messages that must start in it.
	LeastRTTs     = 100
	LeastMessages = 100

	// LeastUnderWay and MostUnderWay bound the factor by which a stable backlog may exceed
	// UnderWay.
	LeastUnderWay = 4
	MostUnderWay  = 40
)

// Doubt withdraws the judgement if the window was too short, given its length, the base
// round-trip time and the number of messages that started in it.
func (s *Stability) Doubt(window, rtt unit.Time, messages uint64) {
	if s == nil {
		return
	}
	switch {
	case window < LeastRTTs*rtt:
		s.TooShort = fmt.Sprintf("the measurement window of %v is %d base round trips long, but %d are needed", window, window/rtt, LeastRTTs)
	case messages < LeastMessages:
		s.TooShort = fmt.Sprintf("%d messages start in the measurement window, but %d are needed", messages, LeastMessages)
	}
	if s.TooShort != "" {
		s.Unstable = false
	}
}

// Grows reports whether the backlog grows steadily, whatever the cause.
func (s *Stability) Grows() bool { return s.Growth > UnstableGrowth && s.Fit >= UnstableFit }

// Allow withdraws the judgement if long messages may explain the growth. underWay is the payload
// offered in the window that would not have arrived by its end if each message had its hosts'
// links to itself. load is the expected load of the busiest links, 0 if unknown.
func (s *Stability) Allow(underWay unit.Bytes, window unit.Time, load float64) {
	s.UnderWay = Bytes(underWay)
	times := float64(LeastUnderWay)
	if load < 1 { // otherwise the backlog grows without limit anyway
		times = max(LeastUnderWay, min(2/(1-load), MostUnderWay))
	}
	usual := times * float64(underWay) / float64(s.Offered)
	if !s.Unstable || s.Growth > UnstableGrowth+usual {
		return
	}
	s.Unstable = false
	// A longer window offers more payload, but the same amount is under way.
	s.TooShort = fmt.Sprintf("the measurement window of %v is hardly longer than large messages take, %s of the offered load would be under way at its end even if each message were alone; about %v are needed",
		window, readable.Percent(float64(underWay)/float64(s.Offered)), roughly(float64(window)*usual/UnstableGrowth))
}

// roughly rounds a time up to two digits.
func roughly(t float64) unit.Time {
	step := 1.0
	for 100*step < t {
		step *= 10
	}
	return unit.Time(math.Ceil(t/step) * step)
}

// Judge computes the stability from the backlog at each look and the payload offered. It returns
// nil if there are too few looks or nothing was offered.
func Judge(backlog []unit.Bytes, offered unit.Bytes) *Stability {
	n := len(backlog)
	if n < StabilityLooks || offered <= 0 {
		return nil
	}
	middle, mean := float64(n-1)/2, 0.0
	for _, b := range backlog {
		mean += float64(b)
	}
	mean /= float64(n)
	var xx, xy, yy float64
	for i, b := range backlog {
		x, y := float64(i)-middle, float64(b)-mean
		xx += float64(x * x)
		xy += float64(x * y)
		yy += float64(y * y)
	}
	s := &Stability{Offered: Bytes(offered), Growth: xy / xx * float64(n-1) / float64(offered)}
	if yy > 0 {
		s.Fit = float64(xy*xy) / float64(xx*yy)
	}
	s.Unstable = s.Grows()
	return s
}

// metrics returns the metrics, NaN if s is nil.
func (s *Stability) metrics() []Metric {
	unstable, growth := math.NaN(), math.NaN()
	if s != nil {
		growth = 100 * s.Growth
	}
	if s != nil && s.TooShort == "" {
		unstable = 0
		if s.Unstable {
			unstable = 1
		}
	}
	return []Metric{
		{Name: "unstable", Title: "share of runs that are unstable", Value: unstable, LowerIsBetter: true, Basis: Basis{Shortfall: true}},
		{Name: "backlog_growth_percent", Title: "growth of the backlog over the payload offered", Unit: "%", Value: growth, LowerIsBetter: true, Basis: Basis{Shortfall: true}},
	}
}
