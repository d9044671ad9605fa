package emulate

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"runtime/debug"
	"time"

	"weft/config"
	"weft/emulate/internal/bridge"
	"weft/emulate/internal/clocked"
	"weft/emulate/internal/fleet"
	"weft/emulate/internal/netns"
	"weft/fabric"
	"weft/problem"
	"weft/record"
	"weft/scenario"
	"weft/transport"
	"weft/unit"
	"weft/wire"
)

// around is what Ethernet, IPv6 and UDP add to a datagram, including preamble and gap.
const around = bridge.Overhead + 40 + 8

// port is where endpoints listen.
const port = 4000

// connectFor is how long endpoints may take to find each other.
const connectFor = 30 * time.Second

// Messages are a scenario's messages, if real endpoints can carry them.
type Messages struct {
	// Notices list the differences between real endpoints and the simulation.
	Notices []string

	scenario *scenario.Scenario
	traffic  scenario.LiveTraffic
	fleet    fleet.Config
}

// CheckMessages returns the messages of a scenario, or a *config.Error that says
// why real endpoints cannot carry them.
func CheckMessages(s *scenario.Scenario) (*Messages, error) {
	wrong := new(config.Error)
	t, err := s.LiveTraffic()
	wrong.Append(err)
	if err != nil && len(t.Groups) == 0 {
		return nil, wrong
	}
	m := &Messages{scenario: s, traffic: t, fleet: fleetOf(&t)}
	wrong.Append(m.checkPackets())
	wrong.Append(refused(s, &t))
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	m.Notices = otherwise(&t)
	return m, nil
}

// fleetOf returns the configuration of the endpoints for a scenario's messages.
func fleetOf(t *scenario.LiveTraffic) fleet.Config {
	f := &t.Fabric
	c := fleet.Config{
		Port:      port,
		Transport: wire.Custom{Name: t.Name, Control: t.Control, Balancer: t.Balancer},
		RTT:       time.Duration(f.RTT/unit.Nanosecond) * time.Nanosecond, Datagram: f.Frame - around,
		Rate:        func(h int) unit.Rate { return f.Hosts[h].Rate },
		Convergence: t.Convergence,
	}
	for _, h := range f.Hosts {
		c.Hosts = append(c.Hosts, h.Name)
	}
	return c
}

// checkPackets reports hosts and packets that endpoints cannot have.
func (m *Messages) checkPackets() error {
	s, t, hosts := m.scenario, &m.traffic, m.traffic.Fabric.Hosts
	if n := len(hosts); n > fleet.MostHosts {
		return s.Errorf("topology", "%w", problem.New("the fabric has %d hosts, and %d can have real endpoints", n, fleet.MostHosts).Mend("choose a smaller one"))
	}
	for h := range hosts {
		if h > 0 && hosts[h].Rate == hosts[h-1].Rate {
			continue
		}
		payload, header, err := fleet.Sizes(&m.fleet, h)
		switch {
		case err != nil:
			return m.beyond(h, err)
		case payload != t.Payload || header != t.Header:
			return s.Errorf("transport.payload", "%w", problem.New("full packets of real endpoints that take %v on the wire have %v of payload, and these have %v",
				t.Fabric.Frame, payload, t.Payload).Mend("write transport.payload: %v and transport.header: %v", payload, header))
		}
	}
	return nil
}

// beyond converts an error of an endpoint's configuration into one that names the
// key of the file and what is allowed.
func (m *Messages) beyond(host int, err error) error {
	f := &m.traffic.Fabric
	of := problem.Of(err)
	key, what := "", ""
	switch of.Path {
	case "Datagram":
		key, what = "transport.payload", fmt.Sprintf("a full packet, which takes %v on the wire, is a datagram of %v", f.Frame, m.fleet.Datagram)
	case "RTT":
		key, what = "topology.delay", fmt.Sprintf("the round trip of a full packet and its acknowledgement takes %v", m.fleet.RTT)
	case "Rate":
		key, what = "topology.rate", fmt.Sprintf("the link of %s has %v", f.Hosts[host].Name, f.Hosts[host].Rate)
	default:
		return m.scenario.Errorf("transport.congestion", "real endpoints cannot have it: %w", err)
	}
	return m.scenario.Errorf(key, "%w", problem.New("%s", what).Mend("%s", of.Remedy))
}

const (
	// mostGarbage is the memory at which garbage collection starts, unless half of the
	// free memory is less. Until then no collection takes the processor from the thread
	// that follows the clock, or stops the world while a thread waits for a processor.
	mostGarbage = 16 << 30
	// spareThreads is how many goroutines may run in addition to the number of
	// processors. The kernel divides processors more evenly than the runtime, which
	// would let the thread that follows the clock wait for a goroutine to yield.
	spareThreads = 6
)

// garbageAt returns the memory at which garbage collection starts.
func garbageAt() int64 {
	return min(mostGarbage, max(netns.FreeMemory()/2, mostGarbage/16))
}

