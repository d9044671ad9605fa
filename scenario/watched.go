package scenario

import (
	"weft/scenario/internal/watch"
	"weft/unit"
)

// watched is embedded in scenario's own observers: the plan of a run, its network, and its
// current moment.
type watched struct {
	watch.Nothing
	*plan
	*watch.Scene
	*watch.Moment
}

// find returns the observer of a type in a list.
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
