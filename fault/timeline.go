package fault

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"weft/problem"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

// Timeline is everything that the faults of a run do, in order of time.
type Timeline struct {
	// Changes are sorted by time, port and effect. Each one changes something.
	Changes []Change
	// Missing lists the permanently absent links, in order. Changes take them down at 0 and never up.
	Missing []topo.LinkID
	// Marks are sorted by time, then by order of declaration.
	Marks []Mark
	// Struck records where and when each fault strikes, by index in the list of faults.
	Struck []Struck
	// Drawn records what chance chose, by fault.
	Drawn []Drawn
	// Notices warn of effects that a user may not have intended, such as hosts cut off.
	Notices []string
}

// Error reports which fault of a timeline is wrong.
type Error struct {
	// Index is the index of the fault in the list, from 0.
	Index int
	Err   error
}

// Error names the fault by its position, counted from 1.
func (e *Error) Error() string { return fmt.Sprintf("fault %d: %v", e.Index+1, e.Err) }

// Unwrap returns what is wrong with the fault.
func (e *Error) Unwrap() error { return e.Err }

// Options set how a network reacts to faults.
type Options struct {
	// Follow sets Site.Follow.
	Follow bool
}

// NewTimeline merges faults. Fault i draws its targets from its own random stream,
// seeded by seed and i.
//
// Episodes of one port may overlap. The port is down while any Down or Missing is in
// force. Its rate and its loss come from the episode in force that began last. If two
// began at the same instant, the fault declared later wins. With none in force, the
// graph's rate applies and nothing is lost. At one instant, ends precede beginnings.
//
// Cutting hosts off is an error: at no time may the faults that do not allow it, taken
// by themselves, leave hosts without a path to the rest on which every link works in
// both directions. If faults that allow it cut hosts off, a notice reports it.
//
// The error is one *Error, or several joined, one per faulty fault.
func NewTimeline(faults []Fault, g *topo.Graph, seed uint64, o Options) (*Timeline, error) {
	var t Timeline
	var all merged
	lenient := make([]bool, len(faults))
	broken := make([]bool, len(g.Links))
	var wrong []error
	for i, f := range faults {
		r := sim.Stream(seed, uint64(i), "fault targets")
		lenient[i] = allowsCutoff(f)
		episodes, marks, err := f.Expand(Site{Graph: g, Rand: &r, Broken: slices.Clone(broken), Follow: o.Follow, Drew: func(d Drawn) {
			d.Fault = i
			t.Drawn = append(t.Drawn, d)
		}})
		for _, e := range episodes {
			if err == nil {
				err = e.check(g)
			}
		}
		if err != nil {
			wrong = append(wrong, &Error{Index: i, Err: err})
			continue
		}
		for _, e := range episodes {
			if e.takesDown() {
				broken[e.Port.Link()] = true
			}
			if e.What == Missing {
				t.Missing = append(t.Missing, e.Port.Link())
			}
			all.episodes = append(all.episodes, e)
			all.of = append(all.of, int32(i))
		}
		t.Struck = append(t.Struck, strike(episodes))
		t.Marks = append(t.Marks, marks...)
	}
	if len(wrong) == 1 {
		return nil, wrong[0]
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	slices.Sort(t.Missing)
	t.Missing = slices.Compact(t.Missing)
	slices.SortStableFunc(t.Marks, func(a, b Mark) int { return cmp.Compare(a.At, b.At) })
	t.Changes = changes(g, all.episodes)
	var err error
	if t.Notices, err = all.checkHosts(g, t.Changes, lenient); err != nil {
		return nil, err
	}
	return &t, nil
}

// merged holds the episodes of several faults.
type merged struct {
	episodes []Episode
	of       []int32 // index of the fault of each episode
}

// checkHosts looks for hosts that are cut off, given the changes that all episodes
// make together. Lenient faults may cut hosts off, which only gives a notice.
func (m *merged) checkHosts(g *topo.Graph, made []Change, lenient []bool) (notices []string, err error) {
	strict, own := m, made
	if slices.Contains(lenient, true) {
		strict = new(merged)
		for i, e := range m.episodes {
			if e.What == Up || !lenient[m.of[i]] {
				strict.episodes = append(strict.episodes, e)
				strict.of = append(strict.of, m.of[i])
			}
		}
		own = changes(g, strict.episodes)
	}
	if c, found := cutOff(g, own); found {
		return nil, &Error{Index: strict.lastDown(c.at), Err: problem.At("at", "%s", c.String()).
			Mend("choose other links, sample them with keep_connected: true, or write allow_cutoff: true if that is intended")}
	}
	if strict == m {
		return nil, nil
	}
	if c, found := cutOff(g, made); found {
		notices = append(notices, c.String())
	}
	return notices, nil
}

// lastDown returns the last fault that takes something down at the given time.
func (m *merged) lastDown(at unit.Time) (fault int) {
	for i, e := range m.episodes {
		if e.From == at && e.takesDown() {
			fault = max(fault, int(m.of[i]))
		}
	}
	return fault
}

// check finds mistakes in faults that users implemented themselves.
func (e *Episode) check(g *topo.Graph) error {
	switch {
	case e.Port < 0 || int(e.Port) >= 2*len(g.Links):
		return fmt.Errorf("there is no port %d; the graph has %d", e.Port, 2*len(g.Links))
	case e.From < 0:
		return fmt.Errorf("an episode of %s begins at a negative time", g.PortName(e.Port))
	case e.What > Missing:
		return fmt.Errorf("unknown %v of %s", e.What, g.PortName(e.Port))
	case e.What != Up && e.To <= e.From:
		return fmt.Errorf("an episode of %s ends at %v, not after its begin at %v", g.PortName(e.Port), e.To, e.From)
	case e.What == Missing && (e.From != 0 || e.To != unit.Forever):
		return fmt.Errorf("%s is missing from %v to %v; a missing link is absent from the start, permanently", g.PortName(e.Port), e.From, e.To)
	case e.What == SetRate && e.Rate <= 0:
		return fmt.Errorf("the rate of %s would be %v; it must be more than 0, or take the link down", g.PortName(e.Port), e.Rate)
	case e.What == SetLoss && !(e.Loss >= 0 && e.Loss <= 1):
		return fmt.Errorf("the loss of %s would be %v; it lies between 0%% and 100%%", g.PortName(e.Port), e.Loss)
	}
	return nil
}

// boundary is the beginning or the end of an episode.
type boundary struct {
	at      unit.Time
	port    topo.PortID
	episode int32
	begin   bool
}

// changes reduces overlapping episodes to their combined changes.
func changes(g *topo.Graph, episodes []Episode) []Change {
	boundaries := make([]boundary, 0, 2*len(episodes))
	for i, e := range episodes {
		boundaries = append(boundaries, boundary{at: e.From, port: e.Port, episode: int32(i), begin: true})
		if e.What != Up && e.To != unit.Forever {
			boundaries = append(boundaries, boundary{at: e.To, port: e.Port, episode: int32(i)})
		}
	}
	slices.SortFunc(boundaries, func(a, b boundary) int {
		return cmp.Or(
			cmp.Compare(a.port, b.port),
			cmp.Compare(a.at, b.at),
			order(a.begin, b.begin),
			cmp.Compare(a.episode, b.episode))
	})
	var list []Change
	var inForce []int32
	for i := 0; i < len(boundaries); {
		b := boundaries[i]
		if i == 0 || boundaries[i-1].port != b.port {
			inForce = inForce[:0]
		}
		before := effective(g, b.port, episodes, inForce)
		for ; i < len(boundaries) && boundaries[i].port == b.port && boundaries[i].at == b.at; i++ {
			inForce = boundaries[i].apply(episodes, inForce)
		}
		list = before.changes(list, effective(g, b.port, episodes, inForce), b.at, b.port)
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Port, b.Port), cmp.Compare(a.What, b.What))
	})
	return list
}

