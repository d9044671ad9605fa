package emulate

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/netns"
	"weft/problem"
	"weft/scenario"
	"weft/unit"
)

const (
	// measured is the duration of one measurement of bare forwarding, and times is the
	// number of measurements. The fastest one counts: other activity on this machine only
	// slows forwarding down, and may stop a thread for longer than one measurement.
	measured = 40 * time.Millisecond
	times    = 5
	// burden is how many times as long as bare forwarding a packet across a fabric takes, rounded up.
	burden = 2
)

// Forwards returns how many full packets per second this machine forwards from one
// namespace to another, with nothing in between. Each packet takes frame bytes on the wire.
func Forwards(space *Space, frame unit.Bytes) (perSecond float64, err error) {
	if perSecond, err = forwards(space, int(frame-bridge.Overhead), times); err != nil {
		return 0, fmt.Errorf("measure what this machine forwards: %w", err)
	}
	return perSecond, nil
}

// forwards does what Forwards does, for an MTU and a number of measurements.
func forwards(space *Space, mtu, times int) (perSecond float64, err error) {
	hosts, err := space.Build(netns.Options{Names: []string{"from", "to"}, MTU: mtu})
	if err != nil {
		return 0, err
	}
	defer hosts.Close()
	tap, err := hosts.Tap(netns.TapOptions{})
	if err != nil {
		return 0, err
	}
	defer tap.Close()
	var c *net.UDPConn
	if err := hosts.Do(0, func() (err error) {
		c, err = net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(netip.AddrPortFrom(netns.Addr(1), 9)))
		return err
	}); err != nil {
		return 0, err
	}
	defer c.Close()
	go func() {
		for b := make([]byte, max(1, mtu-28)); ; {
			if _, err := c.Write(b); err != nil && c.SetDeadline(time.Time{}) != nil {
				return // it is closed; other errors mean that nobody listens
			}
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	batch := netns.NewBatch(64, mtu)
	for range times {
		rate, err := forwarded(tap, batch)
		if err != nil {
			return 0, err
		}
		perSecond = max(perSecond, rate)
	}
	return perSecond, nil
}

// forwarded forwards for a while what the first host sends to the second, and
// returns the packets per second.
func forwarded(tap *netns.Tap, batch []netns.Packet) (perSecond float64, err error) {
	sent, n := make([]netns.Packet, 0, len(batch)), 0
	began := time.Now()
	for time.Since(began) < measured {
		if _, err := tap.Wait(measured); err != nil {
			return 0, err
		}
		got, err := tap.Read(batch)
		if err != nil {
			return 0, err
		}
		sent = sent[:0]
		for _, p := range batch[:got] {
			if p.Host == 0 {
				p.Host = 1
				sent = append(sent, p)
			}
		}
		if _, err := tap.Write(sent); err != nil {
			return 0, err
		}
		n += len(sent)
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// Frame is the size of a full packet on the wire.
func (m *Messages) Frame() unit.Bytes { return m.traffic.Fabric.Frame }

// KeepUp returns an error if one host alone may send more than this machine can carry, and
// a note if all hosts together may. perSecond is how many packets of size Frame the machine
// forwards per second. RunMessages makes the same check. The error is a *config.Error.
func (m *Messages) KeepUp(perSecond float64) (note string, err error) {
	return keepUp(m.scenario, &m.traffic.Fabric, perSecond)
}

// keepUp does what KeepUp does, for a fabric.
func keepUp(s *scenario.Scenario, f *scenario.LiveFabric, perSecond float64) (note string, err error) {
	most, all := 0.0, 0.0
	for _, h := range f.Hosts {
		rate := float64(h.Rate) / float64(8*f.Frame/unit.Byte)
		most, all = max(most, rate), all+rate
	}
	can := perSecond / burden
	if most > can {
		return "", s.Errorf("topology.rate", "%w", problem.New("this machine carries some %.0f packets of %v per second, and a host of the fabric sends %.0f", can, f.Frame-bridge.Overhead, most).
			Mend("give links lower rates, or frames more bytes (transport.payload)"))
	}
	if all > can {
		note = fmt.Sprintf("this machine carries some %.0f packets per second, and the hosts together send up to %.0f: not all can fill their links at once", can, all)
	}
	return note, nil
}
