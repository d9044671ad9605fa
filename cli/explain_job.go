package cli

import (
	"context"
	"fmt"

	"weft/cli/jobpath"
	"weft/record"
	"weft/scenario"
)

// explainJob finds what decided when the trace of a group ended, and why the longest message on that path took
// so long.
func (p *program) explainJob(ctx context.Context, from string, res *record.Result, flags *explainFlags) error {
	s, err := p.again(from, res)
	if err != nil {
		return badInput(err)
	}
	show, done := p.repaint(s)
	x, err := scenario.ExplainJob(ctx, s, flags.group, show)
	done()
	switch {
	case err != nil && ctx.Err() != nil:
		return interruptedf(": %w; the same command starts over", err)
	case err != nil:
		return badInput(fmt.Errorf("%s: %w", from, err))
	case flags.json:
		return writeJSON(p.stdout, jobpath.JSON(x))
	}
	if err := jobpath.Write(p.stdout, x, flags.top); err != nil {
		return err
	}
	longest := x.Longest(1)
	if len(longest) == 0 {
		return nil
	}
	one := *flags
	one.job, one.byID, one.flow, one.group = false, true, longest[0].Message, ""
	return p.explainResult(ctx, from, res, &one)
}
