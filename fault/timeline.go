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

// Timeline is all that the faults of a run do, in the order in which it happens.
type Timeline struct {
	// Changes are sorted by time, port and effect. Each one changes something.
	Changes []Change
	// Missing are the links that are not there at all, in order. Changes take them
	// down at 0, and never up.
	Missing []topo.LinkID
	// Marks are sorted by time and order of declaration.
	Marks []Mark
	// Struck is where and when each fault strikes, by its place in the list.
	Struck []Struck
	// Drawn is what chance chose, by fault.
	Drawn []Drawn
	// Notices tell what a user may not have meant, such as hosts cut off.
	Notices []string
}

// Error tells which of the faults of a timeline is wrong.
type Error struct {
	// Index is the place of the fault in the list, from 0.
	Index int
	Err   error
}

// Error names the fault by its place, counted from 1.
func (e *Error) Error() string { return fmt.Sprintf("fault %d: %v", e.Index+1, e.Err) }

// Unwrap returns what is wrong with the fault.
func (e *Error) Unwrap() error { return e.Err }

// Options say how a network takes faults.
type Options struct {
	// Follow is for Site.Follow.
	Follow bool
}

// NewTimeline merges faults. Fault i chooses its targets from its own stream, of
// the seed and i.
//
// Where episodes of one port overlap, the port is up when none of its downs is
// in force; its rate and its loss are those of the episode that began last among
// those in force, and of two that began at the same instant that of the fault
// declared later; with none in force they are the graph's. At one instant, ends
// come before beginnings.
//
// What cuts hosts off is an error: if at some time the faults that do not allow it
// leave hosts, by themselves, without a path to the rest whose links work in both
// directions. Where faults that allow it do so, a notice says so.
//
// Its error is an *Error for each fault that is wrong, joined if these are several.
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

// merged are the episodes of several faults.
type merged struct {
	episodes []Episode
	of       []int32 // the fault of each
}

// checkHosts looks for hosts that are cut off, given the changes that all episodes
// make together. The downs of lenient faults may cut, which gives a notice.
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

// lastDown returns the last of the faults that take something down at a time.
func (m *merged) lastDown(at unit.Time) (fault int) {
	for i, e := range m.episodes {
		if e.From == at && e.takesDown() {
			fault = max(fault, int(m.of[i]))
		}
	}
	return fault
}

// check finds mistakes of faults that users wrote themselves.
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

// boundary is the begin or the end of an episode.
type boundary struct {
	at      unit.Time
	port    topo.PortID
	episode int32
	begin   bool
}

// changes reduces episodes to the changes that they make together.
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

// apply updates the episodes of a port that are in force, in order of their begin.
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

// state is what a port is like.
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

// changes appends what leads from s to another state of a port.
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
