// Package workers runs tasks in processes of their own: the parent hands a child
// one task at a time over its standard input and reads how it fares on its standard
// output. A child that dies takes nothing with it but the task it had, and the
// parent knows at once which that was. A child whose parent is gone ends by itself.
// Engines share it, and how they count attempts (Tries) and check inputs (Files).
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

// Command makes the command of a child, which calls Serve. It is given variables to
// add to the environment.
type Command func(env []string) *exec.Cmd

// Process is a child. One goroutine may use it at a time, but for Kill and Exited.
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

// Died says that a child is gone.
type Died struct {
	// Why is as in "killed by signal 9".
	Why string
	// Stderr is its standard error output, shortened in the middle if long.
	Stderr string
	// Panicked: it was the program that gave up, and it will do so again.
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
	// startup is how long a child may take until it waits for tasks, on a machine
	// that has too much to do.
	startup = time.Minute
	// lastWords is for what a dead child left in its pipes.
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

// keep starts the child and waits for its end on one thread of the system, because
// Linux takes the death of that thread for the parent's.
func (p *Process) keep(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err != nil {
		return
	}
	_ = p.cmd.Wait() // its state tells all
	p.state = p.cmd.ProcessState
	// What it wrote is in the pipe; but a child of its own may hold the pipe open.
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
		// keep has set the deadline that holds.
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

// Pid is the child's.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Exited is closed when the child is gone.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Kill ends the child and its current task.
func (p *Process) Kill() { _ = p.cmd.Process.Kill() }

// Close kills the child and waits until nothing is left of it.
func (p *Process) Close() {
	p.Kill()
	<-p.exited
	p.in.Close()
	p.out.Close()
}

// Run has the child execute a task, a study.Task as JSON. The error is a *Died if
// the child is gone, and the context's if it is done, which kills the child.
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

// gone says why a child cannot be talked to any more, and makes sure that it is
// dead.
func (p *Process) gone(ctx context.Context, err error) error {
	broken := !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, os.ErrDeadlineExceeded) && p.alive()
	if broken {
		// A write to a child that dies just now fails before its end is known.
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

// died waits for the end of a child that closed its pipe and says why it ended.
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

// why says in words how a process ended.
func why(s *os.ProcessState, stderr string) (string, bool) {
	if n := signalOf(s); n != 0 {
		text := fmt.Sprintf("killed by signal %d", n)
		if n == 9 {
			text += " — often the system's out-of-memory killer"
		}
		return text, false
	}
	text := s.String()
	// A program in Go that panics ends with exit status 2. Memory may be there
	// the next time.
	panicked := s.ExitCode() == 2 && (strings.Contains(stderr, "panic: ") || strings.Contains(stderr, "fatal error: ")) &&
		!strings.Contains(stderr, "out of memory") && !strings.Contains(stderr, "cannot allocate memory")
	return text, panicked
}
