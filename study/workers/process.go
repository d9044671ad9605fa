// Package workers runs tasks in child processes. The parent hands a child one task at a
// time over its standard input, and reads its progress and result from its standard output.
// A child that dies takes only its task with it, and the parent knows at once which one
// that was. A child whose parent is gone ends by itself. All engines use this package. They
// also share its way of counting attempts (Tries) and of checking inputs (Files).
package workers

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Command returns the command of a child, which calls Serve. env are variables to add to
// its environment.
type Command func(env []string) *exec.Cmd

// Process is a child. Except for Kill and Exited, only one goroutine may use it at a time.
type Process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	writer *bufio.Writer
	reader *bufio.Reader
	stderr *excerpt
	exited chan struct{}
	state  *os.ProcessState // valid once exited is closed
}

// Died reports that a child has ended.
type Died struct {
	// Why is the reason, as in "killed by signal 9".
	Why string
	// Stderr is its standard error output. A long one is shortened in the middle.
	Stderr string
	// Panicked: the program itself gave up, and would do so again.
	Panicked bool
}

func (d *Died) Error() string {
	text := d.Why
	if d.Stderr != "" {
		text += ": " + d.Stderr
	}
	return text
}

const (
	pipeBuffer = 64 << 10
	// startup is how long a child may take to become ready, on an overloaded machine.
	startup = time.Minute
	// lastWords is the time for reading what a dead child left in its pipes.
	lastWords = time.Second
)

// Start starts a child and waits until it is ready for tasks.
func Start(ctx context.Context, command Command) (*Process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, err
	}
	p := &Process{
		cmd: command(nil), in: in, out: out,
		writer: bufio.NewWriterSize(in, pipeBuffer), reader: bufio.NewReaderSize(out, pipeBuffer),
		stderr: &excerpt{}, exited: make(chan struct{}),
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = childIn, childOut, p.stderr
	p.cmd.WaitDelay = lastWords
	dieWithParent(p.cmd)
	started := make(chan error, 1)
	go p.keep(started)
	err = <-started
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, fmt.Errorf("a worker process cannot be started: %w", err)
	}
	if err := p.ready(ctx); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// keep starts the child and waits for its end on one thread of the system, because Linux
// takes the death of that thread for the parent's.
func (p *Process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // ProcessState holds the details
	p.state = p.cmd.ProcessState
	// The pipe holds what the child wrote. But a child of its own may hold the pipe open.
	_ = p.out.SetReadDeadline(time.Now().Add(lastWords))
	close(p.exited)
}

func (p *Process) ready(ctx context.Context) error {
	_ = p.out.SetReadDeadline(time.Now().Add(startup))
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	k, _, err := readFrame(p.reader)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded) && p.alive():
		return fmt.Errorf("a worker process was not ready within %v%s", startup, p.stderr.after(": "))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded):
		return p.died()
	case err != nil:
		return fmt.Errorf("the command of the workers, %s, starts none: %w", p.cmd, err)
	case k != kindReady:
		return fmt.Errorf("the command of the workers, %s, starts none: it began with %q", p.cmd, k)
	}
	select {
	case <-p.exited:
		// keep has set the deadline to use.
	default:
		_ = p.out.SetReadDeadline(time.Time{})
	}
	return nil
}

func (p *Process) alive() bool {
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Pid returns the child's process number.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited is closed when the child has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill kills the child and its current task.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Close kills the child and waits for its end.
func (p *Process) Close() {
	p.Kill()
	<-p.exited
	p.in.Close()
	p.out.Close()
}

// Run executes a task, a study.Task as JSON, in the child. Its error is a *Died if the
// child has ended, and the context's if it is done, which kills the child.
func (p *Process) Run(ctx context.Context, task []byte, progress func(share float64)) (*Result, error) {
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	if err := writeFrame(p.writer, kindTask, task); err != nil {
		return nil, p.gone(ctx, err)
	}
	for {
		k, body, err := readFrame(p.reader)
		if err != nil {
			return nil, p.gone(ctx, err)
		}
		switch k {
		case kindProgress:
			if len(body) == 8 {
				progress(math.Float64frombits(binary.LittleEndian.Uint64(body)))
			}
		case kindEnded:
			return decodeResult(body)
		default:
			return nil, p.gone(ctx, fmt.Errorf("it wrote a frame of kind %q", k))
		}
	}
}

// gone explains why a child cannot be reached any more, and makes sure that it is dead.
func (p *Process) gone(ctx context.Context, err error) error {
	broken := !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, os.ErrDeadlineExceeded) && p.alive()
	if broken {
		// A write to a child that is just dying fails before its end is known.
		select {
		case <-p.exited:
			broken = false
		case <-time.After(lastWords):
		}
	}
	if ctx.Err() != nil {
		p.Kill()
		return ctx.Err()
	}
	if broken {
		p.Kill()
		<-p.exited
		return &Died{Why: fmt.Sprintf("it had to be stopped: %v", err), Stderr: p.stderr.String()}
	}
	return p.died()
}

// died waits for the end of a child that closed its pipe, and explains it.
func (p *Process) died() *Died {
	select {
	case <-p.exited:
	case <-time.After(2 * lastWords):
		p.Kill()
		<-p.exited
		return &Died{Why: "it closed its standard output and lived on", Stderr: p.stderr.String()}
	}
	d := &Died{Stderr: p.stderr.String()}
	d.Why, d.Panicked = why(p.state, d.Stderr)
	return d
}

// why describes how a process ended, and reports whether it panicked.
func why(s *os.ProcessState, stderr string) (string, bool) {
	if n := signalOf(s); n != 0 {
		text := fmt.Sprintf("killed by signal %d", n)
		if n == 9 {
			text += " — often the system's out-of-memory killer"
		}
		return text, false
	}
	text := s.String()
	// A Go program that panics ends with exit status 2. A lack of memory is no panic, since
	// memory may be available the next time.
	panicked := s.ExitCode() == 2 && (strings.Contains(stderr, "panic: ") || strings.Contains(stderr, "fatal error: ")) &&
		!strings.Contains(stderr, "out of memory") && !strings.Contains(stderr, "cannot allocate memory")
	return text, panicked
}
