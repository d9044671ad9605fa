package dart

import "weft/unit"

// rates measures what comes in over a span, which is cut into slots.
type rates struct {
	slot  unit.Time
	bytes [slots + 1]unit.Bytes // of the present slot and those before, by number modulo their count
	now   int64                 // number of the present slot
	// began is when the measurement did.
	began unit.Time
}

const slots = 8

// begin starts the measurement: what came before counts no more.
func (r *rates) begin(now unit.Time) {
	r.bytes, r.began, r.now = [slots + 1]unit.Bytes{}, now, int64(now/r.slot)
}

// add notes what came in.
func (r *rates) add(now unit.Time, wire unit.Bytes) {
	r.pass(now)
	r.bytes[r.now%int64(len(r.bytes))] += wire
}

// pass empties the slots that began since.
func (r *rates) pass(now unit.Time) {
	n := int64(now / r.slot)
	if n-r.now >= int64(len(r.bytes)) {
		r.bytes = [slots + 1]unit.Bytes{}
	} else {
		for k := r.now + 1; k <= n; k++ {
			r.bytes[k%int64(len(r.bytes))] = 0
		}
	}
	r.now = n
}

// reaches tells whether the mean rate is at least the given one, over the last one to one and an
// eighth spans, or since the measurement began.
func (r *rates) reaches(now unit.Time, rate unit.Rate) bool {
	r.pass(now)
	var sum unit.Bytes
	for _, b := range r.bytes {
		sum += b
	}
	from := max(r.began, unit.Time(r.now-slots)*r.slot)
	return sum >= rate.In(now-from)
}
