// Package sim is a discrete-event engine for systems of entities that are cut
// into domains. It holds time, the schedulers and the random streams, and knows
// nothing of what the entities are: it stores (time, entity) and calls one
// dispatch function a domain.
package sim

import "weft/unit"

// Time is simulated time in picoseconds.
type Time = unit.Time

// Forever is later than any event.
const Forever = unit.Forever
