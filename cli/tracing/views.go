package tracing

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/internal/userfile"
	"weft/report"
	"weft/trace"
	"weft/trace/timeline"
	"weft/trace/timeline/perfetto"
	"weft/unit"
)

// views is what a user asks to see of a replay.
type views struct {
	ranks, calls, critical bool
	most                   int
	perfetto, figure       string
	quiet                  bool // names of files are not printed
}

func (v *views) flags(f *pflag.FlagSet) {
	f.BoolVar(&v.ranks, "ranks", false, "show how each rank spent its time")
	f.BoolVar(&v.calls, "calls", false, "show times and bandwidths of collectives")
	f.BoolVar(&v.critical, "critical", false, "show the critical path")
	f.IntVar(&v.most, "most", 10, "messages of the critical path to list")
	f.StringVar(&v.perfetto, "perfetto", "", "file to write for ui.perfetto.dev, as in replay.json")
	f.StringVar(&v.figure, "figure", "", "file to draw the states of ranks into: png, svg or pdf")
}

// log tells whether the log of the replay is needed.
func (v *views) log() bool {
	return v.ranks || v.calls || v.critical || v.perfetto != "" || v.figure != ""
}

// check finds what is wrong with the flags before the replay.
func (v *views) check() error {
	if v.most < 0 {
		return fmt.Errorf("--most is %d; list 0 messages or more", v.most)
	}
	if v.figure != "" {
		if _, err := report.ChartFormat(v.figure); err != nil {
			return fmt.Errorf("--figure %w", err)
		}
	}
	return nil
}

// replayed is a trace with its log.
type replayed struct {
	trace      *trace.Trace
	log        *timeline.Log
	begin, end unit.Time
}

func newReplayed(t *trace.Trace, l *timeline.Log) *replayed {
	r := &replayed{trace: t, log: l}
	r.begin, r.end = l.Bounds()
	return r
}

// files writes the files that are asked for.
func (p Program) files(r *replayed, v *views) error {
	if v.perfetto != "" {
		if err := p.export(v, r); err != nil {
			return err
		}
	}
	if v.figure != "" {
		return p.draw(v, r)
	}
	return nil
}

// rankRows are the ends and the times of ranks, and the means of shares.
func (r *replayed) rankRows(ends []unit.Time) (rows [][]string, means string) {
	head := []string{"RANK", "END"}
	for s := range timeline.State(timeline.States) {
		head = append(head, stateHeads()[s])
	}
	rows = append(rows, head)
	var sum timeline.Times
	all := timeline.Account(r.trace, r.log, r.begin, r.end)
	for rank, times := range all {
		row := []string{strconv.Itoa(rank), decimal(ends[rank])}
		for s, one := range times {
			sum[s] += one
			row = append(row, decimal(one))
		}
		if rank < mostRanks {
			rows = append(rows, row)
		}
	}
	if more := len(all) - mostRanks; more > 0 {
		rows = append(rows, append([]string{fmt.Sprintf("%d more, which --json lists", more)}, make([]string, len(head)-1)...))
	}
	total := float64(sum.Total())
	for s, one := range sum {
		if total == 0 {
			break
		}
		if s > 0 {
			means += ", "
		}
		means += timeline.State(s).String() + " " + percent(float64(one)/total)
	}
	return rows, means
}

func stateHeads() [timeline.States]string {
	return [...]string{"COMPUTING", "EXPOSED", "WAITING", "IDLE", "DONE"}
}

// collectives prints times and bandwidths of calls.
func (p Program) collectives(r *replayed) error {
	list := timeline.Collectives(r.trace, r.log)
	if len(list) == 0 {
		p.Notices([]string{"the trace names no collectives, so --calls shows nothing; traces in GOAL have none"})
		return nil
	}
	rows := [][]string{{"CALL", "GROUPS", "RANKS", "CALLS", "BYTES", "TIME, NS", "RANK TIME, NS", "ALGBW, GB/S", "BUSBW, GB/S"}}
	for i := range list {
		if i == mostRanks {
			rows = append(rows, append([]string{fmt.Sprintf("%d more, which --json lists", len(list)-i)}, make([]string, len(rows[0])-1)...))
			break
		}
		c := &list[i]
		calls := strconv.Itoa(c.Calls)
		if c.Unfinished > 0 {
			calls += fmt.Sprintf(" of %d", c.Calls+c.Unfinished)
		}
		rows = append(rows, []string{
			c.Name, c.Group, strconv.Itoa(c.Ranks), calls, strconv.FormatInt(c.Size, 10), decimal(c.Time), decimal(c.RankTime), readable.GBps(c.Algorithm()), readable.GBps(c.Bus()),
		})
	}
	if err := p.table(rows, 2); err != nil {
		return err
	}
	_, err := fmt.Fprintln(p.Stdout, "bytes and times are added up over calls; bandwidths are those of nccl-tests")
	return err
}

