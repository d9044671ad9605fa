//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// incastSenders are host1 to host6 of testdata/incast.yaml; host0 receives, and host7 sends requests.
const incastSenders = 6

// incasted is the result of one run of the incast.
type incasted struct {
	Transport  string `json:"transport"`
	Congestion string `json:"congestion"`
	ECN        bool   `json:"ecn"`
	Request    int64  `json:"request_bytes"`
	Loaded     bool   `json:"loaded"`
	Queue      string `json:"queue,omitempty"`
	Frame      string `json:"payload"`
	// Sets lists the other values set in the scenario.
	Sets []string `json:"sets,omitempty"`
	// The client's latencies run from sending a request to its reply of 8 B.
	Samples int     `json:"samples"`
	Skipped int     `json:"skipped"`
	P50     float64 `json:"p50_us"`
	P90     float64 `json:"p90_us"`
	P99     float64 `json:"p99_us"`
	MinRTT  float64 `json:"min_rtt_us"`
	// Mean and Median are of the receiver's goodput; the median is over half seconds.
	Mean   float64 `json:"mean_mbps"`
	Median float64 `json:"median_mbps"`
	// Messages of all senders that were due and answered, and the largest of the
	// senders' median durations.
	Due     int       `json:"messages_due,omitempty"`
	Done    int       `json:"messages_done,omitempty"`
	Slowest float64   `json:"slowest_message_p50_ms,omitempty"`
	Broken  []string  `json:"broken,omitempty"`
	Again   uint64    `json:"sent_again"`
	Dropped uint64    `json:"dropped"`
	Marked  uint64    `json:"marked"`
	Refused uint64    `json:"refused_by_full_hosts"`
	Late    late      `json:"late"`
	Void    bool      `json:"void"`
	Micros  []float64 `json:"us,omitempty"`
}

func runIncast(ctx context.Context, args []string, to io.Writer) error {
	f := flag.NewFlagSet("rivals incast", flag.ContinueOnError)
	weft := f.String("weft", "../../weft", "the weft program")
	file := f.String("scenario", "testdata/incast.yaml", "scenario: host0 receives, host1 to host6 send, host7 is the client")
	transport := f.String("transport", "tcp", "tcp or quic; quic-go has Reno, whatever --congestion says")
	congestion := f.String("congestion", "cubic", "congestion control of TCP")
	ecn := f.Bool("ecn", false, "have the transport capable of ECN")
	request := size(replySize)
	f.Var(&request, "request", "bytes of a request: 8B, 500kB")
	loaded := f.Bool("loaded", false, "have the six senders send")
	queue := f.String("queue", "", "what a port holds, such as 12.5MB; that of the file without")
	payload := f.String("payload", "", "transport.payload: 8948B gives an MTU of 9000 B, 1448B one of 1500 B; these are for tcp and quic without")
	buffer := size(16_000_000)
	f.Var(&buffer, "buffer", "buffers of TCP at both ends; 0B leaves them to the kernel")
	var sets []string
	f.Func("set", "set a value of the scenario, such as topology.rate=20Mbps (repeatable)", func(text string) error {
		sets = append(sets, text)
		return nil
	})
	every := f.Duration("every", 0, "time between requests; 100ms without, and 1s where a request has 100 kB or more")
	rate := f.String("rate", "17Mbps", "rate of each sender's messages of 10 MB; all begin at once")
	warm := f.Duration("warm", 5*time.Second, "what is not measured at the start")
	span := f.Duration("for", 35*time.Second, "how long it runs, with what is not measured")
	all := f.Bool("all", false, "print all latencies as well")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *transport != "tcp" && *transport != "quic" {
		return fmt.Errorf("--transport is %q; it may be tcp or quic", *transport)
	}
	row := incasted{Transport: *transport, Congestion: *congestion, ECN: *ecn, Request: int64(request), Loaded: *loaded, Queue: *queue, Frame: *payload, Sets: sets}
	if *transport == "quic" {
		row.Congestion = "reno of quic-go"
	}
	if row.Frame == "" {
		row.Frame = map[string]string{"tcp": "8948B", "quic": "1448B"}[*transport]
	}
	if *every == 0 {
		*every = 100 * time.Millisecond
		if request >= 100_000 {
			*every = time.Second
		}
	}
	r, err := newResults()
	if err != nil {
		return err
	}
	defer r.remove()
	common := []string{"--transport", *transport, "--ecn", map[bool]string{true: "on", false: "off"}[*ecn], "--warm", warm.String(), "--for", span.String()}
	if *transport == "tcp" {
		common = append(common, "--congestion", *congestion, "--buffer", strconv.FormatInt(int64(buffer), 10)+"B")
	}
	e := emulation{Weft: *weft, File: *file, Sets: append([]string{"transport.payload=" + row.Frame}, sets...)}
	if *queue != "" {
		e.Sets = append(e.Sets, "fabric.queue="+*queue)
	}
	place := func(host int, program, name string, args ...string) {
		list := append([]string{program, "--out", r.path(name)}, args...)
		e.At = append(e.At, placed{fmt.Sprint("host", host), append(list, common...)})
	}
	place(0, "server", "server")
	if *loaded {
		for i := range incastSenders {
			place(1+i, "sender", fmt.Sprint("sender", i), "--to", "host0:7000", "--rate", *rate)
		}
	}
	place(1+incastSenders, "client", "client", "--to", "host0:7000", "--size", strconv.FormatInt(int64(request), 10)+"B", "--every", every.String())
	report, err := e.run(ctx)
	if err != nil {
		return err
	}
	if err := row.read(r, report); err != nil {
		return err
	}
	if !*all {
		row.Micros = nil
	}
	if row.Void {
		fmt.Fprintf(os.Stderr, "rivals: this run shows nothing of the fabric: packets were late by %.2f frame times at the 99th percentile\n", row.Late.P99Frame)
	}
	return json.NewEncoder(to).Encode(row)
}

// read fills in what programs and the emulator measured.
func (row *incasted) read(r results, report *report) error {
	var s served
	var c replies
	if err := errors.Join(r.read("server", &s), r.read("client", &c)); err != nil {
		return err
	}
	row.Mean, row.Median = s.Mbps, s.Median
	row.Samples, row.Skipped, row.Micros, row.MinRTT, row.Again = len(c.Micros), c.Skipped, c.Micros, c.MinRTT, c.Again
	row.P50, row.P90, row.P99 = c.P50, c.P90, c.P99
	if row.Loaded {
		for i := range incastSenders {
			var o offered
			if err := r.read(fmt.Sprint("sender", i), &o); err != nil {
				return err
			}
			row.Due, row.Done, row.Again, row.Slowest = row.Due+o.Due, row.Done+o.Done, row.Again+o.Again, max(row.Slowest, o.P50)
			if o.Broken != "" {
				row.Broken = append(row.Broken, fmt.Sprintf("host%d: %s", 1+i, o.Broken))
			}
		}
	}
	p := &report.Packets
	row.Dropped, row.Marked, row.Refused, row.Late, row.Void = p.Dropped, p.Marked, p.Refused, report.Late, report.Late.Void
	return nil
}
