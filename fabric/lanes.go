package fabric

// WalkLanes is when the class of a frame falls by one on its way, so that pauses of different classes cannot wait
// for each other in a circle (docs/design/0013-detours.md). A frame in the first lane of its priority, or in class 0, keeps it.
type WalkLanes uint8

const (
	// NoLanes leaves frames in their class.
	NoLanes WalkLanes = iota
	// LanePerHop has the class fall with each link between switches after the first.
	LanePerHop
	// LanePerPhase has it fall when a frame that came to an intermediate turns to its destination, or to an
	// intermediate only after the first switch.
	LanePerPhase
)

// Needed returns how many classes lanes take of a frame, that of its transport included, if walks have so many phases
// (route.Policy.Phases) and links between switches.
func (l WalkLanes) Needed(phases, links int) int {
	switch l {
	case LanePerHop:
		return max(1, links)
	case LanePerPhase:
		return phases
	}
	return 1
}

// fall puts a frame into the next lane.
func (g *walker) fall(f *Frame, from via) via {
	old := f.Priority()
	if g.lowest>>old&1 != 0 {
		return from
	}
	f.SetPriority(old - 1)
	return from.into(old, old-1)
}