// critical prints the critical path.
func (p Program) critical(r *replayed, most int) error {
	path := timeline.Critical(r.trace, r.log)
	rows := [][]string{{"CRITICAL PATH", "TIME", "SHARE"}}
	for class, sum := range path.Sums() {
		class := timeline.Class(class)
		if class == timeline.Other && sum == 0 {
			continue
		}
		rows = append(rows, []string{class.String(), decimal(sum), share(sum, r.end-r.begin)})
		if class == timeline.Transfer {
			for _, of := range r.transfers(path) {
				rows = append(rows, []string{"  " + strings.TrimSpace(of.name+" "+of.group), decimal(of.time), share(of.time, r.end-r.begin)})
			}
		}
	}
	if err := p.table(rows, 1); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.Stdout, "%s ns in %s\n", decimal(r.end-r.begin), readable.Count(len(path), "segment")); err != nil {
		return err
	}
	messages := path.Longest(most, timeline.Transfer)
	if len(messages) == 0 {
		return nil
	}
	rows = [][]string{{"LONGEST MESSAGES", "OPERATION", "TO", "TIME", "SHARE", "AT"}}
	for _, m := range messages {
		s := &r.trace.Ranks[m.Op.Rank]
		rows = append(rows, []string{
			fmt.Sprintf("rank %d", m.Op.Rank), s.Describe(m.Op.Op), r.receive(m.Recv), decimal(m.End - m.Begin), share(m.End-m.Begin, r.end-r.begin), decimal(m.Begin),
		})
	}
	return p.table(rows, 3)
}

// transfers is how long a path is in messages of collectives of one class.
type transfers struct {
	name, group string
	time        unit.Time
}

// transfers sums up the messages of a path by collective, the longest first. Messages of none count together if
// others are of one.
func (r *replayed) transfers(path timeline.Path) (list []transfers) {
	found := false
	for _, s := range path {
		if s.Class != timeline.Transfer {
			continue
		}
		of := transfers{name: "no collective"}
		if call, ok := r.trace.Ranks[s.Op.Rank].CallOf(s.Op.Op); ok {
			found = true
			of.name, of.group = r.trace.Calls[call].Name, timeline.GroupClass(r.trace.Calls[call].Group)
		}
		i := slices.IndexFunc(list, func(o transfers) bool { return o.name == of.name && o.group == of.group })
		if i < 0 {
			i = len(list)
			list = append(list, of)
		}
		list[i].time += s.End - s.Begin
	}
	if !found {
		return nil
	}
	slices.SortStableFunc(list, func(a, b transfers) int { return cmp.Compare(b.time, a.time) })
	return list
}

// receive names the receive of a message.
func (r *replayed) receive(op timeline.Ref) string {
	if op.Rank < 0 {
		return "-"
	}
	return r.trace.Ranks[op.Rank].Name(op.Op)
}

func share(of, total unit.Time) string { return percent(float64(of) / float64(max(total, 1))) }

// percent is a share to a hundredth of a percent at most.
func percent(share float64) string { return readable.Percent(math.Round(share*1e4) / 1e4) }

// table prints a table after what was printed before.
func (p Program) table(rows [][]string, left int) error {
	if _, err := fmt.Fprintln(p.Stdout); err != nil {
		return err
	}
	return tabular.Write(p.Stdout, rows, left, 0)
}

// export writes a file for Perfetto.
func (p Program) export(v *views, r *replayed) error {
	path := v.perfetto
	o := perfetto.Fitting(r.trace)
	left := 0
	err := userfile.Stream(path, func(w io.Writer) (err error) {
		left, err = perfetto.Write(w, r.trace, r.log, o)
		return err
	})
	if err != nil {
		return p.Wrong(err)
	}
	if !o.Operations {
		p.Notices([]string{fmt.Sprintf("%s has states, calls and the critical path alone, since Perfetto cannot show %d operations", path, r.trace.Operations())})
	}
	if left > 0 {
		p.Notices([]string{fmt.Sprintf("%s lacks %d sends, receives or calls: more than 64 of a rank last at the same time", path, left)})
	}
	return p.wrote(v, path+": open it at ui.perfetto.dev")
}

// draw draws the states of ranks.
func (p Program) draw(v *views, r *replayed) error {
	ranks := report.RankRows(len(r.trace.Ranks))
	c := report.RankChart{
		Ranks: ranks, Total: len(r.trace.Ranks), Begin: r.begin, End: r.end,
		Rows: timeline.Timeline(r.trace, r.log, ranks, r.begin, r.end, report.RankStep(r.begin, r.end)),
	}
	if err := c.Save(v.figure); err != nil {
		return p.Wrong(err)
	}
	return p.wrote(v, fmt.Sprintf("%s: %d of %s", v.figure, len(ranks), readable.Count(len(r.trace.Ranks), "rank")))
}

// wrote says that a file was written, unless the output is JSON.
func (p Program) wrote(v *views, text string) error {
	if v.quiet {
		return nil
	}
	_, err := fmt.Fprintln(p.Stdout, text)
	return err
}
