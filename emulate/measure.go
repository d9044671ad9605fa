package emulate

import (
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"time"

	"weft/emulate/internal/bridge"
	"weft/emulate/internal/netns"
	"weft/scenario"
	"weft/unit"
)

const (
	// measured is how long bare forwarding is measured.
	measured = 60 * time.Millisecond
	// burden is how many times as long as bare forwarding a packet takes that crosses a fabric, rounded up.
	burden = 2
)

// forwards returns how many packets of an MTU a second this machine forwards from a namespace to another, at once and with
// nothing between.
func forwards(space *Space, mtu int) (perSecond float64, err error) {
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
				return // it is closed; all else is an answer that nobody listens
			}
		}
	}()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	batch, sent, n := netns.NewBatch(64, mtu), make([]netns.Packet, 0, 64), 0
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

// keepUp refuses a fabric of which one host alone sends more than this machine can carry, and notes one whose hosts together can.
func keepUp(f *scenario.LiveFabric, perSecond float64) (note string, err error) {
	most, all := 0.0, 0.0
	for _, h := range f.Hosts {
		rate := float64(h.Rate) / float64(8*f.Frame/unit.Byte)
		most, all = max(most, rate), all+rate
	}
	can := perSecond / burden
	if most > can {
		return "", fmt.Errorf("this machine carries some %.0f packets of %v a second, and a host of the fabric sends %.0f: give links lower rates (topology.rate), or frames more bytes (transport.payload)", can, f.Frame-bridge.Overhead, most)
	}
	if all > can {
		note = fmt.Sprintf("this machine carries some %.0f packets a second, and the hosts together send up to %.0f: not all can fill their links at once", can, all)
	}
	return note, nil
}
