package cli

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"weft/study"
	"weft/study/jetstream"
)

// Runs of a study are executed by processes of their own, one a core, each many
// runs one after another: a run that takes too much memory or makes the simulator
// fail ends its process, not the study. Such a process is this program with a hidden
// command.
const workerCommand = "run-tasks"

// workerProcess makes the command of such a process.
func (p *program) workerProcess(env []string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0] // starting it tells what is wrong
	}
	c := exec.Command(exe, workerCommand)
	c.Args[0] = os.Args[0]
	// A run is single-threaded; with as many processes as cores, more threads of
	// the runtime's would only get in each other's way.
	c.Env = append(append(os.Environ(), "GOMAXPROCS=1"), env...)
	return c
}

// collectAt is how much the memory of a worker process grows, in percent, until
// garbage is collected. Less than usual, as for a single run: what a run is built
// from is garbage when the next one begins.
const collectAt = 50

func (p *program) runTasks() *cobra.Command {
	return &cobra.Command{
		Use:    workerCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			// Interrupts are for the parent, which says what to give up.
			signal.Ignore(os.Interrupt, syscall.SIGTERM)
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(collectAt)
			}
			run, err := p.runner()
			if err != nil {
				return err
			}
			return jetstream.RunTasks(context.WithoutCancel(c.Context()), os.Stdin, os.Stdout, run)
		},
	}
}

// runner returns what executes the tasks of studies in this process.
func (p *program) runner() (study.Runner, error) {
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	return study.NewRunner(p.reg, identity), nil
}
