package scenario

import (
	"weft/scenario/internal/watch"
)

// observersOf returns what looks at a run, in the order in which it looks, and in which sections are written.
func observersOf(w watched, f *failures, m *window) []watch.Observer {
	f.watched, m.watched = w, w
	f.foresee()
	list := watch.Of(w.Scene, &w.records, w.derived.rtt)
	list = append(list, f, newSteadiness(w))
	for _, make := range features {
		if o := make(w, m); o != nil {
			list = append(list, o)
		}
	}
	list = append(list, newLosses(w, m), newOverruns(w, m), newLockstep(w), m, newProgress(w))
	m.others = list
	return list
}

// features make the observers of what a plan may have, nil where it does not.
var features = []func(watched, *window) watch.Observer{
	watchPauses, watchDeflections, watchDetours, watchCreditPackets,
}
