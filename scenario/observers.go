package scenario

import (
	"weft/scenario/internal/watch"
)

// observersOf returns the observers of a run, in the order in which they look and write
// their sections.
func observersOf(w watched, f *failures, m *window) []watch.Observer {
	f.watched, m.watched = w, w
	f.countPending()
	list := watch.Of(w.Scene, &w.records, w.derived.rtt)
	list = append(list, f, newSteadiness(w))
	for _, one := range features() {
		if one.watch == nil {
			continue
		}
		if o := one.watch(w, m); o != nil {
			list = append(list, o)
		}
	}
	list = append(list, newLosses(w, m), newOverruns(w, m), newLockstep(w), m, newProgress(w))
	m.others = list
	return list
}
