package onwire

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/internal/histogram"
	"weft/internal/readable"
	"weft/unit"
	"weft/wire"
)

// measured is a row of the benchmark.
type measured struct {
	What  string  `json:"what"`
	Bytes int     `json:"bytes,omitempty"`
	Calls int     `json:"calls"`
	P50   float64 `json:"p50_us"`
	P99   float64 `json:"p99_us"`
	Mbps  float64 `json:"mbps,omitempty"` // one way
}

func (p Program) bench() *cobra.Command {
	var s settings
	var each time.Duration
	c := &cobra.Command{
		Use:   "bench",
		Short: "Measure calls over the loopback, beside a bare UDP echo",
		Long: `Measure requests and their replies between two endpoints of this process over the loopback, by
size, beside a bare echo of UDP datagrams in Go. Both ends share the machine's processors.
A row is printed when it is measured. The last one is how late datagrams left that had waited for --rate,
at the end that calls. --pcap captures the datagrams of that end.`,
		Example: `  weft wire bench
  weft wire bench --secret-file secret --json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) (failed error) {
			cfg, err := s.config(0)
			if err != nil {
				return p.Wrong(err)
			}
			if each <= 0 {
				return p.Wrong(fmt.Errorf("--each is %v; measure for a while, as in 1s", each))
			}
			client, end, err := s.listen("127.0.0.1:0", cfg)
			if err != nil {
				return p.Wrong(err)
			}
			defer p.Hold()()
			ctx, cancel := s.within(c.Context())
			defer cancel()
			defer func() { failed = cmp.Or(failed, end(ctx)) }()
			show := func(m measured) error { return p.row(m.cells()) }
			if s.json {
				show = func(m measured) error { return p.Line(m) }
			} else if err := p.row([]string{"", "BYTES", "CALLS", "P50 µs", "P99 µs", "Mb/s EACH WAY"}); err != nil {
				return err
			}
			return late(measure(ctx, client, cfg, each, show))
		},
	}
	s.add(c)
	s.addTimeout(c, 0)
	s.addCapture(c)
	c.Flags().DurationVar(&each, "each", time.Second, "how long to measure each size")
	return c
}

// measure measures calls of a client to a server that it opens, and shows each row when it is there.
func measure(ctx context.Context, client *wire.Endpoint, cfg wire.Config, each time.Duration, show func(measured) error) error {
	bare, err := bareEcho(ctx, each)
	if err != nil {
		return fmt.Errorf("bare UDP echo: %w", err)
	}
	if err := show(bare); err != nil {
		return err
	}
	serving := cfg
	serving.Handler = func(ctx context.Context, m *wire.Message) { _ = m.Reply(ctx, m.Body) }
	server, err := wire.Listen("127.0.0.1:0", serving)
	if err != nil {
		return err
	}
	defer server.Close(ctx)
	peer, err := client.Dial(ctx, server.Addr().String())
	if err != nil {
		return err
	}
	for _, n := range []int{64, 1000, 10_000, 100_000, 1_000_000, 10_000_000} {
		body := make([]byte, n)
		one, err := timed("call", n, each, ctx, func() error {
			_, err := peer.Call(ctx, body)
			return err
		})
		if err != nil {
			return fmt.Errorf("calls of %v: %w", unit.Bytes(n), err)
		}
		if n >= 100_000 {
			one.Mbps = 2 * 8 * float64(n) / one.P50
		}
		if err := show(one); err != nil {
			return err
		}
	}
	return show(pacing(client.Stats()))
}

// pacing is the row of how late datagrams left. Its calls are the datagrams that were paced.
func pacing(s wire.Stats) measured {
	us := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }
	return measured{What: "pacing error", Calls: int(s.Paced), P50: us(s.LateP50), P99: us(s.LateP99)}
}

// least is how many calls are measured at least.
const least = 5

// timed calls for a while.
func timed(what string, bytes int, each time.Duration, ctx context.Context, call func() error) (measured, error) {
	var list []time.Duration
	for began := time.Now(); (time.Since(began) < each || len(list) < least) && ctx.Err() == nil; {
		at := time.Now()
		if err := call(); err != nil {
			return measured{}, err
		}
		list = append(list, time.Since(at))
	}
	if err := ctx.Err(); err != nil {
		return measured{}, err
	}
	slices.Sort(list)
	us := func(p int) float64 { return float64(histogram.Percentile(list, p).Nanoseconds()) / 1e3 }
	return measured{What: what, Bytes: bytes, Calls: len(list), P50: us(50), P99: us(99)}, nil
}

// bareEcho measures a datagram to a goroutine that sends it back.
func bareEcho(ctx context.Context, each time.Duration) (measured, error) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return measured{}, err
	}
	defer server.Close()
	go func() {
		b := make([]byte, 2048)
		for {
			n, from, err := server.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(b[:n], from)
		}
	}()
	client, err := net.Dial("udp", server.LocalAddr().String())
	if err != nil {
		return measured{}, err
	}
	defer client.Close()
	b := make([]byte, 64)
	return timed("bare UDP echo", len(b), each, ctx, func() error {
		if err := client.SetDeadline(time.Now().Add(time.Second)); err != nil {
			return err
		}
		if _, err := client.Write(b); err != nil {
			return err
		}
		_, err := client.Read(b)
		return err
	})
}

// cells returns the row as text.
func (m measured) cells() []string {
	size, rate := "", ""
	if m.Bytes > 0 {
		size = unit.Bytes(m.Bytes).String()
	}
	if m.Mbps > 0 {
		rate = readable.Significant(m.Mbps, 3)
	}
	return []string{m.What, size, strconv.Itoa(m.Calls), readable.Significant(m.P50, 3), readable.Significant(m.P99, 3), rate}
}

// row prints a row of the table, whose columns are as wide as what they can have.
func (p Program) row(cells []string) error {
	line := fmt.Sprintf("%-13s  %5s  %8s  %8s  %8s  %13s", cells[0], cells[1], cells[2], cells[3], cells[4], cells[5])
	_, err := fmt.Fprintln(p.Stdout, strings.TrimRight(line, " "))
	return err
}
