package record

import (
	"encoding/json"

	"weft/record/internal/micros"
	"weft/unit"
)

// Kinds of port fault.
const (
	// FaultDown: the link is down.
	FaultDown = "down"
	// FaultMissing: the link is permanently absent; routing avoids it.
	FaultMissing = "missing"
	// FaultRate: the link has another rate.
	FaultRate = "rate"
	// FaultLoss: the link loses frames at random.
	FaultLoss = "loss"
)

// MostFaults is the largest number of recorded fault rows.
const MostFaults = 1 << 17

// Fault is one period in which one port was in an abnormal state.
type Fault struct {
	Port string
	// Kind is FaultDown or another of the kinds above.
	Kind string
	// From is when it began. To is when it ended, or Unfinished.
	From, To unit.Time
	// Rate is the remaining rate for FaultRate. Probability is the loss rate for FaultLoss.
	Rate        unit.Rate
	Probability float64
	// Lost counts frames lost to the fault: in flight or queued when the link failed, sent to it
	// while it was down, or lost at random.
	Lost, LostBytes int64
	// Flushed counts the lost frames that were queued or in service when the link failed.
	Flushed int64
	// Offered counts the lost frames that were sent to the port while it was down.
	Offered, OfferedBytes int64
	// LastOffered is when the last frame was offered. Avoided is when the last frame was offered
	// before the port first got none for a base round-trip time. Both are Unfinished if there is
	// no such frame.
	LastOffered, Avoided unit.Time
	// RateBefore is the rate at which the affected traffic was served before the fault, 0 if it
	// was not measured. RateTarget is the rate that counts as full recovery. Regained is when
	// that rate was reached, or Unfinished.
	RateBefore, RateTarget unit.Rate
	Regained               unit.Time
}

// Faults sums up the faults of a run, except permanently absent links.
type Faults struct {
	// Down is how often a port's link went down, per direction.
	Down int64
	// Offered counts the frames sent to ports while they were down.
	Offered, OfferedBytes int64
	// LastOffered is the longest time from a port's failure to the last frame offered to it while
	// it was down. It is None if none was offered.
	LastOffered unit.Time
	// Avoided is the longest time from a port's failure to the last frame offered before the port
	// got none for a base round-trip time. It is None if no frame was offered, or if some port
	// was never avoided.
	Avoided unit.Time
	// Incidents is the number of instants of failure after which recovery was measured.
	// Unregained is how many of them did not recover.
	Incidents, Unregained int64
	// Regained is the longest time from such an instant to recovery. It is None if there is none,
	// or if one did not recover.
	Regained unit.Time
}

// SumFaults sums up rows. It returns nil if the only faults are missing links.
func SumFaults(rows []Fault) *Faults {
	s := &Faults{LastOffered: None, Avoided: None, Regained: None}
	instants := map[unit.Time]bool{}
	any, always := false, true
	for i := range rows {
		f := &rows[i]
		if f.Kind == FaultMissing {
			continue
		}
		any = true
		if f.RateBefore > 0 && !instants[f.From] {
			instants[f.From] = true
			s.Incidents++
			if f.Regained == Unfinished {
				s.Unregained++
			} else {
				s.Regained = max(s.Regained, f.Regained-f.From)
			}
		}
		if f.Kind != FaultDown {
			continue
		}
		s.Down++
		s.Offered += f.Offered
		s.OfferedBytes += f.OfferedBytes
		if f.Offered == 0 {
			continue
		}
		s.LastOffered = max(s.LastOffered, f.LastOffered-f.From)
		if f.Avoided == Unfinished {
			always = false
		} else {
			s.Avoided = max(s.Avoided, f.Avoided-f.From)
		}
	}
	if !any {
		return nil
	}
	if !always {
		s.Avoided = None
	}
	if s.Unregained > 0 {
		s.Regained = None
	}
	return s
}

// faultsNumbers is Faults as JSON shows it.
type faultsNumbers struct {
	Down         int64    `json:"down"`
	Offered      int64    `json:"offered_frames"`
	OfferedBytes int64    `json:"offered_bytes"`
	LastOffered  *float64 `json:"last_offered_us"`
	Avoided      *float64 `json:"avoided_us"`
	Incidents    int64    `json:"incidents"`
	Unregained   int64    `json:"unregained"`
	Regained     *float64 `json:"regained_us"`
}

