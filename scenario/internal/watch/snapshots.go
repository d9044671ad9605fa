package watch

import (
	"iter"

	"weft/fabric"
	"weft/record"
	"weft/unit"
)

// snapshots records what all ports did in equal spans of the run. The length of the run is
// not known beforehand, so spans begin short. Whenever there would be too many, each two
// spans are merged into one. So the length of spans, and what is kept, depend only on what
// the ports did.
type snapshots struct {
	Nothing
	// survey is nil once the run is over.
	survey *fabric.Survey
	// most is the largest number of spans. It is even.
	most unit.Time
	// span is the length of the spans that are kept. step is the length of the span under
	// way. It is longer than span, by a whole factor, while nothing happens: an idle
	// network is looked at less and less often, and no resolution is lost.
	span, step unit.Time
	// due is the end of the span under way.
	due unit.Time
	// kept holds the spans in which something happened.
	kept  []portSpan
	blank *fabric.Readings   // at the beginning of the run
	spare []*fabric.Readings // readings to reuse
}

// portSpan is a span, with the counts of ports at its end.
type portSpan struct {
	at unit.Time // its index, counted in spans
	*fabric.Readings
}

const (
	// mostCells limits the number of spans times ports. leastSpans is the least number of
	// spans, in any network.
	mostCells  = 1 << 19
	leastSpans = 4
)

// newSnapshots plans about the given number of snapshots of all ports. The length of the
// first spans follows from the round-trip time.
func newSnapshots(s *Scene, about int, rtt unit.Time) *snapshots {
	most := min(about, max(leastSpans, mostCells/(2*len(s.Graph.Links))))
	first := firstSpan(rtt)
	survey := s.Network.Survey()
	return &snapshots{
		survey: survey, blank: survey.Blank(),
		most: unit.Time(most + most%2),
		span: first, step: first, due: first,
	}
}

// spanRTTs is the shortest span in round-trip times. A look at all ports costs as much as
// some thousand events, and splits one of the engine's windows. This many round trips have
// enough of both.
const spanRTTs = 4

// firstSpan returns the length of the first spans: the largest of 1, 2, 5, 10 µs and so on
// that does not exceed spanRTTs round-trip times.
func firstSpan(rtt unit.Time) unit.Time {
	rtt *= spanRTTs
	span := unit.Microsecond
	for decade := span; ; decade *= 10 {
		for _, longer := range []unit.Time{2 * decade, 5 * decade, 10 * decade} {
			if longer > rtt {
				return span
			}
			span = longer
		}
	}
}

// Due returns the end of the span under way.
func (s *snapshots) Due() unit.Time { return s.due }

// Look ends the span under way if it is due, or if the run is over.
func (s *snapshots) Look(m *Moment) error {
	if m.Now < s.due && !m.Over {
		return nil
	}
	var r *fabric.Readings
	if n := len(s.spare); n > 0 {
		r, s.spare = s.spare[n-1], s.spare[:n-1]
	} else {
		r = s.survey.Blank()
	}
	if s.survey.Look(m.Now, s.last(), r) {
		for s.span < s.step {
			s.widen()
		}
		s.kept = append(s.kept, portSpan{(s.due - s.step) / s.span, r})
	} else {
		s.spare = append(s.spare, r)
	}
	if s.due >= s.most*s.step {
		s.step *= 2
	}
	s.due += s.step
	if m.Over {
		s.survey, s.spare = nil, nil
	}
	return nil
}

// last returns the readings at the end of the last kept span.
func (s *snapshots) last() *fabric.Readings {
	if n := len(s.kept); n > 0 {
		return s.kept[n-1].Readings
	}
	return s.blank
}

// widen merges each two spans into one.
func (s *snapshots) widen() {
	s.span *= 2
	wide := s.kept[:0]
	for _, p := range s.kept {
		p.at /= 2
		if n := len(wide); n > 0 && wide[n-1].at == p.at {
			s.spare = append(s.spare, wide[n-1].Readings)
			wide[n-1] = p
			continue
		}
		wide = append(wide, p)
	}
	clear(s.kept[len(wide):])
	s.kept = wide
}

// Rows returns the number of rows.
func (s *snapshots) Rows() (n int) {
	for range s.all() {
		n++
	}
	return n
}

// Section adds the rows of all spans.
func (s *snapshots) Section(_ *Moment, res *record.Result) {
	res.Snapshots = make([]record.Snapshot, 0, s.Rows())
	for port, row := range s.all() {
		row.Port = res.Ports[port].Name
		res.Snapshots = append(res.Snapshots, row)
	}
	if len(res.Snapshots) > 0 {
		res.Manifest.SnapshotInterval = s.span
	}
}

// all yields what each port did in each span, if it did anything. A row has the port's
// number instead of its name.
func (s *snapshots) all() iter.Seq2[int, record.Snapshot] {
	return func(yield func(int, record.Snapshot) bool) {
		last := s.blank
		for _, p := range s.kept {
			for i := range p.Sent {
				row := record.Snapshot{
					Time:        p.at * s.span,
					Transmitted: int64(p.Sent[i] - last.Sent[i]),
					Queue:       int64(p.Queued[i]),
					Dropped:     dropped(p.Readings, i) - dropped(last, i),
				}
				if row.Transmitted|row.Queue|row.Dropped != 0 && !yield(i, row) {
					return
				}
			}
			last = p.Readings
		}
	}
}

func dropped(r *fabric.Readings, port int) int64 {
	if r.Dropped == nil {
		return 0
	}
	return int64(r.Dropped[port])
}
