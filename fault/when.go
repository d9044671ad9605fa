package fault

import (
	"fmt"

	"weft/problem"
	"weft/unit"
)

// When sets when a fault begins and how long it lasts.
type When struct {
	At    unit.Time  `yaml:"at" default:"0ns" doc:"When the fault begins."`
	For   *unit.Time `yaml:"for" doc:"How long it lasts (default: to the end). With every, the duration for each link or switch."`
	Every *unit.Time `yaml:"every" doc:"Delay from one link or switch to the next, in random order if they are drawn at random, else in that of the topology (default: all at once)." min:"1ps"`
}

// ends returns the first instant of the fault at its first target, and the first instant after it.
func (w When) ends() (from, to unit.Time, err error) {
	if w.At < 0 {
		return 0, 0, problem.At("at", "at is %v", w.At).Mend("it cannot be before the run")
	}
	if w.Every != nil && *w.Every <= 0 {
		return 0, 0, problem.At("every", "every is %v", *w.Every).Mend("give more than 0, or leave it out for all at once")
	}
	if w.For == nil {
		return w.At, unit.Forever, nil
	}
	if *w.For <= 0 {
		return 0, 0, problem.At("for", "for is %v", *w.For).Mend("give more than 0, or leave it out for a fault without end")
	}
	return w.At, after(w.At, *w.For), nil
}

// after returns t + d, capped at Forever.
func after(t, d unit.Time) unit.Time {
	if d > unit.Forever-t {
		return unit.Forever
	}
	return t + d
}

// during returns a copy of e for each port, timed by w, and marks at its ends.
// Errors begin with the name of the fault.
func (t targets) during(name string, w When, e Episode, begins, ends string) ([]Episode, []Mark, error) {
	from, to, err := w.ends()
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	if w.Every == nil {
		e.From, e.To = from, to
		list, marks := t.together(e, begins, ends)
		return list, marks, nil
	}
	var list []Episode
	var marks []Mark
	for i, m := range t.members {
		step := unit.Time(i)
		if step > 0 && *w.Every > (unit.Forever-w.At)/step {
			return nil, nil, problem.At("every", "%s: every is %v, so number %d would come after the end of time", name, *w.Every, i+1)
		}
		e.From, e.To = w.At+step**w.Every, unit.Forever
		if w.For != nil {
			e.To = after(e.From, *w.For)
		}
		one := targets{[]member{m}, m.name}
		episodes, at := one.together(e, begins, ends)
		list = append(list, episodes...)
		if len(t.members) <= mostListed {
			marks = append(marks, at...)
		} else if i == 0 || i == len(t.members)-1 {
			marks = append(marks, Mark{At: e.From, What: fmt.Sprintf("%s %s, number %d of %s", m.name, begins, i+1, t.label)})
		}
	}
	return list, marks, nil
}

// together returns a copy of e for each port, and marks at its ends.
func (t targets) together(e Episode, begins, ends string) ([]Episode, []Mark) {
	marks := []Mark{{At: e.From, What: t.label + " " + begins}}
	if e.What == Up {
		e.To = 0
	} else if e.To != unit.Forever {
		marks = append(marks, Mark{At: e.To, What: t.label + " " + ends})
	}
	ports := t.ports()
	list := make([]Episode, len(ports))
	for i, p := range ports {
		e.Port = p
		list[i] = e
	}
	return list, marks
}
