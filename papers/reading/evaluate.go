package reading

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"weft/papers"
)

// Outcome is what one reading says of a claim.
type Outcome string

// Outcomes.
const (
	Met       Outcome = "holds"
	Missed    Outcome = "fails"
	Undecided Outcome = "undecided"
	NotRun    Outcome = "not run"
	// Same: the reading changes nothing that the claim is about.
	Same Outcome = "as first"
	// None: the claim cannot be decided here.
	None Outcome = "not decidable here"
)

// The expectations of a file.
const (
	expectHolds = string(Met)
	expectFails = string(Missed)
)

// Cell is what one reading says of a claim.
type Cell struct {
	Reading string  `json:"reading"`
	Outcome Outcome `json:"outcome"`
	// Measured is the headline check's number, Why the reason where it is not met or decides nothing.
	Measured string `json:"measured,omitempty"`
	Why      string `json:"why,omitempty"`
	// Met and Of count the points of all checks of the claim: those that hold, and those that decide.
	Met int `json:"met"`
	Of  int `json:"of"`
	// Extreme is the largest or smallest number of an "up to", null for other claims.
	Extreme *float64 `json:"extreme,omitempty"`
	// Expected is what was expected before the run, empty if nothing was.
	Expected string `json:"expected,omitempty"`

	unit, at string
}

// Progress is how far the runs of a reading are.
type Progress struct {
	Reading
	Runs  int `json:"runs"`
	Ended int `json:"ended"`
}

// Result is what was found of a paper under its readings.
type Result struct {
	Paper    string     `json:"paper"`
	Scale    string     `json:"scale"`
	Readings []Progress `json:"readings"`
	Claims   []Claim    `json:"claims"`
	Summary  Summary    `json:"summary"`
}

// opener makes the evaluator of a ledger, with all options but the ledger itself.
type opener func(l *papers.Ledger) (*papers.Evaluator, error)

// Evaluate evaluates a ledger under all readings. First is what the ledger's own evaluation found; claims
// that it leaves out are left out.
func (f *File) Evaluate(ctx context.Context, first *papers.Result, open opener) (*Result, error) {
	out := &Result{Paper: first.Paper, Scale: first.Scale}
	claims := make([]Claim, len(first.Claims))
	for i := range first.Claims {
		claims[i] = f.claim(&first.Claims[i])
	}
	all, err := f.each(ctx, first, open)
	if err != nil {
		return nil, err
	}
	for i := range f.readings {
		r, found := &f.readings[i], map[string]*papers.ClaimResult{}
		progress := Progress{Reading: *r}
		of := all[i].claims
		if result := all[i].result; result != nil {
			for k := range result.Claims {
				found[result.Claims[k].ID] = &result.Claims[k]
			}
			var studies []string
			if r.Name != firstReading {
				studies = f.StudiesOf(r, first.Scale)
			}
			progress.count(result, studies)
		}
		out.Readings = append(out.Readings, progress)
		for k := range claims {
			c := &claims[k]
			cell := Cell{Reading: r.Name, Outcome: Same}
			switch {
			case c.undecidable != nil:
				cell.Outcome, cell.Why = None, c.undecidable.Why
				if r.Name == firstReading && found[c.ID] != nil {
					cell.Measured = found[c.ID].Measured
				}
			case slices.Contains(of, c.ID):
				cell = c.cell(r.Name, found[c.ID])
			}
			if n := c.own.Expects.Get(r.Name); n != nil {
				cell.Expected = n.Text
			}
			c.Cells = append(c.Cells, cell)
		}
	}
	for k := range claims {
		claims[k].decide(f)
	}
	out.Claims = claims
	out.Summary = f.summarize(out)
	return out, nil
}

// evaluation is what one reading found of the claims that it bears on.
type evaluation struct {
	claims []string
	result *papers.Result
	err    error
}

// each evaluates the ledger under each reading, several at a time.
func (f *File) each(ctx context.Context, first *papers.Result, open opener) ([]evaluation, error) {
	var wanted []string
	for i := range first.Claims {
		wanted = append(wanted, first.Claims[i].ID)
	}
	all := make([]evaluation, len(f.readings))
	all[0] = evaluation{claims: wanted, result: first}
	var wait sync.WaitGroup
	turns := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range f.readings[1:] {
		wait.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			all[i+1] = f.evaluated(ctx, &f.readings[i+1], first.Scale, wanted, open)
		})
	}
	wait.Wait()
	for i := range all {
		if all[i].err != nil {
			return nil, fmt.Errorf("reading %s: %w", f.readings[i].Name, all[i].err)
		}
	}
	return all, nil
}