// MarshalJSON writes times in microseconds, and null for None.
func (f Faults) MarshalJSON() ([]byte, error) {
	return json.Marshal(faultsNumbers{
		f.Down, f.Offered, f.OfferedBytes, micros.OfSpan(f.LastOffered), micros.OfSpan(f.Avoided),
		f.Incidents, f.Unregained, micros.OfSpan(f.Regained),
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Faults) UnmarshalJSON(data []byte) error {
	var n faultsNumbers
	if err := json.Unmarshal(data, &n); err != nil {
		return err
	}
	*f = Faults{
		n.Down, n.Offered, n.OfferedBytes, micros.Span(n.LastOffered), micros.Span(n.Avoided),
		n.Incidents, n.Unregained, micros.Span(n.Regained),
	}
	return nil
}

// faultRow is a Fault as files show it.
type faultRow struct {
	Port         string   `parquet:"port,dict" json:"port"`
	Kind         string   `parquet:"kind,dict" json:"kind"`
	From         int64    `parquet:"from_ps" json:"from_ps"`
	To           *int64   `parquet:"to_ps,optional" json:"to_ps"`
	Rate         *int64   `parquet:"rate_bps,optional" json:"rate_bps"`
	Probability  *float64 `parquet:"probability,optional" json:"probability"`
	Lost         int64    `parquet:"lost_frames" json:"lost_frames"`
	LostBytes    int64    `parquet:"lost_bytes" json:"lost_bytes"`
	Flushed      int64    `parquet:"flushed_frames" json:"flushed_frames"`
	Offered      int64    `parquet:"offered_frames" json:"offered_frames"`
	OfferedBytes int64    `parquet:"offered_bytes" json:"offered_bytes"`
	LastOffered  *int64   `parquet:"last_offered_ps,optional" json:"last_offered_ps"`
	Avoided      *int64   `parquet:"avoided_ps,optional" json:"avoided_ps"`
	RateBefore   *int64   `parquet:"rate_before_bps,optional" json:"rate_before_bps"`
	RateTarget   *int64   `parquet:"rate_target_bps,optional" json:"rate_target_bps"`
	Regained     *int64   `parquet:"regained_ps,optional" json:"regained_ps"`
}

func faultRowOf(f Fault) faultRow {
	r := faultRow{
		Port: f.Port, Kind: f.Kind, From: int64(f.From), To: instant(f.To),
		Rate: rateOrNull(f.Rate), Lost: f.Lost, LostBytes: f.LostBytes, Flushed: f.Flushed,
		Offered: f.Offered, OfferedBytes: f.OfferedBytes,
		LastOffered: instant(f.LastOffered), Avoided: instant(f.Avoided),
		RateBefore: rateOrNull(f.RateBefore), RateTarget: rateOrNull(f.RateTarget), Regained: instant(f.Regained),
	}
	if f.Kind == FaultLoss {
		r.Probability = &f.Probability
	}
	return r
}

func (r faultRow) fault() Fault {
	f := Fault{
		Port: r.Port, Kind: r.Kind, From: unit.Time(r.From), To: fromInstant(r.To),
		Rate: fromRate(r.Rate), Lost: r.Lost, LostBytes: r.LostBytes, Flushed: r.Flushed,
		Offered: r.Offered, OfferedBytes: r.OfferedBytes,
		LastOffered: fromInstant(r.LastOffered), Avoided: fromInstant(r.Avoided),
		RateBefore: fromRate(r.RateBefore), RateTarget: fromRate(r.RateTarget), Regained: fromInstant(r.Regained),
	}
	if r.Probability != nil {
		f.Probability = *r.Probability
	}
	return f
}

func rateOrNull(r unit.Rate) *int64 {
	if r == 0 {
		return nil
	}
	return (*int64)(&r)
}

func fromRate(r *int64) unit.Rate {
	if r == nil {
		return 0
	}
	return unit.Rate(*r)
}
