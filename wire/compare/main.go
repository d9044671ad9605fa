// Command compare measures weft's messages over the loopback next to kernel TCP, bare UDP and QUIC:
//
//	go run . --json
//
// Each contender is measured in pairs with weft, one right after the other and in alternating
// order, so that other load on the machine affects both. A row has the medians of all rounds. Both
// ends share the machine's processors. The command is a module of its own because it needs
// quic-go.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"weft/internal/readable"
	"weft/internal/tabular"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

// leastRounds is the least number of rounds for a median.
const leastRounds = 5

func run(ctx context.Context, args []string, to io.Writer) error {
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	asJSON := f.Bool("json", false, "print JSON")
	rounds := f.Int("rounds", leastRounds, "how often each pair is measured")
	each := f.Duration("each", time.Second, "how long each measurement takes")
	datagrams := f.String("datagrams", "1452,9000", "sizes of datagrams, without UDP and IP")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *rounds < leastRounds {
		return fmt.Errorf("--rounds is %d; medians need %d at least", *rounds, leastRounds)
	}
	// quic-go warns about receive buffers, which are the system's default here for all
	// contenders.
	if err := os.Setenv("QUIC_GO_DISABLE_RECEIVE_BUFFER_WARNING", "true"); err != nil {
		return err
	}
	var rows []row
	for text := range strings.SplitSeq(*datagrams, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1200 || size > 60_000 {
			return fmt.Errorf("--datagrams: %q is no size from 1200 to 60000", text)
		}
		some, err := compare(ctx, contenders(), size, *rounds, *each)
		if err != nil {
			return err
		}
		rows = append(rows, some...)
	}
	if *asJSON {
		return json.NewEncoder(to).Encode(rows)
	}
	return table(to, rows)
}

// row is the summary of one contender's rounds.
type row struct {
	What     string `json:"what"`
	Datagram int    `json:"datagram"`
	Rounds   int    `json:"rounds"`
	// Mbps is the one-way goodput. RoundTrip is the median round trip of 64 B, in microseconds.
	Mbps      float64 `json:"mbps"`
	RoundTrip float64 `json:"rtt_us"`
	// MbpsRatio and RoundTripRatio are medians of the ratios to the other contender of the pair,
	// Beside.
	Beside         string  `json:"beside,omitempty"`
	MbpsRatio      float64 `json:"mbps_ratio,omitempty"`
	RoundTripRatio float64 `json:"rtt_ratio,omitempty"`
	// Seal and Open are the times to seal and open one datagram's payload alone, in nanoseconds.
	Seal float64 `json:"seal_ns,omitempty"`
	Open float64 `json:"open_ns,omitempty"`
}

func table(to io.Writer, rows []row) error {
	list := [][]string{{"", "DATAGRAM", "Mb/s", "RTT 64 B µs", "BESIDE", "Mb/s RATIO", "RTT RATIO", "SEAL ns", "OPEN ns"}}
	number := func(v float64) string {
		if v == 0 {
			return ""
		}
		return readable.Significant(v, 3)
	}
	for _, r := range rows {
		list = append(list, []string{
			r.What, strconv.Itoa(r.Datagram), number(r.Mbps), number(r.RoundTrip), r.Beside, number(r.MbpsRatio), number(r.RoundTripRatio), number(r.Seal), number(r.Open),
		})
	}
	return tabular.Write(to, list, 1, 0)
}
