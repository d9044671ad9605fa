package emulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"slices"
	"sync"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/clocked"
	"weft/emulate/internal/netns"
	"weft/record"
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

// Lateness is by how much packets were late, in time, and in times of a full packet on the link of its host.
type Lateness struct {
	P50, P99, Worst    unit.Time
	P50Frame, P99Frame float64
	Packets            uint64
}

// void is above how much of a frame's time at the 99th percentile a run is no evidence.
const void = 0.5

// Void tells that packets were so late that the run shows nothing of the fabric.
func (l Lateness) Void() bool { return l.Packets > 0 && l.P99Frame > void }

// Packets counts what became of packets.
type Packets = bridge.Counts

// Result is what a run leaves.
type Result struct {
	*record.Result
	Exits   []Exit
	Late    Lateness
	Packets Packets
	// Lost counts packets that the kernel dropped before they were read, and Untaken those that it did not take for their host.
	Lost, Untaken uint64
	// Overrun counts packets that the kernel of their host had no room for, since its programs send more than its link carries.
	// SentLost and ReceivedLost were dropped between kernels of hosts and the fabric, because this machine was behind.
	Overrun, SentLost, ReceivedLost uint64
	// Notes are what is not as it should be on this machine.
	Notes []string
}

// nicFrames is how many full frames wait at a host, as Linux has it (txqueuelen).
const nicFrames = 1000

// nap is how late a thread wakes on a virtual machine whose processors are idle.
const nap = 100 * time.Microsecond

// Run carries packets over the fabric of a scenario until its commands have ended.
func Run(ctx context.Context, s *scenario.Scenario, space *Space, o Options) (*Result, error) {
	f, err := s.LiveFabric()
	if err != nil {
		return nil, err
	}
	if err := Check(f, o.Commands); err != nil {
		return nil, err
	}
	names, links, rates := make([]string, len(f.Hosts)), make([]bridge.Link, len(f.Hosts)), make([]unit.Rate, len(f.Hosts))
	for i, h := range f.Hosts {
		names[i], links[i], rates[i] = h.Name, bridge.Link{Port: h.Down, Delay: h.Delay}, h.Rate
	}
	mtu := int(f.Frame - bridge.Overhead)
	perSecond, err := forwards(space, mtu)
	if err != nil {
		return nil, fmt.Errorf("measure what this machine forwards: %w", err)
	}
	note, err := keepUp(&f, perSecond)
	if err != nil {
		return nil, err
	}
	hosts, err := space.Build(netns.Options{Names: names, MTU: mtu, Rates: rates})
	if err != nil {
		return nil, fmt.Errorf("build the hosts: %w", err)
	}
	defer hosts.Close()
	if err := hosts.Names(); err != nil {
		return nil, fmt.Errorf("name the hosts: %w", err)
	}
	b, err := bridge.New(bridge.Config{
		MTU: unit.Bytes(mtu), Spray: f.Spray, Down: links, Queue: cmp.Or(o.Queue, nicFrames*f.Frame),
		Find: func(a netip.Addr) (int32, bool) {
			h, ok := netns.HostOf(a)
			return int32(h), ok && h < len(f.Hosts)
		},
	})
	if err != nil {
		return nil, err
	}
	start := time.Now()
	tap, err := hosts.Tap(netns.TapOptions{Start: start})
	if err != nil {
		return nil, err
	}
	defer tap.Close()
	begun, over := make(chan struct{}), make(chan struct{})
	loop := clocked.New(clocked.Config{
		Bridge: b, Tap: tap, Clock: func() time.Duration { return time.Since(start) }, MTU: mtu,
		Rate: func(h int32) unit.Rate { return f.Hosts[h].Rate }, Nap: nap, Begun: func() { close(begun) }, Over: over,
	})
	running, stop := context.WithCancel(ctx)
	exits := make([]Exit, len(o.Commands))
	var group sync.WaitGroup
	for i, c := range o.Commands {
		group.Go(func() {
			select {
			case <-begun:
				exits[i] = execute(running, hosts, c, slices.Index(names, c.Host), o.Output)
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
	// The clock is followed on one thread, which sleeps exactly.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	notes := hosts.Notes()
	if note != "" {
		notes = append(notes, note)
	}
	if err := netns.ExactSleep(); err != nil {
		notes = append(notes, fmt.Sprintf("waits are some 50 us longer than they should be: %v", err))
	}
	res, err := scenario.Run(ctx, s, scenario.RunOptions{Live: loop})
	stop()
	group.Wait()
	if err != nil {
		return nil, err
	}
	kernels, err := hosts.Lost()
	if err != nil {
		notes = append(notes, fmt.Sprintf("what kernels of hosts dropped is not known: %v", err))
	}
	return &Result{
		Result: res, Exits: exits, Late: lateness(&loop.Late), Packets: b.Counts, Lost: tap.Drops(), Untaken: loop.Failed,
		Overrun: kernels.Queued, SentLost: kernels.Sent, ReceivedLost: kernels.Received, Notes: notes,
	}, nil
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

// lateness sums up what a loop measured.
func lateness(l *clocked.Late) Lateness {
	return Lateness{
		P50: unit.Time(l.Times.PerMille(500)), P99: unit.Time(l.Times.PerMille(990)), Worst: l.Worst,
		P50Frame: float64(l.Frames.PerMille(500)) / 1e6, P99Frame: float64(l.Frames.PerMille(990)) / 1e6,
		Packets: l.Times.Count(),
	}
}
