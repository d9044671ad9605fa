package record

// Detours sums up which packets left minimal paths for an intermediate (routing.policy: valiant, ugal, par) within the
// measured window.
type Detours struct {
	// Packets counts those that came from hosts to first switches and went on to others; Detours those of them that took a
	// detour, and Turned those that were sent to it by their second switch.
	Packets int64 `json:"packets"`
	Detours int64 `json:"detours"`
	Turned  int64 `json:"turned"`
	// Laneless counts hops for which a packet should have changed to another lane and had none left.
	Laneless int64 `json:"laneless"`
}

// Share returns the share of packets that took a detour, 0 without any.
func (s *Detours) Share() float64 {
	if s.Packets == 0 {
		return 0
	}
	return float64(s.Detours) / float64(s.Packets)
}

// metrics returns nothing for runs without detours.
func (s *Detours) metrics() []Metric {
	if s == nil {
		return nil
	}
	return []Metric{
		{Name: "detours_percent", Title: "packets on detours", Unit: "%", Value: 100 * s.Share(), Neutral: true},
		{Name: "detours_turned", Title: "packets sent to detours by their second switch", Value: float64(s.Turned), Neutral: true},
		{Name: "laneless_hops", Title: "hops without a lane left", Value: float64(s.Laneless)},
	}
}
