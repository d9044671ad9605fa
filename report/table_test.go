package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"weft/record"
	"weft/record/section"
	"weft/record/section/deflection"
	"weft/record/section/jobs"
	"weft/record/section/pauses"
	"weft/record/section/reactions"
	"weft/unit"
)

func tableRuns() []record.Summary {
	us := unit.Microsecond
	ops := record.Summary{
		Name: "OPS", Ended: record.Drained, Wall: 1234 * time.Millisecond,
		Stats: record.Stats{Messages: 8, Retransmits: 12, Runtime: 1396 * us,
			FCT: record.Times{Mean: 1320 * us, P50: 1330 * us, P99: 1396 * us, Max: 1396 * us}, SlowdownBare: record.Quantiles{P50: 2.087, P99: 2.191}},
		Drops: record.Drops{QueueFull: 10, LinkDown: 2}, ECNMarks: 34567,
	}
	arcane := ops
	arcane.Name = "ARCANE"
	arcane.Runtime = 756*us + 123*unit.Nanosecond
	arcane.FCT = record.Times{Mean: 750 * us, P50: 751 * us, P99: 756 * us, Max: 756 * us}
	arcane.SlowdownBare = record.Quantiles{P50: 1.178, P99: 1.186}
	arcane.Drops, arcane.Trims = record.Drops{}, 7
	return []record.Summary{ops, arcane}
}

