package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/printable"
	"weft/study"
	"weft/study/remote"
	"weft/study/workers"
)

// workerCommand is what a worker process runs: it gets tasks on its standard input
// and answers on its standard output.
const workerCommand = "run-worker"

// workerNice is by how much the priority of worker processes is below the usual.
const workerNice = 5

// addAuth adds the flags that present one to a NATS server. What is not set is the
// environment's: see remote.Auth.OrEnv.
func addAuth(c *cobra.Command, a *remote.Auth) {
	f := c.Flags()
	f.StringVar(&a.TokenFile, "token-file", "", "file with the token of the server (default $NATS_TOKEN, or the one that weft-queue serve made for you)")
	f.StringVar(&a.Creds, "creds", "", "file with credentials for the server (default $NATS_CREDS)")
	f.StringVar(&a.NKey, "nkey", "", "file with the seed of an nkey (default $NATS_NKEY)")
	f.StringVar(&a.CA, "tls-ca", "", "file with the authorities to trust (default $NATS_CA, or the system's)")
	f.StringVar(&a.Cert, "tls-cert", "", "file with this client's certificate (default $NATS_CERT)")
	f.StringVar(&a.Key, "tls-key", "", "file with the key of the certificate (default $NATS_KEY)")
}

func (p *program) worker() *cobra.Command {
	var o remote.WorkerOptions
	c := &cobra.Command{
		Use:   "worker",
		Short: "Execute runs of studies that others have started",
		Long: `Execute runs of studies that others have started with --engine, in processes of this
machine, until interrupted. A worker takes only runs of the same program, since another
build may compute other results. Only the program weft-queue carries the queue; build it
with go install ./cmd/weft-queue.

Give the server's token with --token-file or NATS_TOKEN, a user with NATS_USER and
NATS_PASSWORD. A worker finds the token of your own weft-queue serve by itself. It reads only
files that a study names and has sent, and checks their content. An interrupted run
goes back to the queue and starts again elsewhere.`,
		Example: `  weft-queue worker --connect nats://queue.example.org:4222
  weft-queue worker --connect tls://queue.example.org --token-file token --tls-ca ca.pem --workers 16`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if p.queue == nil {
				return badInput(p.noQueue("weft worker"))
			}
			o.URL = cmp.Or(o.URL, os.Getenv("NATS_URL"))
			o.Auth = o.Auth.OrEnv()
			if o.URL == "" {
				return badInput(errors.New("--connect names the server, as in weft-queue worker --connect nats://host:4222; weft-queue serve starts one"))
			}
			var err error
			if o.Program, err = study.Program(); err != nil {
				return err
			}
			if o.Command, err = workerProcess(); err != nil {
				return err
			}
			defer p.interrupts.hold()()
			line := &workerLine{program: p}
			o.Notice, o.Status = line.notice, line.status
			err = p.queue.Work(c.Context(), o)
			line.end()
			return p.connecting(err)
		},
	}
	c.Flags().StringVar(&o.URL, "connect", "", "URL of the server, several with commas between (default $NATS_URL)")
	boundedVar(c, &o.Workers, "workers", 0, mostThreads, "parallel runs (default one per core)")
	c.Flags().StringVar(&o.Cache, "cache", "", "folder for files that runs need (default in the user's cache)")
	c.Flags().DurationVar(&o.ConnectTimeout, "patience", 10*time.Second, "how long to look for the server at first")
	addAuth(c, &o.Auth)
	return c
}

// workerProcess returns the maker of commands for worker processes of this program.
func workerProcess() (func(env []string) *exec.Cmd, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("this program cannot find its own executable to start a process: %w", err)
	}
	return func(env []string) *exec.Cmd {
		c := exec.Command(exe, workerCommand)
		c.Args[0] = os.Args[0]
		// A run is single-threaded. With as many processes as cores, more threads
		// of the runtime's would only get in each other's way.
		c.Env = append(append(os.Environ(), "GOMAXPROCS=1"), env...)
		return c
	}, nil
}

// runWorker is the command that runs in a worker process.
func (p *program) runWorker() *cobra.Command {
	return &cobra.Command{
		Use:    workerCommand,
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			// A terminal interrupts this process with its parent, which decides.
			signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
			defer p.interrupts.hold()()
			// An algorithm of the user's may print.
			out := os.Stdout
			os.Stdout = os.Stderr
			run, err := p.runner()
			if err != nil {
				return err
			}
			defer collectRarely()()
			// Whoever hands out the runs goes first, and so does the user's own work.
			yieldProcessor()
			return workers.Serve(context.Background(), os.Stdin, out, run)
		},
	}
}

// workerLine shows what workers do: one line on a terminal, else what happens.
type workerLine struct {
	*program
	last remote.WorkerStatus // that was logged
	line string              // the latest
	// logged is when the last line was written that is not on a terminal.
	logged time.Time
}

// logEvery is how often a log shows how far a worker is, if it got further, and idleEvery
// how often if it has nothing to do, as at the end of a study.
const logEvery, idleEvery = time.Minute, 5 * time.Second

func (w *workerLine) notice(text string) {
	w.clear()
	w.notices([]string{text})
	w.paint()
}

func (w *workerLine) status(s remote.WorkerStatus) {
	first := w.line == ""
	w.line = statusLine(s)
	switch {
	case isTerminal(w.stderr):
		w.clear()
		w.paint()
	case first, s.Connected != w.last.Connected, s.Done > w.last.Done && w.due(s.Busy == 0):
		fmt.Fprintln(w.stderr, w.line)
		w.last, w.logged = s, time.Now()
	}
}

func (w *workerLine) due(idle bool) bool {
	since := time.Since(w.logged)
	return since >= logEvery || idle && since >= idleEvery
}

// end clears the line of a terminal, and completes a log.
func (w *workerLine) end() {
	w.clear()
	if !isTerminal(w.stderr) && w.line != "" && w.line != statusLine(w.last) {
		fmt.Fprintln(w.stderr, w.line)
	}
}

func statusLine(s remote.WorkerStatus) string {
	text := "connected"
	if !s.Connected {
		text = "not connected"
	}
	text += fmt.Sprintf("  %d of %d busy  %d done", s.Busy, s.Workers, s.Done)
	if s.Failed > 0 {
		text += fmt.Sprintf("  %d failed", s.Failed)
	}
	if s.Lost > 0 {
		text += fmt.Sprintf("  %d died", s.Lost)
	}
	return text
}

func (w *workerLine) clear() {
	if isTerminal(w.stderr) {
		control(w.stderr, clearLine)
	}
}

func (w *workerLine) paint() {
	if isTerminal(w.stderr) {
		fmt.Fprint(w.stderr, printable.Line(w.line))
	}
}