// order puts false before true.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// apply updates the list of episodes in force on a port, ordered by their beginning.
func (b *boundary) apply(episodes []Episode, inForce []int32) []int32 {
	switch {
	case !b.begin:
		// An Up may have ended it already.
		return slices.DeleteFunc(inForce, func(i int32) bool { return i == b.episode })
	case episodes[b.episode].What == Up:
		return slices.DeleteFunc(inForce, func(i int32) bool { return episodes[i].What == Down })
	}
	return append(inForce, b.episode)
}

// state is the condition of a port.
type state struct {
	down bool
	rate unit.Rate
	loss unit.Ratio
}

func effective(g *topo.Graph, p topo.PortID, episodes []Episode, inForce []int32) state {
	s := state{rate: g.Links[p.Link()].Rate}
	for _, i := range inForce {
		switch e := &episodes[i]; e.What {
		case Down, Missing:
			s.down = true
		case SetRate:
			s.rate = e.Rate
		case SetLoss:
			s.loss = e.Loss
		}
	}
	return s
}

// changes appends the changes that turn s into another state of a port.
func (s state) changes(list []Change, to state, at unit.Time, p topo.PortID) []Change {
	if s.down != to.down {
		what := Up
		if to.down {
			what = Down
		}
		list = append(list, Change{At: at, Port: p, What: what})
	}
	if s.rate != to.rate {
		list = append(list, Change{At: at, Port: p, What: SetRate, Rate: to.rate})
	}
	if s.loss != to.loss {
		list = append(list, Change{At: at, Port: p, What: SetLoss, Loss: to.loss})
	}
	return list
}