// dedicate tunes the process for the thread that follows the clock, until the
// returned function is called.
func dedicate() (end func()) {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(garbageAt())
	threads := runtime.GOMAXPROCS(runtime.NumCPU() + spareThreads)
	return func() {
		runtime.GOMAXPROCS(threads)
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(percent)
	}
}

// RunMessages carries the messages of a scenario by real endpoints over its fabric,
// until all have arrived or the scenario ends. It dedicates the process to that:
// garbage is collected late, and other threads stay off one processor.
func RunMessages(ctx context.Context, s *scenario.Scenario, space *Space, o MessageOptions) (*Result, error) {
	checked, err := CheckMessages(s)
	if err != nil {
		return nil, err
	}
	c, t := checked.fleet, &checked.traffic
	st, err := prepare(s, &t.Fabric, space, o.Queue, true)
	if err != nil {
		return nil, err
	}
	defer st.close()
	c.In = st.hosts.Do
	c.Addr = func(h int) netip.Addr { return netns.Addr6(h) }
	if !st.hosts.IPv6() {
		c.Addr = func(h int) netip.Addr { return netns.Addr(h) }
	}
	fl, err := fleet.Open(c)
	if err != nil {
		return nil, err
	}
	defer fl.Close() // a second call does nothing
	if err := st.connect(ctx, fl); err != nil {
		return nil, err
	}
	defer dedicate()()
	m := &messages{Fleet: fl}
	if m.Loop, err = st.loop(nil, nil, m); err != nil {
		return nil, err
	}
	fl.Begin(m.Loop.Now, st.tap.Wake)
	res, err := st.run(ctx, m.Loop, m, scenario.RunOptions{Progress: o.Progress, Built: o.Built})
	if err != nil {
		return nil, err
	}
	res.Late.Blocked, res.Late.Unsent = fl.Blocked(), fl.Told().Unsent
	var most uint64
	for _, u := range res.Unread {
		if res.Late.Unread += u.Datagrams; u.Datagrams > most {
			most, res.Late.UnreadAt = u.Datagrams, u.Host
		}
	}
	res.Notes = append(res.Notes, checked.Notices...)
	if n := &res.Packets; n.Refused+n.Large+n.Strange > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("%d packets found the queue of a NIC full, %d were above the MTU, and %d for no host", n.Refused, n.Large, n.Strange))
	}
	res.conclude()
	return res, fl.Close()
}

// MessageOptions set how messages are carried.
type MessageOptions struct {
	// Queue is the same as Options.Queue.
	Queue unit.Bytes
	// Progress and Built are the same as in scenario.RunOptions.
	Progress func(scenario.Progress)
	Built    func()
}

// connect runs the fabric without messages until the endpoints are connected.
func (st *stage) connect(ctx context.Context, fl *fleet.Fleet) error {
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	done, over := make(chan error, 1), make(chan struct{})
	go func() {
		done <- fl.Connect(ctx)
		close(over)
	}()
	for {
		loop, err := st.loop(nil, over, nil)
		if err != nil {
			return err
		}
		if _, err := st.run(ctx, loop, loop, scenario.RunOptions{}); err != nil {
			cancel()
			return errors.Join(err, <-done)
		}
		select {
		case err := <-done:
			return err
		default: // the scenario is shorter than connecting takes
		}
	}
}

// messages is a loop that also carries the messages of a scenario.
type messages struct {
	*clocked.Loop
	*fleet.Fleet
	to *transport.Transport
}

// Carry implements scenario.LiveMessages, as does AttachBeside.
func (m *messages) Carry(to *transport.Transport) { m.to = to }

// AttachBeside makes the hosts' timers serve the messages, too.
func (m *messages) AttachBeside(d *fabric.Domain, hosts fabric.Endpoint) fabric.Endpoint {
	return m.Loop.AttachBeside(d, hosts)
}

// Told implements scenario.LiveMessages, as does Window of the fleet.
func (m *messages) Told() scenario.Told {
	t := m.Fleet.Told()
	at := func(perMille uint64) unit.Time { return unit.Time(t.RTTs.PerMille(perMille)) * unit.Nanosecond }
	return scenario.Told{
		Packets:     record.Packets{Arrived: int64(t.Packets), Marked: int64(t.PacketsMarked), Kept: record.Unknown},
		Retransmits: int64(t.Resent), Timeouts: int64(t.Timeouts), Spurious: int64(t.Copies),
		RTT: record.RTTs{Packets: int64(t.RTTs.Count()), P50: at(500), P99: at(990), P999: at(999), Max: at(1000)},
	}
}

// Next implements clocked.Beside, as does Settle.
func (m *messages) Next() unit.Time { return m.to.NextStart() }

// Settle informs the scenario's sources about their messages.
func (m *messages) Settle(now unit.Time) error {
	err := m.Fleet.Settle(func(one transport.Carried, at unit.Time, arrived bool) bool {
		if arrived {
			return m.to.Arrived(now, at, one)
		}
		return m.to.Confirmed(now, at, one)
	})
	if err != nil {
		return fmt.Errorf("on wire: %w", err)
	}
	return nil
}
