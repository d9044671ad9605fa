package emulate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/netns"
	"weft/record"
	"weft/record/section/lateness"
	"weft/scenario"
	"weft/unit"
)

// Space is the namespaces of this process.
type Space = netns.Space

// Enter starts the program again in namespaces of its own. There it returns a
// Space. In the process that the user started, it waits for the other one to end,
// and returns nil and its exit status. Code before the call of Enter runs in every
// process started on the way, unless it checks Entering.
func Enter() (space *Space, status int, err error) { return netns.Enter() }

// Entering reports whether Enter started this process, so that earlier checks need not be repeated.
func Entering() bool { return netns.Entering() }

// Available returns why emulation is impossible here, or nil if it is possible.
func Available() error { return netns.Available() }

// Command is a shell command line to run on a host.
type Command struct {
	Host, Line string
	// Terminal connects the command to this process's terminal, as an interactive shell needs.
	Terminal bool
}

// Options set what runs on the hosts.
type Options struct {
	// Commands all start at once. The run ends when all have ended. Without commands
	// it ends with the scenario or the context.
	Commands []Command
	// Output receives what commands write, line by line.
	Output func(c Command, line []byte)
	// Queue is the capacity of a host's NIC queue, in bytes on the wire; 0 means 1000 full frames.
	Queue unit.Bytes
}

// Exit is how a command ended.
type Exit struct {
	Command
	// Status is the exit status, or 128 plus the signal's number if a signal ended
	// the command. Err is why the command did not start.
	Status int
	Err    error
}

// Packets counts packets by their fate.
type Packets = bridge.Counts

// Result is the outcome of a run.
type Result struct {
	*record.Result
	Exits []Exit
	// Late is the section of the result on the lateness of packets.
	Late    *lateness.Late
	Packets Packets
	// Lost counts packets that the kernel dropped before they were read. Untaken
	// counts packets that it did not accept for their host.
	Lost, Untaken uint64
	// Overrun counts packets for which their host's kernel had no room, because its programs
	// sent more than its link carries. SentLost and ReceivedLost count packets dropped
	// between hosts' kernels and the fabric, because this machine could not keep up.
	Overrun, SentLost, ReceivedLost uint64
	// Unread lists the hosts whose kernels dropped UDP datagrams after arrival,
	// because a program did not read its socket in time.
	Unread []Unread
	// Notes describe shortcomings of this machine.
	Notes []string
}

// Unread counts the datagrams for which the sockets of a host had no room.
type Unread struct {
	Host      string
	Datagrams uint64
}

// nicFrames is the queue of a host in full frames, the default of Linux (txqueuelen).
const nicFrames = 1000

const (
	// nap is how late a thread typically wakes on a virtual machine with idle
	// processors. Some wake much later.
	nap = 100 * time.Microsecond
	// always makes a thread poll without ever sleeping.
	always = time.Hour
)

// Run carries packets over the fabric of a scenario until its commands have ended.
func Run(ctx context.Context, s *scenario.Scenario, space *Space, o Options) (*Result, error) {
	f, err := s.LiveFabric()
	if err != nil {
		return nil, err
	}
	if err := Check(f, o.Commands); err != nil {
		return nil, err
	}
	st, err := prepare(s, &f, space, o.Queue, false)
	if err != nil {
		return nil, err
	}
	defer st.close()
	begun, over := make(chan struct{}), make(chan struct{})
	loop, err := st.loop(func() { close(begun) }, over, nil)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(ctx)
	exits := make([]Exit, len(o.Commands))
	var group sync.WaitGroup
	for i, c := range o.Commands {
		group.Go(func() {
			select {
			case <-begun:
				exits[i] = execute(running, st.hosts, c, slices.Index(st.names, c.Host), o.Output)
			case <-running.Done():
				exits[i] = Exit{Command: c, Err: running.Err()}
			}
		})
	}
	if len(o.Commands) > 0 {
		go func() {
			group.Wait()
			close(over)
		}()
	}
	res, err := st.run(ctx, loop, loop, scenario.RunOptions{})
	stop()
	group.Wait()
	if err != nil {
		return nil, err
	}
	res.Exits = exits
	res.conclude()
	return res, nil
}

// Check reports commands for hosts that a fabric does not have.
func Check(f scenario.LiveFabric, commands []Command) error {
	var wrong []error
	for _, c := range commands {
		if !slices.ContainsFunc(f.Hosts, func(h scenario.LiveHost) bool { return h.Name == c.Host }) {
			wrong = append(wrong, fmt.Errorf("there is no host %q; the fabric has %d, %s to %s", c.Host, len(f.Hosts), f.Hosts[0].Name, f.Hosts[len(f.Hosts)-1].Name))
		}
	}
	return errors.Join(wrong...)
}

// execute runs a command to its end.
func execute(ctx context.Context, hosts *netns.Hosts, c Command, host int, output func(Command, []byte)) Exit {
	if c.Terminal {
		status, err := hosts.Run(ctx, netns.Command{Host: host, Args: netns.Shell(c.Line), Terminal: true})
		return Exit{Command: c, Status: status, Err: err}
	}
	lines := &netns.Lines{Each: func(line []byte) error { output(c, line); return nil }}
	status, err := hosts.Run(ctx, netns.Command{Host: host, Args: netns.Shell(c.Line), Stdout: lines, Stderr: lines})
	return Exit{Command: c, Status: status, Err: errors.Join(err, lines.Close())}
}
