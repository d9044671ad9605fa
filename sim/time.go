// Package sim is a discrete-event engine for systems of entities that are partitioned
// into domains. It holds time, schedulers and random streams. It does not know what the
// entities are: it stores (time, entity) and calls one handler per domain.
package sim

import "weft/unit"

// Time is simulated time in picoseconds.
type Time = unit.Time

// Forever is later than any event.
const Forever = unit.Forever
