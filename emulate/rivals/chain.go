//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/vishvananda/netlink"

	"weft/emulate/internal/netns"
	"weft/unit"
)

// chained is the result of a run over token buckets.
type chained struct {
	// Dropped counts packets dropped by the bucket before the receiver, NICs those
	// dropped by senders' buckets.
	Dropped uint64 `json:"dropped"`
	NICs    uint64 `json:"nics_dropped"`
	Packets uint64 `json:"packets"`
	Line    lined  `json:"line"`
}

// Frame sizes: a kernel counts the header of a packet, and the emulator also FCS, preamble and gap.
const (
	mtu         = 9000
	wireFrame   = mtu + 38
	kernelFrame = mtu + 14
)

// burst is how many packets a bucket passes at once. With one, late timers would cost throughput.
const burst = 4

// chain is senders, a router and a receiver, each in a network namespace:
//
//	sender ── nic (a bucket at the rate of links) ── router (the bucket that is the bottleneck) ── receiver
//	sender ── nic ── router ◄── line (the delay) ◄── receiver
//
// As with the emulator, a sender's kernel counts a packet as sent once the nic has
// it. Packets to the receiver pass through kernels only. The acknowledgements wait
// in the line, which is a program, since a kernel without netem has no delay.
type chain struct {
	senders               int
	link, bottleneck      unit.Rate
	nicPackets, queue     int
	delay                 time.Duration
	nics                  []*namespace
	from                  []*namespace
	router, receiver, mid *namespace
}

// receiverAddr is the address of the receiver. The addresses after it are the senders'.
const receiverAddr = "10.9.0.1"

func senderAddr(i int) string { return "10.9.0." + strconv.Itoa(2+i) }

// build makes all namespaces and links.
func (c *chain) build() error {
	var err error
	made := func(name string) *namespace {
		var n *namespace
		if err == nil {
			n, err = newNamespace(name)
		}
		return n
	}
	c.receiver, c.router, c.mid = made("receiver"), made("router"), made("line")
	for i := range c.senders {
		c.from, c.nics = append(c.from, made(fmt.Sprintf("sender%d", i))), append(c.nics, made(fmt.Sprintf("nic%d", i)))
	}
	if err != nil {
		return err
	}
	for _, l := range []struct {
		a      *namespace
		aName  string
		b      *namespace
		bName  string
		bucket *bucketOf
	}{
		{c.router, "down", c.receiver, "in", &bucketOf{c.bottleneck, c.queue}},
		{c.receiver, "back", c.mid, "in", nil},
		{c.mid, "out", c.router, "acks", nil},
	} {
		if err := link(l.a, l.aName, l.b, l.bName, l.bucket); err != nil {
			return err
		}
	}
	errs := []error{
		c.receiver.address("in", receiverAddr), c.receiver.route("", "back"),
		c.router.route(receiverAddr, "down"),
	}
	for i, s := range c.from {
		n, name := c.nics[i], fmt.Sprintf("host%d", i)
		errs = append(errs,
			link(s, "eth0", n, "in", nil), link(n, "out", c.router, name, &bucketOf{c.link, c.nicPackets}),
			s.address("eth0", senderAddr(i)), s.route("", "eth0"),
			n.route(receiverAddr, "out"), n.route(senderAddr(i), "in"),
			c.router.route(senderAddr(i), name),
		)
	}
	return errors.Join(errs...)
}

// bucketRate returns the rate of a bucket from which full packets leave as often as
// frames leave the link.
func bucketRate(r unit.Rate) uint64 { return uint64(r) / 8 * kernelFrame / wireFrame }

// bucketOf is a token bucket for a link's rate with room for a number of packets.
type bucketOf struct {
	rate    unit.Rate
	packets int
}

func (b *bucketOf) qdisc(index int) netlink.Qdisc {
	rate := bucketRate(b.rate)
	return &netlink.Tbf{
		QdiscAttrs: netlink.QdiscAttrs{LinkIndex: index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT},
		Rate:       rate, Limit: uint32(b.packets * kernelFrame), Buffer: netlink.Xmittime(rate, burst*kernelFrame),
	}
}

func runChain(ctx context.Context, args []string, to io.Writer) error {
	c := chain{nicPackets: 1000}
	f := flag.NewFlagSet("rivals chain", flag.ContinueOnError)
	f.IntVar(&c.senders, "senders", 1, "how many senders there are")
	linkRate := f.String("link", "100Mbps", "rate of senders' links")
	rate := f.String("bottleneck", "100Mbps", "rate of the link to the receiver")
	f.IntVar(&c.queue, "queue", 100, "packets that wait before that link")
	f.DurationVar(&c.delay, "delay", 2*time.Millisecond, "time that acknowledgements take")
	server := f.String("server", "", "arguments of the server, as a JSON list")
	clients := f.String("clients", "", "arguments of each sender's program, as a JSON list of lists; @ is the address of the server")
	if err := f.Parse(args); err != nil {
		return err
	}
	var err error
	if c.link, err = unit.ParseRate(*linkRate); err != nil {
		return fmt.Errorf("--link: %w", err)
	}
	if c.bottleneck, err = unit.ParseRate(*rate); err != nil {
		return fmt.Errorf("--bottleneck: %w", err)
	}
	var serving []string
	var sending [][]string
	if err := json.Unmarshal([]byte(*server), &serving); err != nil {
		return fmt.Errorf("--server: %w", err)
	}
	if err := json.Unmarshal([]byte(*clients), &sending); err != nil {
		return fmt.Errorf("--clients: %w", err)
	}
	if len(sending) != c.senders {
		return fmt.Errorf("--clients has %d lists for %d senders", len(sending), c.senders)
	}
	space, status, err := netns.Enter()
	if err != nil {
		return err
	}
	if space == nil {
		if status != 0 {
			return exitError(status)
		}
		return nil
	}
	if err := c.build(); err != nil {
		return fmt.Errorf("build the chain: %w", err)
	}
	r, err := c.run(ctx, serving, sending)
	if err != nil {
		return err
	}
	return json.NewEncoder(to).Encode(r)
}

// run starts all programs at once and waits for them.
func (c *chain) run(ctx context.Context, server []string, clients [][]string) (*chained, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	l, err := newLine(c.mid, "in", "out", c.delay)
	if err != nil {
		return nil, fmt.Errorf("open the line: %w", err)
	}
	defer l.Close()
	errs := make([]error, 1+len(clients))
	var group sync.WaitGroup
	start := func(i int, n *namespace, args []string) {
		group.Go(func() {
			if errs[i] = n.execute(ctx, args); errs[i] != nil {
				stop() // without one program the others would only wait
			}
		})
	}
	start(0, c.receiver, server)
	for i, args := range clients {
		start(1+i, c.from[i], args)
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	r := &chained{Line: l.counts()}
	if r.Packets, r.Dropped, err = c.router.dropped("down"); err != nil {
		return nil, err
	}
	for _, n := range c.nics {
		_, dropped, err := n.dropped("out")
		if err != nil {
			return nil, err
		}
		r.NICs += dropped
	}
	return r, nil
}

// execute runs this program in a namespace.
func (n *namespace) execute(ctx context.Context, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	// A process starts in the network namespace of the thread that starts it.
	if err := n.do(cmd.Start); err != nil {
		return fmt.Errorf("start a program on %s: %w", n.name, err)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("on %s: %w: %s", n.name, err, bytes.TrimSpace(said.Bytes()))
	}
	return nil
}
