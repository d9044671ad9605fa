package fabric

// WalkLanes sets when a frame moves down one class on its way, so that pauses of different
// classes cannot wait for each other in a cycle (docs/design/0013-detours.md). A frame in
// the first lane of its priority, or in class 0, keeps its class.
type WalkLanes uint8

const (
	// NoLanes leaves frames in their class.
	NoLanes WalkLanes = iota
	// LanePerHop moves frames down on each link between switches after the first.
	LanePerHop
	// LanePerPhase moves a frame down when it turns from its intermediate switch to its
	// destination, and when it turns to an intermediate only after the first switch.
	LanePerPhase
)

// Needed returns how many classes lanes need for a frame, including the class of its transport, if
// walks have the given numbers of phases (route.Policy.Phases) and of links between switches.
func (l WalkLanes) Needed(phases, links int) int {
	switch l {
	case LanePerHop:
		return max(1, links)
	case LanePerPhase:
		return phases
	}
	return 1
}

// demote moves a frame to the next lane.
func (g *walker) demote(f *Frame, from via) via {
	old := f.Priority()
	if g.lowest>>old&1 != 0 {
		return from
	}
	f.SetPriority(old - 1)
	return from.into(old, old-1)
}