// evaluated evaluates the wanted claims that a reading bears on.
func (f *File) evaluated(ctx context.Context, r *Reading, scale string, wanted []string, open opener) (out evaluation) {
	l, of := f.Under(r, scale)
	out.claims = slices.DeleteFunc(of, func(id string) bool { return !slices.Contains(wanted, id) })
	if len(out.claims) == 0 {
		return out
	}
	var e *papers.Evaluator
	if e, out.err = open(l); out.err != nil {
		return out
	}
	e.Keep(func(c *papers.Claim) bool { return slices.Contains(out.claims, c.ID) })
	out.result, out.err = e.Evaluate(ctx)
	if out.err == nil {
		out.err = e.Problems().Err()
	}
	return out
}

// count counts the runs of some studies, or of all if none are named.
func (p *Progress) count(r *papers.Result, studies []string) {
	for i := range r.Studies {
		s := &r.Studies[i]
		if studies == nil || slices.Contains(studies, s.ID) {
			p.Runs += s.Runs
			p.Ended += s.Done + s.Partial
		}
	}
}

// headline is the check of a claim that decides: by its name, or the first.
func headline(c *papers.ClaimResult, name string) *papers.CheckResult {
	for i := range c.Checks {
		if name == "" || c.Checks[i].Name == name {
			return &c.Checks[i]
		}
	}
	return nil
}

// cell judges a claim by what one reading found of it; nil if it was not evaluated.
func (c *Claim) cell(reading string, found *papers.ClaimResult) Cell {
	cell := Cell{Reading: reading, Outcome: NotRun}
	if found == nil {
		return cell
	}
	for i := range found.Checks {
		k := &found.Checks[i]
		if k.Missing == "" {
			met, of := c.points(k)
			cell.Met, cell.Of = cell.Met+met, cell.Of+of
		}
	}
	k := headline(found, c.own.Headline)
	switch {
	case c.own.UpTo != nil && c.own.Headline == "":
		return c.reachAny(cell, found)
	case k == nil:
		cell.Why = "its headline check is of the other scale"
		return cell
	case k.Missing != "":
		cell.Why = k.Missing
		return cell
	}
	cell.Measured, cell.Why = k.Measured, k.Reason
	switch {
	case c.own.UpTo != nil:
		c.reach(&cell, k)
	case k.Undecided != nil && !(c.own.Transient && k.Undecided.Kind == papers.DoubtWindow):
		cell.Outcome, cell.Why = Undecided, k.Undecided.Text
	case k.Holds, k.Undecided != nil && k.Met:
		cell.Outcome, cell.Why = Met, ""
	default:
		cell.Outcome = Missed
	}
	return cell
}

// doubted tells whether a point decides nothing for the claim.
func (c *Claim) doubted(p *papers.PointResult) bool {
	return p.Doubt != nil && !(c.own.Transient && p.Doubt.Kind == papers.DoubtWindow)
}

// points counts the points of a check that hold, and those that decide. A check without points is one.
func (c *Claim) points(k *papers.CheckResult) (met, of int) {
	for i := range k.Points {
		if p := &k.Points[i]; !c.doubted(p) {
			of++
			if p.Met {
				met++
			}
		}
	}
	if len(k.Points) > 0 {
		return met, of
	}
	if k.Met {
		met = 1
	}
	return met, 1
}

// reachAny judges an "up to" by the extreme of all checks that were run.
func (c *Claim) reachAny(cell Cell, found *papers.ClaimResult) Cell {
	all := papers.CheckResult{}
	for i := range found.Checks {
		if k := &found.Checks[i]; k.Missing == "" {
			all.Points = append(all.Points, k.Points...)
		} else {
			cell.Why = k.Missing
		}
	}
	if len(all.Points) > 0 {
		c.reach(&cell, &all)
	}
	return cell
}

// reach judges an "up to" by the extreme of the points.
func (c *Claim) reach(cell *Cell, k *papers.CheckResult) {
	u := c.own.UpTo
	doubt := ""
	for i := range k.Points {
		p := &k.Points[i]
		if p.Mean == nil {
			continue
		}
		if c.doubted(p) {
			doubt = p.Doubt.Text
			continue
		}
		if cell.Extreme == nil || (*p.Mean > *cell.Extreme) == (u.Take == "largest") {
			cell.Extreme, cell.unit, cell.at = p.Mean, p.Unit, p.At
		}
	}
	if cell.Extreme == nil {
		cell.Outcome, cell.Why = Undecided, doubt
		if doubt == "" {
			cell.Why = "no point has a number"
		}
		return
	}
	cell.Measured = fmt.Sprintf("%s (%s)", number(*cell.Extreme, cell.unit), cell.at)
	cell.Outcome, cell.Why = Missed, fmt.Sprintf("the %s cell is short of %s", u.Take, number(u.Reach, cell.unit))
	if u.reached(*cell.Extreme) {
		cell.Outcome, cell.Why = Met, ""
	}
}

// reached tells whether an extreme comes up to the number.
func (u *upTo) reached(v float64) bool {
	if u.Take == "smallest" {
		return v <= u.Reach*(1+float64(u.Within))
	}
	return v >= u.Reach*(1-float64(u.Within))
}
