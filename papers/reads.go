package papers

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"weft/config"
)

// reader collects which metrics and measures a ledger reads of each study.
type reader struct {
	*Ledger
	of map[string]map[string]bool
}

// metricsRead returns the metrics that claims, tables and figures read of each study, by its id.
// Only these are published: the result hash stands for the others. Studies of one scenario
// file share runs, and so what is read of them.
func (l *Ledger) metricsRead() map[string]map[string]bool {
	n := reader{l, map[string]map[string]bool{}}
	for i := range l.Studies {
		s := &l.Studies[i]
		n.add(s.ID, l.Scales.Beside...)
		for j := range s.Draw {
			if d := &s.Draw[j]; d.plain() {
				n.add(s.ID, d.metrics()...)
			}
		}
	}
	for i := range l.Tables {
		n.table(&l.Tables[i], "")
	}
	for i := range l.Claims {
		c := &l.Claims[i]
		n.checks(c.Checks, c.context())
		for j := range c.Explanations {
			x := &c.Explanations[j]
			n.checks(x.Checks, c.changed(x))
		}
	}
	return n.shared()
}

// shared gives studies of one scenario file what is read of each.
func (n reader) shared() map[string]map[string]bool {
	ofFile := map[string]map[string]bool{}
	for i := range n.Studies {
		s := &n.Studies[i]
		for j := range s.Measures {
			delete(n.of[s.ID], s.Measures[j].Name) // which has a column of its own
		}
		if ofFile[s.Scenario] == nil {
			ofFile[s.Scenario] = map[string]bool{}
		}
		maps.Copy(ofFile[s.Scenario], n.of[s.ID])
	}
	for i := range n.Studies {
		n.of[n.Studies[i].ID] = ofFile[n.Studies[i].Scenario]
	}
	return n.of
}

// add notes metrics of a study. How many of the messages of a metric's group there were, and
// how many did not finish, is said beside its number.
func (n reader) add(study string, metrics ...string) {
	if n.of[study] == nil {
		n.of[study] = map[string]bool{}
	}
	for _, m := range metrics {
		group := m[:strings.LastIndexByte(m, '.')+1]
		for _, name := range []string{m, group + "messages", group + "unfinished"} {
			n.of[study][name] = true
		}
	}
}

func (n reader) checks(list []Check, in surroundings) {
	for i := range list {
		c := &list[i]
		switch {
		case c.Theory != nil:
		case c.Table != nil:
			n.tableCheck(c.Table)
		default:
			of, over, metric := c.sides()
			for _, side := range []*config.Node{of, over} {
				n.add(cmp.Or(text(side, studyKey), c.Study, in.study), cmp.Or(text(side, metricKey), metric, in.metric))
			}
		}
	}
}

// text is the value of a key of a side of a check, empty without one.
func text(n *config.Node, key string) string {
	if v := n.Get(key); v != nil {
		return v.Text
	}
	return ""
}

// tableCheck notes what a check reads of its tables, and of the studies that stand in for
// cells of them.
func (n reader) tableCheck(c *TableCheck) {
	for _, one := range c.each() {
		t, ok := n.TableNamed(one.Of)
		if !ok {
			continue
		}
		n.table(t, one.Metric)
		for _, r := range one.Instead {
			n.add(r.Study, append(t.Unstable.metrics(), cmp.Or(one.Metric, t.Metric))...)
		}
	}
}

// table notes what a table reads, with another metric in the place of its own if there is one.
func (n reader) table(t *Table, metric string) {
	for _, f := range t.Of.Fields {
		n.add(f.Value.Text, append(t.Unstable.metrics(), cmp.Or(metric, t.Metric))...)
	}
}

// plain tells whether a figure shows metrics of its own study.
func (d *Draw) plain() bool { return slices.Contains([]string{"bars", "lines", "curve"}, d.Kind) }
