package netns

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const defaultGrace = 2 * time.Second

// process is a command that runs on a host.
type process struct {
	cmd   *exec.Cmd
	ctx   context.Context
	grace time.Duration
	// terminal reports that the command has the terminal.
	terminal bool
	// done is closed when the command has ended, and ended when nobody signals its group any more.
	// cancelled reports that the context ended the command; watch owns it until ended is closed.
	done, ended chan struct{}
	cancelled   bool
}

// start starts a command on a host, in a process group of its own. When ctx is
// done, the group gets SIGTERM, and SIGKILL after the command's grace. Processes
// that the command leaves behind live until the Space ends.
func (h *Hosts) start(ctx context.Context, c Command) (*process, error) {
	if len(c.Args) == 0 {
		return nil, fmt.Errorf("host %s: a command without a program", h.names[c.Host])
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Grace <= 0 {
		c.Grace = defaultGrace
	}
	cmd := exec.Command(c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, c.Stdout, c.Stderr
	// A process left behind may keep the outputs open for ever.
	cmd.WaitDelay = c.Grace
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.Terminal {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if _, err := unix.IoctlGetTermios(0, unix.TCGETS); err == nil {
			cmd.SysProcAttr.Foreground = true
			defer unstopped()()
		}
	}
	err := onThread(func() error {
		if err := h.enter(c.Host); err != nil {
			return err
		}
		return cmd.Start()
	})
	if err != nil {
		return nil, fmt.Errorf("start %s on host %s: %w", c.Args[0], h.names[c.Host], err)
	}
	p := &process{cmd: cmd, ctx: ctx, grace: c.Grace, terminal: cmd.SysProcAttr.Foreground, done: make(chan struct{}), ended: make(chan struct{})}
	go p.watch()
	return p, nil
}

// watch ends the process group when the context is done.
func (p *process) watch() {
	defer close(p.ended)
	select {
	case <-p.done:
		return
	case <-p.ctx.Done():
	}
	p.cancelled = true
	p.signal(unix.SIGTERM)
	// A stopped process would not receive SIGTERM.
	p.signal(unix.SIGCONT)
	timer := time.NewTimer(p.grace)
	defer timer.Stop()
	// The leader of the group may end before others do, so ask about the group.
	for tick := time.NewTicker(10 * time.Millisecond); ; {
		select {
		case <-timer.C:
			tick.Stop()
			p.signal(unix.SIGKILL)
			return
		case <-tick.C:
			if errors.Is(p.signal(0), unix.ESRCH) {
				tick.Stop()
				return
			}
		}
	}
}

// signal sends a signal to the process group.
func (p *process) signal(s unix.Signal) error { return unix.Kill(-p.cmd.Process.Pid, s) }

// wait waits until the command has ended and then, at most for the grace, for other
// processes that hold its outputs. It returns the exit status as shells do: 128
// plus the number of the signal that ended the command. An error comes from the
// outputs, or from the context if that ended the command.
func (p *process) wait() (int, error) {
	err := p.cmd.Wait()
	close(p.done)
	<-p.ended
	if p.terminal {
		takeTerminal()
	}
	status := statusOf(unix.WaitStatus(p.cmd.ProcessState.Sys().(syscall.WaitStatus)))
	var exit *exec.ExitError
	switch {
	case p.cancelled:
		return status, context.Cause(p.ctx)
	case err == nil, errors.As(err, &exit), errors.Is(err, exec.ErrWaitDelay):
		return status, nil
	}
	return status, err
}

// Run starts a command on a host and waits for it.
func (h *Hosts) Run(ctx context.Context, c Command) (int, error) {
	p, err := h.start(ctx, c)
	if err != nil {
		return 0, err
	}
	return p.wait()
}
