package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/fabric"
	"weft/scenario/internal/watch"
	"weft/topo"
	"weft/unit"
)

// FirstDifference runs two scenarios side by side, event by event, and describes the first
// event in which they differ. It returns "" if they never differ. Two runs of one scenario
// do not differ, whatever their engines. So FirstDifference finds where a change of the
// program or of the scenario begins to matter.
func FirstDifference(ctx context.Context, a, b *Scenario) (string, error) {
	left, err := newTracer(a)
	if err != nil {
		return "", err
	}
	right, err := newTracer(b)
	if err != nil {
		return "", err
	}
	const step = unit.Microsecond
	for t := step; ; t += step {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		// Skip time without events in either run.
		if next := min(left.next(), right.next()); next > t {
			if next == unit.Forever {
				return "", nil
			}
			t = next + 1
		}
		if err := left.to(t); err != nil {
			return "", err
		}
		if err := right.to(t); err != nil {
			return "", err
		}
		if left.digest() != right.digest() {
			return differ(left, right), nil
		}
		left.forget()
		right.forget()
	}
}

// tracer is a run that remembers its latest events.
type tracer struct {
	*run
	events [][]fabric.Event // by domain
}

func newTracer(s *Scenario) (*tracer, error) {
	p, err := s.plan(nil)
	if err != nil {
		return nil, err
	}
	t := new(tracer)
	observe := func(domain int, e fabric.Event) { t.events[domain] = append(t.events[domain], e) }
	t.run, err = p.assemble(RunOptions{observe: observe}, 1, 0, queueKinds[s.Engine.Queue])
	if err != nil {
		return nil, err
	}
	t.events = make([][]fabric.Event, t.domains)
	// Clone the list, since the window holds one in the same memory.
	t.observers = slices.DeleteFunc(slices.Clone(t.observers), func(o watch.Observer) bool { _, ends := o.(*progress); return ends })
	return t, nil
}

// next returns a time before which nothing happens, or Forever if nothing will.
func (t *tracer) next() unit.Time {
	if t.Now >= t.times.until {
		return unit.Forever
	}
	if n := t.Network.Bound(); n < t.times.until {
		return min(n, t.nextControl())
	}
	if settled(t.Transport) {
		return unit.Forever
	}
	return t.nextControl()
}

// to runs up to a time.
func (t *tracer) to(end unit.Time) error {
	for end = min(end, t.times.until); t.Now < end; {
		if err := t.control(); err != nil {
			return err
		}
		next := min(t.nextControl(), end)
		t.Network.Run(next, 1)
		t.Now = next
	}
	return nil
}

// digest returns a hash of the remembered events that does not depend on their order.
func (t *tracer) digest() (sum uint64) {
	for _, events := range t.events {
		for _, e := range events {
			sum += e.Digest()
		}
	}
	return sum
}

func (t *tracer) forget() {
	for i := range t.events {
		t.events[i] = t.events[i][:0]
	}
}

// ordered returns the remembered events by time, and events of one instant by their place.
func (t *tracer) ordered() []fabric.Event {
	all := slices.Concat(t.events...)
	slices.SortStableFunc(all, func(a, b fabric.Event) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Port, b.Port), cmp.Compare(a.Host, b.Host))
	})
	return all
}

// differ describes the first remembered event that differs.
func differ(left, right *tracer) string {
	a, b := left.ordered(), right.ordered()
	for i := range max(len(a), len(b)) {
		switch {
		case i >= len(a):
			return only("second", b[i], right.graph)
		case i >= len(b):
			return only("first", a[i], left.graph)
		case a[i].Digest() == b[i].Digest():
		case a[i].At < b[i].At:
			return only("first", a[i], left.graph)
		case a[i].At > b[i].At:
			return only("second", b[i], right.graph)
		default:
			return fmt.Sprintf("first:  %s\nsecond: %s", a[i].Describe(left.graph), b[i].Describe(right.graph))
		}
	}
	return ""
}

func only(which string, e fabric.Event, g *topo.Graph) string {
	return fmt.Sprintf("only in the %s: %s", which, e.Describe(g))
}
