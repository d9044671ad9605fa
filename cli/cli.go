// Package cli is the command line of weft. All of it works with a registry of the
// caller's, so that a program of a user's own offers its own algorithms with the
// same commands in a main of a few lines.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/cli/emulating"
	"weft/cli/onwire"
	"weft/cli/tracing"
	"weft/config"
	"weft/internal/nearest"
	"weft/internal/printable"
	"weft/papers"
	"weft/scenario"
	"weft/study/remote"
)

// Exit codes.
const (
	ok     = 0
	failed = 1 // a run failed or got stuck; results differ
	wrong  = 2 // bad input
	// stopped is what shells say of a program that an interrupt ended.
	stopped = 130
)

// Main runs the command line of the process with what the registry holds and
// returns the exit code: 0 if all went well, 1 if a run failed or got stuck or
// results differ, 2 if the input was wrong, 130 if it was interrupted.
// Options add what not every program needs.
func Main(reg *scenario.Registry, options ...Option) int {
	ctx, stop := interruptible()
	defer stop()
	outliveReaders()
	stdout, stderr := newOutput(os.Stdout), newOutput(os.Stderr)
	p := &program{reg: reg, stdout: stdout, stderr: stderr}
	for _, add := range options {
		add(p)
	}
	defer p.endBy(ctx)()
	code := p.execute(ctx, os.Args[1:])
	defer func() { _ = stderr.Flush() }()
	if err := stdout.lost(); err != nil && code == ok {
		fmt.Fprintf(stderr, "weft: files are complete, but the terminal output is not: %v\n", err)
		return failed
	}
	return code
}

type program struct {
	reg            *scenario.Registry
	library        papers.Library
	queue          *remote.Queue
	args           []string // of the command line
	stdout, stderr io.Writer
	interrupts     interrupts
	// allProblems shows all that is wrong with a scenario, and not just the first.
	allProblems bool
	// analyzed, unless it is nil, is handed analyses instead of their being shown.
	analyzed func(run func(progress func(float64)) (*analysis.Result, error)) error
}

// exit is an error that says its exit code. Without an inner error there is
// nothing left to tell.
type exit struct {
	code int
	err  error
}

func (e *exit) Error() string { return fmt.Sprint(e.err) }
func (e *exit) Unwrap() error { return e.err }

// badInput says that err is the user's to mend.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return &exit{wrong, err}
}

func (p *program) execute(ctx context.Context, args []string) int {
	root := p.root()
	p.args = args
	root.SetArgs(args)
	// Errors before a command begins are about its flags and arguments.
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ok
	}
	code := failed
	var (
		said *exit
		list *config.Error
	)
	switch {
	case errors.As(err, &said):
		if said.err == nil {
			return said.code
		}
		code = said.code
	case errors.As(err, &list), !began:
		code = wrong
	}
	if ctx.Err() != nil {
		return p.interrupted(err)
	}
	if errors.As(err, &list) {
		// Editors find the places of what begins with file:line:column.
		if p.allProblems {
			fmt.Fprintln(p.stderr, list.All())
		} else {
			fmt.Fprintln(p.stderr, err)
		}
	} else {
		fmt.Fprintf(p.stderr, "weft: %s\n", printable.Lines(err.Error()))
	}
	if !began {
		fmt.Fprintln(p.stderr, "Run weft --help for the commands and weft COMMAND --help for their flags.")
	}
	return code
}

// interruption is the error of a command that an interrupt ended and that says what is
// left of its work and how to go on.
type interruption struct{ error }

func (i interruption) Unwrap() error { return i.error }

func interruptedf(format string, args ...any) error {
	return interruption{fmt.Errorf("interrupted"+format, args...)}
}

// interrupted tells what is left of a command that an interrupt ended: what it says
// itself, or else that nothing is.
func (p *program) interrupted(err error) int {
	if !errors.As(err, new(interruption)) {
		err = interruptedf("; nothing is kept: the same command starts over")
	}
	fmt.Fprintf(p.stderr, "weft: %s\n", printable.Lines(err.Error()))
	return stopped
}

func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "weft",
		Short: "Simulate datacenter and HPC fabrics packet by packet",
		Long: `weft simulates datacenter and HPC fabrics packet by packet. One scenario file sets
topology, routing, load balancer, transport, workload and faults.`,
		Example: `  weft run scenarios/arcane/slow-uplink.yaml
  weft run scenario.yaml --set transport.balancer=ops --out out/ops
  weft figures out/slow-uplink`,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("weft {{.Version}}\n")
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(p.run(), p.runVariant(), emulating.Measure(p.emulating()), p.validate(), p.list(), p.matrix(), p.fct(), p.schema(), p.study(), p.runs(), p.diff(), p.explain(), p.figures(),
		p.theory(), p.analyze(), p.topo(), p.report(), p.papers(), p.worker(), p.runWorker(), p.serve(),
		p.wire(), p.emulate(), p.trace(), p.docs(), p.version())
	return root
}

// wire has the commands that send real messages.
func (p *program) wire() *cobra.Command {
	c := onwire.Command(onwire.Program{
		Stdout: p.stdout, Line: func(v any) error { return writeJSONLine(p.stdout, v) }, Hold: p.interrupts.hold, Wrong: badInput,
	})
	c.Args = noSuchCommand
	return c
}

// trace has the commands about traces of applications.
func (p *program) trace() *cobra.Command {
	c := tracing.Command(tracing.Program{
		Stdout: p.stdout, JSON: func(v any) error { return writeJSON(p.stdout, v) }, Notices: p.notices, Wrong: badInput,
	})
	c.Args = noSuchCommand
	return c
}

// exactly demands arguments that it names.
func exactly(what ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != len(what) {
			return fmt.Errorf("%s takes %s, but got %d arguments; as in %s", c.Name(), strings.Join(what, " and "), len(args), c.UseLine())
		}
		return nil
	}
}

// atMost demands no more than one argument, which it names.
func atMost(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%s takes %s, but got %d arguments; as in %s", c.CommandPath(), what, len(args), c.UseLine())
		}
		return nil
	}
}

// noSuchCommand refuses what a command of commands does not have.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("unknown command %q for %q; %s", args[0], c.CommandPath(), nearest.Remedy(args[0], "there are", names))
}

// atLeast is exactly for commands that take one or more of the same.
func atLeast(what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("%s takes %s or several, but got none; as in %s", c.Name(), what, c.UseLine())
		}
		return nil
	}
}

// notices writes what people should know, on standard error.
func (p *program) notices(list []string) {
	for _, n := range list {
		fmt.Fprintf(p.stderr, "note: %s\n", printable.Lines(n))
	}
}
