package scenario

import (
	"weft/scenario/internal/watch"
	"weft/unit"
)

// watched is what scenario's own observers look at: a run's plan, its network, and how far it is.
type watched struct {
	watch.Nothing
	*plan
	*watch.Scene
	*watch.Moment
}

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

// find returns the observer of a type, if a list has it.
func find[T watch.Observer](list []watch.Observer) (found T, ok bool) {
	for _, o := range list {
		if found, ok = o.(T); ok {
			return found, true
		}
	}
	return found, false
}

// nextDue returns the next time at which an observer wants to look.
func nextDue(list []watch.Observer) unit.Time {
	t := unit.Forever
	for _, o := range list {
		t = min(t, o.Due())
	}
	return t
}
