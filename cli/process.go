package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// Each variant runs in a process of its own, so that its memory and processor
// time are its own, too. The process is this program with a hidden command: it
// reads the same file with the same flags, writes the folder, prints the summary
// as JSON on its standard output, and its progress, or why it failed, as lines of
// JSON on the pipe that is its file descriptor 3.

const (
	childCommand  = "run-variant"
	progressFile  = 3
	progressEvery = 100 * time.Millisecond
	patience      = time.Minute // for an interrupted run to write what it has
)

// variantRun is one variant in a process of its own.
type variantRun struct {
	*program
	scenario *scenario.Scenario
	// as is the name of the result, if that is not the variant's, and carried tells that real endpoints carry messages.
	as         string
	carried    bool
	flags      runFlags
	path, dir  string
	number, of int
}

// errStopped: an interrupt ended the process while it built the scenario.
var errStopped = errors.New("it was interrupted before its first event")

// run runs the process and returns the summary that it printed.
func (v *variantRun) run(ctx context.Context) (record.Summary, error) {
	var s record.Summary
	hash, err := v.scenario.Hash()
	if err != nil {
		return s, err
	}
	exe, err := os.Executable()
	if err != nil {
		return s, fmt.Errorf("this program cannot find its own executable to start a process: %w", err)
	}
	args := []string{childCommand, v.scenario.Path, "--variant", v.scenario.Variant, "--dir", v.dir, "--hash", hash, "--command", v.flags.command(v.path)}
	for _, set := range v.flags.sets {
		args = append(args, "--set", set)
	}
	if v.flags.check {
		args = append(args, "--check")
	}
	if v.as != "" {
		args = append(args, "--as", v.as)
	}
	if v.carried {
		args = append(args, "--on", onWire)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return s, err
	}
	defer reader.Close()
	c := exec.CommandContext(ctx, exe, args...)
	c.Args[0] = os.Args[0]
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.ExtraFiles = []*os.File{writer}
	c.Env = os.Environ()
	if os.Getenv("GOGC") == "" {
		// A run allocates while it is built and hardly at all then: collecting
		// more often costs nothing and keeps its peak near what is alive.
		c.Env = append(c.Env, "GOGC=25")
	}
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = patience
	if err := c.Start(); err != nil {
		writer.Close()
		return s, fmt.Errorf("its process cannot be started: %w", err)
	}
	writer.Close()
	failure := v.watch(reader)
	err = c.Wait()
	var ended *exec.ExitError
	if stdout.Len() > 0 && json.Unmarshal(stdout.Bytes(), &s) == nil {
		return s, nil
	}
	if errors.As(err, &ended) && ended.ExitCode() == stopped {
		return s, errStopped
	}
	crash := strings.TrimSpace(stderr.String())
	switch {
	case failure != "" && errors.As(err, &ended) && ended.ExitCode() == wrong:
		return s, badInput(errors.New(failure))
	case failure != "":
		return s, errors.New(failure)
	case crash != "": // it was not weft that ended it
		return s, errors.New(crash)
	case err != nil:
		return s, fmt.Errorf("its process exited with no error output: %w", err)
	}
	return s, errors.New("its process ended without a result")
}

// runVariant is the command that runs in the process of a variant.
func (p *program) runVariant() *cobra.Command {
	var sets []string
	var variant, as, dir, hash, command, on string
	var check bool
	c := &cobra.Command{
		Use:    childCommand + " FILE",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if on == onWire {
				defer p.interrupts.hold()()
			}
			to, space, err := enterFor(on)
			tell := &teller{encoder: json.NewEncoder(to)}
			defer func() { tell.failure(err) }()
			if err != nil {
				return err
			}
			// A terminal interrupts this process and its parent, which passes
			// it on: the second interrupt must not end what the first began.
			signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
			f, err := scenario.LoadOnly(args[0], p.reg, scenario.Sets(sets...), []string{variant})
			if err != nil {
				return err
			}
			chosen, err := pick(f, []string{variant})
			if err != nil {
				return err
			}
			s := chosen[0]
			if now, err := s.Hash(); err != nil || now != hash {
				return badInput(fmt.Errorf("%s, or a file that it names, changed while its variants ran; run it again", args[0]))
			}
			o := scenario.RunOptions{
				Check: check, Progress: tell.run, Building: tell.building,
				Built: func() { p.interrupts.hold() }, // what it comes to from here on is kept
			}
			var r *record.Result
			if space != nil {
				r, err = carried(c.Context(), s, space, o)
			} else {
				r, err = scenario.Run(c.Context(), s, o)
			}
			if err != nil {
				return err
			}
			if as != "" {
				r.Summary.Name, r.Manifest.Name = as, as
			}
			r.Manifest.Command, r.Manifest.Source = command, absolute(args[0])
			if err := record.WriteFolder(dir, r); err != nil {
				return err
			}
			return writeJSONLine(p.stdout, r.Summary)
		},
	}
	c.Flags().StringArrayVar(&sets, "set", nil, "")
	c.Flags().StringVar(&variant, "variant", "", "")
	c.Flags().StringVar(&as, "as", "", "")
	c.Flags().StringVar(&on, "on", "", "")
	c.Flags().StringVar(&dir, "dir", "", "")
	c.Flags().StringVar(&hash, "hash", "", "")
	c.Flags().StringVar(&command, "command", "", "")
	c.Flags().BoolVar(&check, "check", false, "")
	return c
}

// progress is a line on the pipe between the processes.
type progress struct {
	// Now and Until are simulated times in picoseconds; Until is 0 if the run
	// ends when it drains.
	Now, Until int64
	// Delivered and Total are payloads in bytes; Total is 0 if it is not known.
	Delivered, Total int64
	Events           uint64
	// Building says what is being built, before the first event, and Share how much of it is done.
	Building string  `json:",omitempty"`
	Share    float64 `json:",omitempty"`
	// Failure says why there is no result; nothing follows it.
	Failure string `json:",omitempty"`
}

// teller writes now and then how far the run is.
type teller struct {
	encoder *json.Encoder
	last    time.Time
	what    string
}

// due tells whether it is time to write again.
func (t *teller) due() bool {
	now := time.Now()
	if now.Sub(t.last) < progressEvery {
		return false
	}
	t.last = now
	return true
}

func (t *teller) run(s scenario.Progress) {
	if t.due() {
		if err := t.encoder.Encode(progressOf(s)); errors.Is(err, syscall.EPIPE) {
			os.Exit(wrong) // whoever started the run is gone, and nobody takes its result
		}
	}
}

// progressOf returns how far a run is as other processes are told.
func progressOf(s scenario.Progress) progress {
	until := s.Until
	if until == unit.Forever {
		until = 0
	}
	return progress{Now: int64(s.Now), Until: int64(until), Delivered: int64(s.Delivered), Total: int64(s.Total), Events: s.Events}
}

// failure tells why there is no result, if err is not nil.
func (t *teller) failure(err error) {
	if said := new(exit); errors.As(err, &said) && said.err == nil {
		return // another process told
	}
	if err != nil {
		_ = t.encoder.Encode(progress{Failure: err.Error()})
	}
}

func (t *teller) building(what string, share float64) {
	if t.due() || what != t.what {
		t.what = what
		_ = t.encoder.Encode(progress{Building: what, Share: share})
	}
}
