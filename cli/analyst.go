package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"weft/analysis"
	"weft/scenario"
)

// analyst runs the commands of weft analyze for a ledger of a paper.
type analyst struct{ reg *scenario.Registry }

// Check tells what the command would refuse before computing.
func (a analyst) Check(words []string) error {
	return a.with(context.Background(), words, func(func(func(float64)) (*analysis.Result, error)) error { return nil })
}

// Run runs the command.
func (a analyst) Run(ctx context.Context, words []string, progress func(share float64)) (*analysis.Result, error) {
	var r *analysis.Result
	err := a.with(ctx, words, func(run func(func(float64)) (*analysis.Result, error)) (err error) {
		r, err = run(progress)
		return err
	})
	return r, err
}

// with has the command hand its analysis over instead of showing its result.
func (a analyst) with(ctx context.Context, words []string, take func(run func(progress func(float64)) (*analysis.Result, error)) error) error {
	taken := false
	p := &program{reg: a.reg, stdout: io.Discard, stderr: io.Discard}
	p.analyzed = func(run func(func(float64)) (*analysis.Result, error)) error {
		taken = true
		return take(run)
	}
	c := p.analyze()
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(words)
	c.SetOut(io.Discard)
	c.SetErr(io.Discard)
	if err := c.ExecuteContext(ctx); err != nil {
		var inner *exit
		if errors.As(err, &inner) && inner.err != nil {
			return inner.err
		}
		return err
	}
	if !taken {
		return fmt.Errorf("%s is no command with a result; weft analyze lists the analyses", words[0])
	}
	return nil
}
