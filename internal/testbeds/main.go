package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"weft/record"
	"weft/unit"
)

func main() {
	rate := unit.Rate(100 * unit.Mbps)
	flag.TextVar(&rate, "rate", rate, "rate of hosts' links")
	flag.Parse()
	if err := run(flag.Args(), rate); err != nil {
		fmt.Fprintln(os.Stderr, "testbeds:", err)
		os.Exit(1)
	}
}

// printers returns the line of a run, by experiment.
var printers = map[string]func(b *bench) string{
	"incast": (*bench).incast, "outcast": (*bench).outcast, "flows": (*bench).flows, "down": (*bench).down,
	"halving": (*bench).halving, "degrees": (*bench).degrees,
}

func run(args []string, rate unit.Rate) error {
	if len(args) < 2 || printers[args[0]] == nil {
		return errors.New("usage: testbeds [-rate 1Gbps] incast|outcast|flows|down|halving|degrees DIR…")
	}
	for _, dir := range args[1:] {
		variants, err := record.Variants(dir)
		if err != nil {
			return err
		}
		for _, v := range variants {
			r, err := record.ReadFolder(v.Folder)
			if err != nil {
				return err
			}
			fmt.Printf("%s: %s%s\n", v.Name, printers[args[0]](&bench{r, rate}), void(r))
		}
	}
	return nil
}

// void returns a warning if a run's results are invalid, with the reason.
func void(r *record.Result) string {
	if why := r.Summary.Void(); why != "" {
		return "  VOID: " + why
	}
	return ""
}

// bench is one run with the rate of its hosts' links.
type bench struct {
	*record.Result
	rate unit.Rate
}

// scaled converts a time at 100 Mb/s, in seconds, to the rate of this run.
func (b *bench) scaled(seconds float64) unit.Time {
	return unit.Time(seconds * float64(unit.Second) * float64(100*unit.Mbps) / float64(b.rate))
}

// share returns the share of a link's rate that a number of bytes over a time uses.
func (b *bench) share(bytes int64, over unit.Time) float64 {
	return float64(unit.Bytes(bytes).Over(over)) / float64(b.rate)
}

// series returns a series' values, by the start of their buckets.
func (b *bench) series(kind, entity string) (list []record.Series) {
	for _, s := range b.Series {
		if s.Kind == kind && s.Entity == entity {
			list = append(list, s)
		}
	}
	return list
}

// sum adds up a series between two times. It also returns the number of buckets.
func sum(list []record.Series, from, to unit.Time) (sum int64, n int) {
	for _, s := range list {
		if s.Time >= from && s.Time < to {
			sum += s.Value
			n++
		}
	}
	return sum, n
}

// messages returns a group's measured and finished messages, in order of their start.
func (b *bench) messages(group string) (list []record.Flow) {
	for _, f := range b.Flows {
		if f.Group == group && f.Measured && f.End >= f.Start {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, c record.Flow) int { return int(a.Start - c.Start) })
	return list
}

// percentile returns the p-th percentile of times, in milliseconds.
func percentile(values []unit.Time, p int) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return millis(values[max(0, (p*len(values)+99)/100-1)])
}

func millis(t unit.Time) float64 { return float64(t) / float64(unit.Millisecond) }

// took returns the messages' completion times.
func took(list []record.Flow) (times []unit.Time) {
	for _, f := range list {
		times = append(times, f.End-f.Start)
	}
	return times
}

// port returns the port with a name.
func (b *bench) port(name string) record.Port {
	i := slices.IndexFunc(b.Ports, func(p record.Port) bool { return p.Name == name })
	if i < 0 {
		return record.Port{}
	}
	return b.Ports[i]
}

// frame is the size of a full packet on the wire, in bytes. The others are the shares of payload
// in it.
const (
	frame         = 9038
	sirdPayload   = 8882.0 / frame
	windowPayload = 8896.0 / frame
)

func line(parts ...string) string { return strings.Join(parts, "; ") }
