package cli

import (
	"context"
	"fmt"
	"strings"

	"weft/internal/readable"
	"weft/papers"
)

// fewMissing is how many missing claims, or studies, are told one by one: more would bury
// what was found.
const fewMissing = 8

// waitedFor returns the studies of which runs are missing that some claim is open for. Of
// a claim that is reproduced nothing is, not even studies that would explain a miss.
func waitedFor(ctx context.Context, e *papers.Evaluator, r *papers.Result) ([]papers.StudyResult, error) {
	if len(r.Incomplete()) == 0 {
		return nil, nil
	}
	open := map[string]bool{}
	for i := range r.Claims {
		if v := r.Claims[i].Verdict; v != papers.Reproduced && v != papers.NotSimulable {
			open[r.Claims[i].ID] = true
		}
	}
	e.Keep(func(c *papers.Claim) bool { return open[c.ID] })
	rest, err := e.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	return rest.Incomplete(), nil
}

// showMissing tells which runs open claims wait for, and the commands that make them or
// take published ones.
func (p *program) showMissing(r *papers.Result, missing []papers.StudyResult, flags *scaleFlags, narrowed, details bool) error {
	if len(missing) == 0 {
		return nil
	}
	var ids []string
	lack, offered := 0, 0
	for _, s := range missing {
		ids = append(ids, s.ID)
		offered += s.Offered
		if s.Stale {
			lack += s.Runs
		} else {
			lack += s.Missing
		}
	}
	many := max(len(missing), r.Missing()) > fewMissing && !details
	var b strings.Builder
	if many {
		fmt.Fprintf(&b, "\nMissing: %s, and %s of %s; --details lists them\n", readable.Count(r.Missing(), "claim"), readable.Count(lack, "run"), readable.Count(len(missing), "study"))
	} else {
		fmt.Fprintln(&b, "\nMissing:")
		for _, s := range missing {
			what := fmt.Sprintf("%d of %d runs", s.Missing, s.Runs)
			if s.Stale {
				what = "all, since the runs belong to another state of the ledger"
			}
			fmt.Fprintf(&b, "  %s: %s\n", s.ID, what)
		}
	}
	command := []string{"weft", "papers", "run", flags.whose(r.Paper)}
	runs := "runs them"
	switch {
	case narrowed || len(ids) < len(r.Incomplete()) && !many:
		command = append(command, ids...)
	case len(ids) < len(r.Incomplete()):
		// A line of dozens of names helps nobody.
		runs = "runs them, and whatever else is missing"
	}
	command = append(command, flags.where(r.Paper))
	fmt.Fprintf(&b, "  %s %s\n", strings.Join(command, " "), runs)
	if offered > 0 && !flags.published {
		command = []string{"weft", "papers", "check", flags.whose(r.Paper), flags.where(r.Paper), "--published"}
		fmt.Fprintf(&b, "  %s uses the published ones, up to %d\n", strings.Join(command, " "), offered)
	}
	_, err := fmt.Fprint(p.stdout, b.String())
	return err
}
