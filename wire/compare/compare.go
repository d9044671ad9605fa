package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"weft/internal/histogram"
)

// contender is one way to move bytes between two ends in this process.
type contender struct {
	name string
	// beside names the contender that it is paired with. The first one is unpaired.
	beside string
	// most is its largest datagram in bytes, 0 for any.
	most int
	open func(ctx context.Context, datagram int) (link, error)
}

// link is a pair of connected ends.
type link interface {
	// Goodput sends one way for the given time and returns the received payload in Mb/s.
	Goodput(ctx context.Context, each time.Duration) (float64, error)
	// RoundTrip returns the median time for 64 bytes there and back, in microseconds.
	RoundTrip(ctx context.Context, each time.Duration) (float64, error)
	Close() error
}

// measured holds one contender's results by round.
type measured struct{ mbps, rtt []float64 }

func (m *measured) add(ctx context.Context, l link, each time.Duration) error {
	mbps, err := l.Goodput(ctx, each)
	if err != nil {
		return err
	}
	rtt, err := l.RoundTrip(ctx, each/4)
	m.mbps, m.rtt = append(m.mbps, mbps), append(m.rtt, rtt)
	return err
}

// compare measures each contender next to the one it is paired with, and returns one row per
// contender.
func compare(ctx context.Context, list []contender, datagram, rounds int, each time.Duration) (rows []row, err error) {
	links, all := map[string]link{}, map[string]*measured{}
	defer func() {
		for name, l := range links {
			if wrong := l.Close(); wrong != nil && err == nil {
				err = fmt.Errorf("%s: close: %w", name, wrong)
			}
		}
	}()
	for _, c := range list {
		if c.most != 0 && datagram > c.most {
			continue
		}
		l, err := c.open(ctx, datagram)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		links[c.name], all[c.name] = l, &measured{}
		if c.beside == "" {
			continue
		}
		var own, other measured
		for i := range rounds {
			type turn struct {
				name string
				m    *measured
			}
			turns := []turn{{c.name, &own}, {c.beside, &other}}
			if i%2 == 1 {
				slices.Reverse(turns)
			}
			for _, t := range turns {
				if err := t.m.add(ctx, links[t.name], each); err != nil {
					return nil, fmt.Errorf("%s: %w", t.name, err)
				}
			}
		}
		for name, m := range map[string]*measured{c.name: &own, c.beside: &other} {
			all[name].mbps, all[name].rtt = append(all[name].mbps, m.mbps...), append(all[name].rtt, m.rtt...)
		}
		rows = append(rows, row{
			What: c.name, Datagram: datagram, Beside: c.beside,
			MbpsRatio: median(ratios(own.mbps, other.mbps)), RoundTripRatio: median(ratios(own.rtt, other.rtt)),
		})
	}
	rows = append([]row{{What: list[0].name, Datagram: datagram}}, rows...)
	for i := range rows {
		m := all[rows[i].What]
		rows[i].Rounds, rows[i].Mbps, rows[i].RoundTrip = len(m.mbps), median(m.mbps), median(m.rtt)
	}
	return append(rows, bareSeals(datagram, each)), nil
}

func ratios(a, b []float64) (list []float64) {
	for i := range a {
		list = append(list, a[i]/b[i])
	}
	return list
}

// median returns the median of a list, 0 if it is empty.
func median(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	list = slices.Sorted(slices.Values(list))
	return histogram.Percentile(list, 50)
}

// timed repeats a call for the given time, at least five times, and returns the median duration
// in microseconds.
func timed(ctx context.Context, each time.Duration, call func() error) (float64, error) {
	var list []float64
	for began := time.Now(); time.Since(began) < each || len(list) < 5; {
		at := time.Now()
		if err := call(); err != nil {
			return 0, err
		}
		list = append(list, float64(time.Since(at).Nanoseconds())/1e3)
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	return median(list), nil
}

// mbps returns a rate in Mb/s.
func mbps(bytes int64, took time.Duration) float64 { return 8 * float64(bytes) / 1e6 / took.Seconds() }
