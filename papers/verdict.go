package papers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/config"
)

// claim evaluates a claim.
func (e *Evaluator) claim(ctx context.Context, i int) (ClaimResult, error) {
	c := &e.Claims[i]
	r := ClaimResult{
		ID: c.ID, Where: c.Where, Claimed: c.Claimed, Section: c.section(), Claim: c.Claim, Kind: c.Kind,
		Contradicts: c.Contradicts, Notes: c.Notes, Because: strings.TrimSpace(c.Because),
	}
	if !c.Simulable() {
		r.decided(NotSimulable, words("%s", c.Reason))
		return r, nil
	}
	if wrong := e.wrong[c.ID]; wrong != nil {
		r.decided(Missing, words("its checks are malformed: %s", firstProblem(wrong)))
		return r, nil
	}
	var err error
	place := func(j int) config.Place { return e.claimAt(i, fmt.Sprintf("checks[%d]", j)) }
	if r.Checks, err = e.checks(ctx, c.Checks, c.context(), place); err != nil {
		return e.malformed(r, err)
	}
	r.Preferred = slices.ContainsFunc(r.Checks, func(k CheckResult) bool { return k.Preferred })
	r.decide()
	if c.Reason != "" {
		r.Notes = strings.TrimSpace(c.Reason + " " + r.Notes)
	}
	for j := range c.Explanations {
		x := &c.Explanations[j]
		found := ExplanationResult{Change: x.Change, Reading: x.Reading, Known: x.Known, Met: true}
		place := func(k int) config.Place { return e.claimAt(i, fmt.Sprintf("explanations[%d].checks[%d]", j, k)) }
		if found.Checks, err = e.checks(ctx, x.Checks, c.changed(x), place); err != nil {
			return e.malformed(r, err)
		}
		for _, check := range found.Checks {
			found.Met = found.Met && check.Met
			found.Missing = found.Missing || check.Missing != ""
		}
		if len(found.Checks) == 0 { // all are of the other scale
			found.Met, found.Missing = false, true
		}
		r.Explanations = append(r.Explanations, found)
	}
	at := func(j int) config.Place { return e.claimAt(i, fmt.Sprintf("explanations[%d].of", j)) }
	if err := r.checkAbout(c.Explanations, at); err != nil {
		return e.malformed(r, err)
	}
	r.explain(c.Explanations)
	return r, nil
}

// malformed notes what turned out to be wrong with a claim, if that it is.
func (e *Evaluator) malformed(r ClaimResult, err error) (ClaimResult, error) {
	var list *config.Error
	if !errors.As(err, &list) {
		return r, err
	}
	e.wrong[r.ID] = err
	r.decided(Missing, words("its checks are malformed: %s", firstProblem(err)))
	r.Checks = nil
	return r, nil
}

// firstProblem is the first problem, in a line.
func firstProblem(err error) string {
	if list, ok := err.(*config.Error); ok && len(list.Problems) > 0 {
		return firstLine(list.Problems[0].Message())
	}
	return firstLine(err.Error())
}

// section is under which heading a claim is listed.
func (c *Claim) section() string {
	if c.Section != "" {
		return c.Section
	}
	word, _, _ := strings.Cut(c.Where, ",")
	word, _, _ = strings.Cut(word, ";")
	return strings.TrimSpace(word)
}

// checks evaluates the checks of the scale. If they are at different levels, the measured text
// names the level.
func (e *Evaluator) checks(ctx context.Context, list []Check, in surroundings, place func(int) config.Place) ([]CheckResult, error) {
	var out []CheckResult
	var all []*prepared
	for j := range list {
		if list[j].Scale != "" && list[j].Scale != e.Scale {
			continue
		}
		p, r, err := e.evaluated(ctx, &list[j], in, place(j))
		if err != nil {
			return nil, err
		}
		all, out = append(all, p), append(out, r)
	}
	for j, at := range apart(all) {
		if at != "" && out[j].Missing == "" {
			out[j].name(at)
		}
	}
	return out, nil
}

// name says at which levels a check is.
func (r *CheckResult) name(at string) {
	why := r.reason
	if r.Reason != "" {
		why = why.labelledBy(at)
	}
	r.say(r.MeasuredPieces.labelledBy(at), why)
}

// of says which of several checks a text is of, if the ledger gives it a name.
func (r *ClaimResult) of(c *CheckResult, text Pieces) Pieces {
	if !c.named || len(r.Checks) < 2 {
		return text
	}
	return text.labelledBy(c.Name)
}

// decide finds the verdict from the checks, and sums them up.
func (r *ClaimResult) decide() {
	met, some := 0, false
	var missing []string
	var measured, reasons []Pieces
	for _, c := range r.Checks {
		switch {
		case c.Missing != "":
			if !slices.Contains(missing, c.Missing) {
				missing = append(missing, c.Missing)
			}
			continue
		case c.Met:
			met++
		default:
			reasons = append(reasons, r.of(&c, c.reason))
		}
		some = some || c.Met || slices.ContainsFunc(c.Points, func(q PointResult) bool { return q.Met })
		if text := r.of(&c, c.MeasuredPieces); !slices.ContainsFunc(measured, text.same) {
			measured = append(measured, text)
		}
	}
	r.MeasuredPieces = inARow(measured, "; ")
	r.Measured = r.MeasuredPieces.String()
	switch {
	case len(r.Checks) == 0:
		r.decided(Missing, words("it is checked at the other scale only"))
	case len(missing) > 0:
		r.decided(Missing, words("%s", strings.Join(missing, "; ")))
	case met == len(r.Checks):
		r.Verdict, r.By = Reproduced, ByOrder
		if slices.ContainsFunc(r.Checks, func(k CheckResult) bool { return k.Exact }) {
			r.By = ByNumber
		}
	case some:
		r.decided(Partly, inARow(reasons, "; "))
	default:
		r.decided(Not, inARow(reasons, "; "))
	}
}