func TestTable(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func([]record.Summary) []record.Summary
		want   string
	}{
		{"two runs", func(r []record.Summary) []record.Summary { return r }, `
         runtime        FCT mean    p50    p99    max  slowdown                      retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"one run", func(r []record.Summary) []record.Summary { return r[:1] }, `
         runtime  FCT mean   p50   p99   max  slowdown                      retrans-    ECN       un-  wall
variant       µs        µs    µs    µs    µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396      1320  1330  1396  1396      2.09  2.19     12      0        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"spurious", func(r []record.Summary) []record.Summary {
			r[0].SpuriousRetransmits = 5
			return r
		}, `
         runtime        FCT mean    p50    p99    max  slowdown                      retrans-  spurious    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  trims      mits     retr.  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12      0        12         5  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0      7        12         0  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"reactions", func(r []record.Summary) []record.Summary {
			r[0].Sections = section.Set{&reactions.Section{Since: 301500 * unit.Nanosecond, QueueMax: 538900}}
			r[1].Sections = section.Set{&reactions.Section{Since: 301500 * unit.Nanosecond, QueueMax: 123000, Connections: []reactions.Connection{
				{Name: "host0->host2", Before: 95 * unit.Gbps, Least: 37 * unit.Gbps, Cut: 2100 * unit.Nanosecond},
				{Name: "host1->host2", Before: 100 * unit.Gbps, Least: 100 * unit.Gbps, Cut: reactions.Never},
			}}}
			return r
		}, `
         runtime        FCT mean    p50    p99    max  slowdown                      retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers

rates after                 before  first cut   least    queue
301.5 µs     connection       Gb/s   µs later    Gb/s  max, kB
OPS          none is paced       -          -       -    538.9
ARCANE       host0->host2    95.00      2.100   37.00    123.0
             host1->host2   100.00      never  100.00
`},
		{"pauses", func(r []record.Summary) []record.Summary {
			r[1].Sections = section.Set{&pauses.Sums{Frames: 412, Share: 0.2345}}
			return r
		}, `
         runtime        FCT mean    p50    p99    max  slowdown                        paused         retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  pauses  most, %  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12       -        -      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0     412     23.4      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"deflections", func(r []record.Summary) []record.Summary {
			r[1].Sections = section.Set{&deflection.Counts{Hops: 412, Refused: deflection.Refusals{BelowThreshold: 99, NoTokens: 1, TableFull: 2, NoPort: 4}}}
			return r
		}, `
         runtime        FCT mean    p50    p99    max  slowdown                          deflection         retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  deflected     refused  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12          -           -      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0        412           7      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"jobs", func(r []record.Summary) []record.Summary {
			r[1].Sections = section.Set{&jobs.Jobs{{Group: "train", Ranks: 4, Operations: 9, Time: 800 * unit.Microsecond, Computing: 200 * unit.Microsecond, Exposed: 600 * unit.Microsecond}}}
			return r
		}, `
                       time  computing  exposed  waiting  idle  operations
        job    ranks     µs          %        %        %     %        left
ARCANE  train      4  800.0       25.0     75.0      0.0   0.0           0

         runtime        FCT mean    p50    p99    max  slowdown                      retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"deadlock", func(r []record.Summary) []record.Summary {
			r[1].Partial, r[1].Ended, r[1].Deadlocked, r[1].Cause, r[1].Unfinished = true, record.Stuck, true, "deadlock: 2 classes of links wait", 3
			return r
		}, `
                  runtime          FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant                µs     ×          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS                  1396  1.00        1320        1330        1396        1396        2.09        2.19     12      0        12  34567         0  1.23
ARCANE (partial)   >756.1        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished      0      7        12  34567         3  1.23
slowdown: completion time over the ideal without headers
ARCANE is partial: deadlock: 2 classes of links wait
ARCANE: 3 of 8 messages did not finish
`},
		{"stuck", func(r []record.Summary) []record.Summary {
			r[1].Partial, r[1].Ended, r[1].Cause, r[1].Unfinished = true, record.Stuck, "no route from spine0 to host9", 3
			return r
		}, `
                  runtime          FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant                µs     ×          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS                  1396  1.00        1320        1330        1396        1396        2.09        2.19     12      0        12  34567         0  1.23
ARCANE (partial)   >756.1        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished      0      7        12  34567         3  1.23
slowdown: completion time over the ideal without headers
ARCANE is partial: it made no progress (no route from spine0 to host9)
ARCANE: 3 of 8 messages did not finish
`},
		{"faults", func(r []record.Summary) []record.Summary {
			us := unit.Microsecond
			r[0].LostToFaults = record.Loss{Frames: 2628, Bytes: 5_640_448}
			r[0].RTT.P99 = 12_222 * unit.Nanosecond
			r[0].Faults = &record.Faults{Down: 4, Offered: 2555, LastOffered: 199 * us, Avoided: record.None, Incidents: 2, Unregained: 1, Regained: record.None}
			r[1].Faults = &record.Faults{Down: 4, LastOffered: record.None, Avoided: record.None, Incidents: 2, Regained: 0}
			return r
		}, `
         runtime        FCT mean    p50    p99    max  slowdown                      retrans-    ECN       un-  wall
variant       µs     ×        µs     µs     µs     µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396  1.85      1320   1330   1396   1396      2.09  2.19     12      0        12  34567         0  1.23
ARCANE     756.1  1.00     750.0  751.0  756.0  756.0      1.18  1.19      0      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers

        lost to            sent to   last  avoided      regained  RTT p99
faults   faults     MB  dead ports     µs       µs            µs       µs
OPS        2628  5.640        2555  199.0    never  1 of 2 never    12.22
ARCANE        0      0           0      -        -             0        -
`},
		{"faults without recovery", func(r []record.Summary) []record.Summary {
			r[0].Faults = &record.Faults{Down: 4, LastOffered: record.None, Avoided: record.None, Incidents: 2, Unregained: 2, Regained: record.None}
			return r[:1]
		}, `
         runtime  FCT mean   p50   p99   max  slowdown                      retrans-    ECN       un-  wall
variant       µs        µs    µs    µs    µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396      1320  1330  1396  1396      2.09  2.19     12      0        12  34567         0  1.23
slowdown: completion time over the ideal without headers

        lost to         sent to  last  avoided  regained  RTT p99
faults   faults  MB  dead ports    µs       µs        µs       µs
OPS           0   0           0     -        -     never        -
`},
		{"slow links only", func(r []record.Summary) []record.Summary {
			r[0].Faults = &record.Faults{LastOffered: record.None, Avoided: record.None, Regained: record.None}
			return r[:1]
		}, `
         runtime  FCT mean   p50   p99   max  slowdown                      retrans-    ECN       un-  wall
variant       µs        µs    µs    µs    µs       p50   p99  drops  trims      mits  marks  finished     s
OPS         1396      1320  1330  1396  1396      2.09  2.19     12      0        12  34567         0  1.23
slowdown: completion time over the ideal without headers
`},
		{"none finished", func(r []record.Summary) []record.Summary {
			r[0].FCT, r[0].Runtime, r[0].Unfinished, r[0].Ended = record.Times{}, 0, 8, record.Until
			return r[:1]
		}, `
         runtime    FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant       µs          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS            -  unfinished  unfinished  unfinished  unfinished  unfinished  unfinished     12      0        12  34567         8  1.23
slowdown: completion time over the ideal without headers
OPS: none of 8 messages finished
`},
		{"load until the end", func(r []record.Summary) []record.Summary {
			for i := range r {
				r[i].Ended, r[i].Unfinished, r[i].Stability = record.Until, 1, &record.Stability{}
			}
			return r
		}, `
           FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS      unfinished  unfinished  unfinished  unfinished  unfinished  unfinished     12      0        12  34567         1  1.23
ARCANE   unfinished  unfinished  unfinished  unfinished  unfinished  unfinished      0      7        12  34567         1  1.23
slowdown: completion time over the ideal without headers
OPS: 1 of 8 messages did not finish
ARCANE: 1 of 8 messages did not finish
`},
		{"one with load until the end", func(r []record.Summary) []record.Summary {
			r[0].Ended, r[0].Unfinished, r[0].Stability = record.Until, 1, &record.Stability{}
			return r
		}, `
         runtime          FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant       µs     ×          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS            –        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished     12      0        12  34567         1  1.23
ARCANE     756.1  1.00       750.0       751.0       756.0       756.0        1.18        1.19      0      7        12  34567         0  1.23
slowdown: completion time over the ideal without headers
OPS: 1 of 8 messages did not finish
`},
		{"few unfinished", func(r []record.Summary) []record.Summary {
			for i, n := range []int64{21, 2} {
				r[i].Ended, r[i].Messages, r[i].Unfinished, r[i].Stability = record.Until, 13284, n, &record.Stability{}
			}
			return r
		}, `
         FCT mean    p50    p99    max  slowdown                      retrans-    ECN       un-  wall
variant        µs     µs     µs     µs       p50   p99  drops  trims      mits  marks  finished     s
OPS          1320   1330   1396   1396      2.09  2.19     12      0        12  34567        21  1.23
ARCANE      750.0  751.0  756.0  756.0      1.18  1.19      0      7        12  34567         2  1.23
slowdown: completion time over the ideal without headers
up to 0.16 % of messages did not finish by the end of the run; times are those of the others
`},
		{"not all started", func(r []record.Summary) []record.Summary {
			us := unit.Microsecond
			r[1].Partial, r[1].Ended, r[1].Runtime = true, record.Stuck, 20_000*us
			r[1].Messages, r[1].Unfinished, r[1].Planned = 177, 36, 2161
			done, stuck := r[0].Stats, r[1].Stats
			done.Planned = done.Messages
			r[1].Groups = []record.Group{{Name: "ring", Stats: stuck}, {Name: "tree", Stats: done}}
			return r
		}, `
                  runtime          FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant                µs     ×          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS                  1396  1.00        1320        1330        1396        1396        2.09        2.19     12      0        12  34567         0  1.23
ARCANE (partial)   >20000        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished      0      7        12  34567      2020  1.23
  ring             >20000        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished                      12             2020
  tree               1396  1.00        1320        1330        1396        1396        2.09        2.19                      12                0
slowdown: completion time over the ideal without headers
ARCANE is partial: it made no progress
ARCANE: 2020 of 2161 messages did not finish (1984 not started)
`},
		{"groups", func(r []record.Summary) []record.Summary {
			fast, slow := r[1].Stats, r[0].Stats
			slow.Unfinished = 1
			r[0].Groups = []record.Group{{Name: "main", Stats: slow}, {Name: "background", Stats: slow}}
			r[1].Groups = []record.Group{{Name: "main", Stats: fast}, {Name: "background", Stats: fast}}
			return r
		}, `
              runtime          FCT mean         p50         p99         max    slowdown                            retrans-    ECN       un-  wall
variant            µs     ×          µs          µs          µs          µs         p50         p99  drops  trims      mits  marks  finished     s
OPS              1396  1.85        1320        1330        1396        1396        2.09        2.19     12      0        12  34567         0  1.23
  main          >1396        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished                      12                1
  background    >1396        unfinished  unfinished  unfinished  unfinished  unfinished  unfinished                      12                1
ARCANE          756.1  1.00       750.0       751.0       756.0       756.0        1.18        1.19      0      7        12  34567         0  1.23
  main          756.1  1.00       750.0       751.0       756.0       756.0        1.18        1.19                      12                0
  background    756.1  1.00       750.0       751.0       756.0       756.0        1.18        1.19                      12                0
slowdown: completion time over the ideal without headers
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			if err := Table(&b, c.change(tableRuns()), TableOptions{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.Split(strings.TrimPrefix(c.want, "\n"), "\n"), strings.Split(b.String(), "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTableColorOnlyAddsEscapes(t *testing.T) {
	runs := tableRuns()
	runs[0].Partial, runs[0].Unfinished = true, 2
	var plain, colored strings.Builder
	if err := Table(&plain, runs, TableOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := Table(&colored, runs, TableOptions{Color: true}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Error("escapes without colour")
	}
	bare := strings.NewReplacer("\x1b[1m", "", "\x1b[31m", "", "\x1b[0m", "").Replace(colored.String())
	if bare != plain.String() || bare == colored.String() {
		t.Errorf("with colour:\n%q\nwithout:\n%q", colored.String(), plain.String())
	}
}

// TestSlowFabricsHaveMegabits: a table has one unit of rates, by the largest of all its runs.
func TestSlowFabricsHaveMegabits(t *testing.T) {
	run := func(name string, goodput, rate unit.Rate) record.Summary {
		completed := goodput / 3
		return record.Summary{
			Name: name, Hosts: 2, Buffers: &record.Buffers{}, Stats: record.Stats{Runtime: 1, Goodput: goodput}, Completed: &completed,
			Sections: section.Set{&reactions.Section{Connections: []reactions.Connection{{Name: "host0->host1", Before: rate, Least: rate / 5}}}},
		}
	}
	slow, fast := run("slow", 180*unit.Mbps, 100*unit.Mbps), run("fast", 4*unit.Gbps, 2*unit.Gbps)
	for _, c := range []struct {
		runs              []record.Summary
		unit              string
		goodput, reaction []string
	}{
		{[]record.Summary{slow}, "Mb/s", []string{"90.00", "30.00"}, []string{"100.00", "20.00"}},
		{[]record.Summary{slow, fast}, "Gb/s", []string{"0.09", "0.03"}, []string{"0.10", "0.02"}},
		{[]record.Summary{fast, slow}, "Gb/s", []string{"2.00", "0.67"}, []string{"2.00", "0.40"}},
	} {
		loads := loadTable(c.runs)
		if heading, row := loads[loadHeading-1], loads[loadHeading]; heading[1] != c.unit+"·host" || heading[2] != heading[1] || !slices.Equal(row[1:3], c.goodput) {
			t.Errorf("%s of %d: goodput %v in %v, want %v in %s", c.runs[0].Name, len(c.runs), row[1:3], heading[1:3], c.goodput, c.unit)
		}
		rows, _, _ := sectionTable(c.runs, "reactions")
		if heading, row := rows[1], rows[2]; heading[2] != c.unit || heading[4] != c.unit || !slices.Equal([]string{row[2], row[4]}, c.reaction) {
			t.Errorf("%s of %d: rates %v in %v, want %v in %s", c.runs[0].Name, len(c.runs), row, heading, c.reaction, c.unit)
		}
	}
}

// A run without a window has no goodput of completed messages, and one in whose window
// nothing was completed has 0 of it.
func TestCompletedOfRunsWithoutWindow(t *testing.T) {
	runs := []record.Summary{
		{Name: "drained", Hosts: 2, Buffers: &record.Buffers{}, Stats: record.Stats{Runtime: 1, Goodput: 4 * unit.Gbps}},
		{Name: "window", Hosts: 2, Buffers: &record.Buffers{}, Stats: record.Stats{Runtime: 1, Goodput: 4 * unit.Gbps}, Completed: new(unit.Rate)},
	}
	rows := loadTable(runs)[loadHeading:]
	for i, want := range []string{"-", "0.00"} {
		if rows[i][1] != "2.00" || rows[i][2] != want {
			t.Errorf("%s: goodput %s, completed %s; want 2.00 and %s", rows[i][0], rows[i][1], rows[i][2], want)
		}
	}
}
