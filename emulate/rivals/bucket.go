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
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/unit"
)

// Values of testdata/bucket.yaml, for the kernel's side.
const (
	bucketLink  = 100 * unit.Mbps
	bucketQueue = 100
	// propagation is the propagation delay of a round trip.
	propagation = 2 * time.Millisecond
)

// transferSet is a set of transfers for both sides.
type transferSet struct {
	name string
	// variant is the scenario's variant, and bottleneck the rate that it has.
	variant        string
	bottleneck     unit.Rate
	senders, flows int
	size           int64
	fresh          bool
}

func transferSets() []transferSet {
	return []transferSet{
		{name: "one", variant: "slow", bottleneck: 50 * unit.Mbps, senders: 1, flows: 1, size: 1_000_000, fresh: true},
		{name: "four", variant: "even", bottleneck: 100 * unit.Mbps, senders: 2, flows: 2, size: 1_000_000},
	}
}

// measured is the result of one run of a set, or of all runs of one side.
type measured struct {
	Set    string `json:"set"`
	Where  string `json:"where"`
	Round  int    `json:"round,omitempty"`
	Rounds int    `json:"rounds,omitempty"`
	// Mean and Median are of the receiver's goodput; the median is over half seconds.
	Mean   float64 `json:"mean_mbps"`
	Median float64 `json:"median_mbps"`
	// P50 and P99 are of the durations of transfers.
	Transfers int     `json:"transfers"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	// PerMB is how many packets were dropped per MB that the receiver got, over the whole run.
	PerMB  float64 `json:"drops_per_mb"`
	Again  uint64  `json:"sent_again"`
	MinRTT float64 `json:"min_rtt_us"`
	// Late is how late the emulator's packets were, Line how late acknowledgements
	// left the delay line.
	Late *late  `json:"late,omitempty"`
	Line *lined `json:"line,omitempty"`

	slots, millis []float64
	megabytes     float64
	drops         uint64
}

// compared has the emulator's results divided by the kernel's.
type compared struct {
	Set    string  `json:"set"`
	Mean   float64 `json:"mean_mbps_ratio"`
	Median float64 `json:"median_mbps_ratio"`
	P50    float64 `json:"p50_ratio"`
	P99    float64 `json:"p99_ratio"`
	// Within reports that all four differ by at most 5 %. A void run of the emulator proves nothing.
	Within bool `json:"within_5_percent"`
	Void   bool `json:"void"`
}

func runBucket(ctx context.Context, args []string, to io.Writer) error {
	f := flag.NewFlagSet("rivals bucket", flag.ContinueOnError)
	weft := f.String("weft", "../../weft", "the weft program")
	file := f.String("scenario", "testdata/bucket.yaml", "scenario of the emulator's side")
	rounds := f.Int("rounds", 1, "how often both sides are measured, in turns first")
	span := f.Duration("for", 21*time.Second, "how long each run takes, with its first second, which is not measured")
	only := f.String("sets", "one,four", "sets of transfers: one (a connection each, one at a time), four (four connections at once)")
	congestion := f.String("congestion", "cubic", "congestion control")
	both := f.String("sides", "emulator,bucket", "which sides are measured; one alone shows in its rounds how much it varies by itself")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rounds < 1 {
		return fmt.Errorf("--rounds is %d; it is 1 at least", *rounds)
	}
	order := strings.Split(*both, ",")
	for _, side := range order {
		if side != "emulator" && side != "bucket" {
			return fmt.Errorf("--sides: there is no side %q", side)
		}
	}
	var errs []error
	for name := range strings.SplitSeq(*only, ",") {
		i := slices.IndexFunc(transferSets(), func(s transferSet) bool { return s.name == name })
		if i < 0 {
			return fmt.Errorf("--sets: there is no set %q", name)
		}
		set := transferSets()[i]
		sides := map[string][]measured{}
		for round := range *rounds {
			for _, where := range order {
				measure := set.emulated
				if where == "bucket" {
					measure = set.chained
				}
				m, err := measure(ctx, *weft, *file, *congestion, *span)
				if err != nil {
					return fmt.Errorf("%s of set %s: %w", where, name, err)
				}
				m.Set, m.Where, m.Round = name, where, round+1
				sides[where] = append(sides[where], *m)
				if err := json.NewEncoder(to).Encode(m); err != nil {
					return err
				}
			}
			slices.Reverse(order) // so that the sides take turns to go first
		}
		all := map[string]measured{}
		for _, where := range []string{"emulator", "bucket"} {
			if list := sides[where]; len(list) > 0 {
				all[where] = pooled(list)
				errs = append(errs, json.NewEncoder(to).Encode(all[where]))
			}
		}
		if len(all) == 2 {
			errs = append(errs, json.NewEncoder(to).Encode(compare(all["emulator"], all["bucket"])))
		}
	}
	return errors.Join(errs...)
}

// compare compares the results of the two sides.
func compare(emulator, bucket measured) compared {
	c := compared{
		Set: emulator.Set, Mean: emulator.Mean / bucket.Mean, Median: emulator.Median / bucket.Median,
		P50: emulator.P50 / bucket.P50, P99: emulator.P99 / bucket.P99, Within: true,
		Void: emulator.Late != nil && emulator.Late.Void,
	}
	for _, ratio := range []float64{c.Mean, c.Median, c.P50, c.P99} {
		c.Within = c.Within && math.Abs(ratio-1) <= 0.05
	}
	return c
}

// sum computes the statistics of slots and durations.
func (m *measured) sum() {
	m.Mean, m.Median = mean(m.slots), quantiles(m.slots, 0.5)[0]
	q := quantiles(m.millis, 0.5, 0.99)
	m.Transfers, m.P50, m.P99 = len(m.millis), q[0], q[1]
	if m.megabytes > 0 {
		m.PerMB = float64(m.drops) / m.megabytes
	}
}

// pooled combines all rounds of a side. It is void if one of them is.
func pooled(list []measured) measured {
	all := measured{Set: list[0].Set, Where: list[0].Where, Rounds: len(list), MinRTT: list[0].MinRTT}
	for _, m := range list {
		all.slots, all.millis = append(all.slots, m.slots...), append(all.millis, m.millis...)
		all.megabytes, all.drops, all.Again = all.megabytes+m.megabytes, all.drops+m.drops, all.Again+m.Again
		if m.Late != nil && (all.Late == nil || m.Late.P99 > all.Late.P99) {
			all.Late = m.Late
		}
	}
	all.sum()
	return all
}

// flags returns the flags of the server and of each sender's bulk.
func (s *transferSet) flags(r results, congestion string, span time.Duration, address string) (server []string, clients [][]string) {
	all := []string{"--ecn", "off", "--buffer", "4MB", "--for", span.String(), "--congestion", congestion}
	server = append([]string{"server", "--ends", strconv.Itoa(s.senders), "--out", r.path("server")}, all...)
	for i := range s.senders {
		clients = append(clients, append([]string{
			"bulk", "--to", address + ":7000", "--out", r.path(fmt.Sprint("bulk", i)),
			"--flows", strconv.Itoa(s.flows), "--size", strconv.FormatInt(s.size, 10) + "B", "--fresh=" + strconv.FormatBool(s.fresh),
		}, all...))
	}
	return server, clients
}

// read returns what the programs of a run measured.
func (s *transferSet) read(r results, span time.Duration) (*measured, error) {
	var served served
	if err := r.read("server", &served); err != nil {
		return nil, err
	}
	m := &measured{slots: served.Slots, megabytes: float64(served.Bytes) / 1e6 * span.Seconds() / served.Seconds}
	for i := range s.senders {
		var t transfers
		if err := r.read(fmt.Sprint("bulk", i), &t); err != nil {
			return nil, err
		}
		m.millis, m.Again, m.MinRTT = append(m.millis, t.Millis...), m.Again+t.Again, t.MinRTT
	}
	return m, nil
}

// emulated runs a set over the emulator.
func (s *transferSet) emulated(ctx context.Context, weft, file, congestion string, span time.Duration) (*measured, error) {
	r, err := newResults()
	if err != nil {
		return nil, err
	}
	defer r.remove()
	server, clients := s.flags(r, congestion, span, "host0")
	e := emulation{Weft: weft, File: file, Variant: s.variant, At: []placed{{"host0", server}}}
	for i, c := range clients {
		e.At = append(e.At, placed{fmt.Sprint("host", 1+i), c})
	}
	report, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	m, err := s.read(r, span)
	if err != nil {
		return nil, err
	}
	m.Late, m.drops = &report.Late, report.Packets.Dropped+report.Packets.Refused
	m.sum()
	return m, nil
}

// chained runs a set over token buckets.
func (s *transferSet) chained(ctx context.Context, _, _, congestion string, span time.Duration) (*measured, error) {
	r, err := newResults()
	if err != nil {
		return nil, err
	}
	defer r.remove()
	server, clients := s.flags(r, congestion, span, receiverAddr)
	serving, err := json.Marshal(server)
	if err != nil {
		return nil, err
	}
	sending, err := json.Marshal(clients)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	// A bucket passes the first packet at once, while a port of the emulator takes
	// its serialisation time.
	delay := propagation + frameTime(bucketLink) + frameTime(s.bottleneck)
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, self, "chain", "--senders", strconv.Itoa(s.senders), "--link", bucketLink.String(), "--bottleneck", s.bottleneck.String(),
		"--queue", strconv.Itoa(bucketQueue), "--delay", delay.String(), "--server", string(serving), "--clients", string(sending))
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("rivals chain: %w: %s", err, bytes.TrimSpace(said.Bytes()))
	}
	var c chained
	if err := json.Unmarshal(out.Bytes(), &c); err != nil {
		return nil, fmt.Errorf("read what rivals chain printed: %w", err)
	}
	m, err := s.read(r, span)
	if err != nil {
		return nil, err
	}
	m.Line, m.drops = &c.Line, c.Dropped+c.NICs
	m.sum()
	return m, nil
}

// frameTime returns the time of a full packet on a link.
func frameTime(r unit.Rate) time.Duration {
	return wireFrame * 8 * time.Second / time.Duration(r)
}
