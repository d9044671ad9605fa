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

// Enter starts the program anew in namespaces of its own. There it returns a space. In the process that the user started it
// returns nil and the status to end with, once the other one has ended. What comes before it is done in each process that is
// started on the way, unless that asks Entering.
func Enter() (space *Space, status int, err error) { return netns.Enter() }

// Entering tells whether Enter started this process, so that what was checked before need not be checked again.
func Entering() bool { return netns.Entering() }

// Available tells why nothing can be emulated here; nil if it can.
func Available() error { return netns.Available() }

// Command is a line for sh on a host.
type Command struct {
	Host, Line string
	// Terminal gives it this process's terminal, as a shell for a person needs it.
	Terminal bool
}

// Options say what runs on the hosts.
type Options struct {
	// Commands run at once. The run ends when all have ended; without any it ends with the scenario or the context.
	Commands []Command
	// Output takes what commands write, as whole lines.
	Output func(c Command, line []byte)
	// Queue is what may wait at the NIC of a host, in bytes on the wire; 0 is 1000 full frames.
	Queue unit.Bytes
}

// Exit is how a command ended.
type Exit struct {
	Command
	// Status is its exit status: 128 and the signal's number if one ended it. Err is why it did not start.
	Status int
	Err    error
}

// Packets counts what became of packets.
type Packets = bridge.Counts

// Result is what a run leaves.
type Result struct {
	*record.Result
	Exits []Exit
	// Late is the section of the result that tells how late packets were.
	Late    *lateness.Late
	Packets Packets
	// Lost counts packets that the kernel dropped before they were read, and Untaken those that it did not take for their host.
	Lost, Untaken uint64
	// Overrun counts packets that the kernel of their host had no room for, since its programs send more than its link carries.
	// SentLost and ReceivedLost were dropped between kernels of hosts and the fabric, because this machine was behind.
	Overrun, SentLost, ReceivedLost uint64
	// Unread are the hosts whose kernels dropped datagrams of UDP that had come, since the socket of a program was not read in time.
	Unread []Unread
	// Notes are what is not as it should be on this machine.
	Notes []string
}

// Unread counts the datagrams that the sockets of a host had no room for.
type Unread struct {
	Host      string
	Datagrams uint64
}

// nicFrames is how many full frames wait at a host, as Linux has it (txqueuelen).
const nicFrames = 1000

const (
	// nap is how late a thread wakes as a rule on a virtual machine whose processors are idle. Some wake later by far.
	nap = 100 * time.Microsecond
	// always is for a thread that never sleeps.
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

// Check finds commands for hosts that a fabric does not have.
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
