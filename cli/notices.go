package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"weft/config"
	"weft/internal/readable"
	"weft/papers"
	"weft/record"
	"weft/study"
)

// built is a scenario that was built to see what is wrong with it, and what should be
// known of it though nothing is.
type built struct {
	name    string
	notices []string
	derived []record.Derived
	load    *record.Load
}

// gathered lists what should be known of scenarios, each notice once and with those that
// it is about, which about names; it is empty if that goes without saying.
func gathered(list []built, about func(names []string) string) []string {
	names := map[string][]string{}
	var order []string
	for _, b := range list {
		for _, n := range b.notices {
			if names[n] == nil {
				order = append(order, n)
			}
			names[n] = append(names[n], b.name)
		}
	}
	for i, n := range order {
		if who := about(names[n]); who != "" {
			order[i] = who + ": " + n
		}
	}
	return order
}

// unitsOf tells what queues, thresholds and windows of scenarios are counted in, each value
// once and with those that it is of.
func unitsOf(list []built, about func(names []string) string) []string {
	var told []built
	for _, b := range list {
		values := map[string]float64{}
		for _, d := range b.derived {
			values[d.Name] = d.Value
		}
		if rtt, bdp := values["base_rtt"], values["bdp"]; rtt > 0 && bdp > 0 {
			text := fmt.Sprintf("base RTT %.3f µs, BDP %.0f B (%s)", rtt, bdp, readable.Count(int(values["bdp_packets"]), "full packet"))
			told = append(told, built{name: b.name, notices: []string{text}})
		}
	}
	return gathered(told, about)
}

// loadsOf tells what links are expected to carry, each line once and with those that it is
// about.
func loadsOf(list []built, about func(names []string) string) []string {
	var told []built
	for _, b := range list {
		if b.load != nil {
			told = append(told, built{name: b.name, notices: []string{b.load.String()}})
		}
	}
	return gathered(told, about)
}

// ofVariants names some of a file's variants, which are few, unless they are all.
func ofVariants(all int) func(names []string) string {
	return func(names []string) string {
		if len(names) == all {
			return ""
		}
		return strings.Join(names, ", ")
	}
}

// ofCells names some of a study's cells, which can be thousands, unless they are all;
// looked is how many were built.
func ofCells(looked, all int) func(names []string) string {
	of := fmt.Sprintf("%d cells", all)
	if looked < all {
		of = fmt.Sprintf("%d cells checked", looked)
	}
	return func(names []string) string {
		switch len(names) {
		case all:
			return ""
		case 1:
			return fmt.Sprintf("cell %q", names[0])
		}
		return fmt.Sprintf("%d of %s, first %q", len(names), of, names[0])
	}
}

// verifyTime bounds how long cells are looked at before the first run: what is
// wrong with the others is told by their runs.
const verifyTime = 2 * time.Second

// verifyPlan builds cells without running them, and tells what should be known of them.
func (p *program) verifyPlan(ctx context.Context, plan *study.Plan) ([]built, error) {
	list, err := buildCells(ctx, plan, "")
	if err != nil {
		return nil, err
	}
	p.noticesOfCells(list, len(plan.Cells), "weft validate")
	return list, nil
}

// verifyStudies is verifyPlan for those studies of a ledger that have plans: they share
// scenarios, and so what should be known of these. It is told to who can act on it.
func (p *program) verifyStudies(ctx context.Context, e *papers.Evaluator, chosen []*papers.Study, tell bool) error {
	errs := new(config.Error)
	said := map[string]bool{}
	var all []built
	cells := 0
	for _, s := range chosen {
		planned := e.Planned[s.ID]
		if planned == nil {
			continue
		}
		list, err := buildCells(ctx, planned.Plan, s.ID+": ")
		// Each study reads its scenario anew, so that the same mistake is at another place.
		own := new(config.Error)
		own.Append(err)
		own.Problems = slices.DeleteFunc(own.Problems, func(q config.Problem) bool {
			again := said[q.String()]
			said[q.String()] = true
			return again
		})
		errs.Append(own)
		all = append(all, list...)
		cells += len(planned.Cells)
	}
	if len(errs.Problems) == 0 && tell {
		p.noticesOfCells(all, cells, "weft papers validate")
	}
	return errs.Err()
}

// buildCells builds as many cells of a plan as a short time allows. Their names have
// study before them.
func buildCells(ctx context.Context, plan *study.Plan, study string) ([]built, error) {
	began := time.Now()
	verified, err := plan.Verify(func(int) bool { return ctx.Err() == nil && time.Since(began) < verifyTime })
	list := make([]built, len(verified))
	for i, v := range verified {
		list[i] = built{study + plan.Cells[v.Cell].Name, v.Notices, v.Derived, v.Load}
	}
	return list, err
}

// mostNotices is how many notices of cells a command shows that goes on to other things:
// with axes such as load, each level may have its own.
const mostNotices = 8

// noticesOfCells writes what should be known of cells; validates is the command that
// leaves nothing out.
func (p *program) noticesOfCells(list []built, all int, validates string) {
	notices := gathered(list, ofCells(len(list), all))
	if more := len(notices) - mostNotices; more > 0 && !p.allProblems {
		notices = append(notices[:mostNotices], fmt.Sprintf("and %d more of these; %s shows all", more, validates))
	}
	p.notices(notices)
}

// mostIdle is how many options that never acted have a line each.
const mostIdle = 4

// neverActed tells which options had no effect, a line for each as long as they are few.
func neverActed(done []record.Summary) []string {
	names := make([]string, len(done))
	for i := range done {
		names[i] = done[i].Name
	}
	list := record.GatherIdle(names, func(run int) []record.Idle { return done[run].NeverActed })
	var lines, others []string
	for i := range list {
		if i < mostIdle || len(list) == mostIdle+1 {
			lines = append(lines, list[i].LineOf(len(done)))
		} else {
			others = append(others, list[i].Name())
		}
	}
	if len(others) > 0 {
		lines = append(lines, fmt.Sprintf("%d more options never acted: %s; the report says of each what shows it", len(others), strings.Join(others, ", ")))
	}
	return lines
}
