package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/histogram"
	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/internal/userfile"
	"weft/record"
	"weft/unit"
	"weft/workload/flowfile"
)

// maxCompletions is how large a file of completion times is at most.
const maxCompletions = unit.GiB

// fct shows and writes completion times in the format of other simulators.
func (p *program) fct() *cobra.Command {
	var out, variant string
	c := &cobra.Command{
		Use:   "fct DIR|FILE",
		Short: "Show slowdowns by size of a run or an HPCC fct file, or write such a file",
		Long: `Show the slowdowns of finished messages by size: those of a run, or those in a file of
completion times (fct.txt) of HPCC's or ConWeave's simulator. Each row is a twentieth of
the messages in order of size, as HPCC's script has it.

With --out the messages are written as such a file, with a line per message:
SIP DIP SPORT DPORT SIZE START_NS FCT_NS STANDALONE_NS. As in the simulators a message ends
when its sender has the last acknowledgement.`,
		Example: `  weft fct out/run
  weft fct out/run --out fct.txt
  weft fct fct.txt`,
		Args: exactly("a folder of results or a file"),
		RunE: func(_ *cobra.Command, args []string) error {
			done, err := p.completions(args[0], variant)
			if err != nil {
				return badInput(err)
			}
			if out == "" {
				return done.writeTable(p.stdout)
			}
			return p.writeWorkload(out, func(w io.Writer) error { return badInput(flowfile.WriteCompletions(w, done.list)) }, readable.Count(len(done.list), "finished message"))
		},
	}
	c.Flags().StringVar(&out, "out", "", "file of completion times to write, in place of the table")
	c.Flags().StringVar(&variant, "variant", "", "variant of a comparison (default the first)")
	completes(c, "variant", recordedVariants)
	return c
}

// completions are finished messages, with what their slowdowns are.
type completions struct {
	list  []flowfile.Completion
	ideal string
}

// What slowdowns of completions are: those of a file, and of a run whose senders know when their
// messages ended, or do not.
const (
	idealOfFile   = "the file's completion time over its standalone time"
	idealOfSender = "time until the sender has the last acknowledgement, over the same of the message alone (" + record.IdealAcknowledged + ")"
	idealOfEnd    = "completion time at the receiver over that of the message alone (" + record.IdealWithHeaders + ")"
)

// completions reads the finished messages of a run, or those in a file.
func (p *program) completions(path, variant string) (completions, error) {
	var none completions
	info, err := os.Stat(path)
	if err != nil {
		return none, fmt.Errorf("%w; name a folder that weft run wrote, or a file of completion times", err)
	}
	if !info.IsDir() {
		if variant != "" {
			return none, fmt.Errorf("--variant is for folders, and %s is a file; leave it out", path)
		}
		f, err := userfile.Open(path, maxCompletions)
		if err != nil {
			return none, err
		}
		defer f.Close()
		list, err := flowfile.ReadCompletions(f, path)
		return completions{list, idealOfFile}, err
	}
	variants, err := record.Variants(path)
	if err != nil {
		return none, err
	}
	if variant == "" && len(variants) > 1 {
		names := make([]string, len(variants))
		for i, v := range variants {
			names[i] = v.Name
		}
		p.notices([]string{fmt.Sprintf("this is variant %s of %s; choose with --variant", names[0], strings.Join(names, ", "))})
		variant = names[0]
	}
	folder, err := chooseRun(path, variant)
	if err != nil {
		return none, err
	}
	r, err := record.ReadFolder(folder)
	if err != nil {
		return none, err
	}
	for _, n := range r.Summary.Notices() {
		p.notices([]string{n.Of(r.Summary.Name)})
	}
	done, notices, err := completionsOf(r)
	p.notices(notices)
	return done, err
}

// completionsOf lists the measured messages of a run that ended, by their ends.
func completionsOf(r *record.Result) (done completions, notices []string, err error) {
	nodes := make(map[string]int32, len(r.Nodes))
	for i := range r.Nodes {
		nodes[r.Nodes[i].Name] = int32(i)
	}
	flows := slices.Clone(r.Flows)
	slices.SortFunc(flows, func(a, b record.Flow) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.ID, b.ID)) })
	confirmed := slices.ContainsFunc(flows, func(f record.Flow) bool { return f.SenderEnd != record.Unfinished })
	unfinished, without := 0, 0
	ports := map[[2]int32]int64{}
	type ending struct {
		flowfile.Completion
		at unit.Time
	}
	var ended []ending
	for i := range flows {
		f := &flows[i]
		src, there := nodes[f.Src]
		dst, too := nodes[f.Dst]
		if !there || !too {
			return done, nil, fmt.Errorf("the results do not list the nodes of the topology, as those of an earlier version of weft; run the scenario again")
		}
		end, alone := f.SenderEnd, f.IdealAck
		if !confirmed {
			end, alone = f.End, f.Ideal
		}
		pair := [2]int32{src, dst}
		port := flowfile.FirstPort + ports[pair]
		ports[pair] = (ports[pair] + 1) % (1<<16 - flowfile.FirstPort)
		switch {
		case !f.Measured:
		case end == record.Unfinished:
			unfinished++
		case alone < unit.Nanosecond:
			without++
		default:
			ended = append(ended, ending{flowfile.Completion{
				Src: src, Dst: dst, SrcPort: port, DstPort: flowfile.UsualPort,
				Size: f.Bytes, Start: f.Start, FCT: end - f.Start, Standalone: alone,
			}, end})
		}
	}
	slices.SortStableFunc(ended, func(a, b ending) int { return cmp.Compare(a.at, b.at) })
	for _, e := range ended {
		done.list = append(done.list, e.Completion)
	}
	done.ideal = idealOfSender
	if !confirmed {
		done.ideal = idealOfEnd
	}
	if unfinished > 0 {
		notices = append(notices, fmt.Sprintf("%s did not finish and have no line, as in the simulators", readable.Count(unfinished, "message")))
	}
	if without > 0 {
		notices = append(notices, fmt.Sprintf("left out: %s without an ideal completion time, as of groups with slowdowns: false", readable.Count(without, "message")))
	}
	if !confirmed && len(done.list) > 0 {
		notices = append(notices, "no sender knows when its messages ended, so completion times are those at receivers")
	}
	return done, notices, nil
}

// slowdownRows is in how many rows of as many messages each slowdowns are shown.
const slowdownRows = 20

// writeTable writes percentiles of slowdowns by size, and which slowdowns they are.
func (c completions) writeTable(out io.Writer) error {
	list := slices.Clone(c.list)
	slices.SortStableFunc(list, func(a, b flowfile.Completion) int { return cmp.Compare(a.Size, b.Size) })
	rows := [][]string{{"messages", "up to", "slowdown p50", "p95", "p99", "largest"}}
	row := func(part []flowfile.Completion) {
		values := make([]float64, len(part))
		for i := range part {
			values[i] = part[i].Slowdown()
		}
		slices.Sort(values)
		cells := []string{strconv.Itoa(len(part)), fmt.Sprintf("%d B", int64(part[len(part)-1].Size))}
		for _, v := range []float64{histogram.Percentile(values, 50), histogram.Percentile(values, 95), histogram.Percentile(values, 99), values[len(values)-1]} {
			cells = append(cells, fmt.Sprintf("%.3f", v))
		}
		rows = append(rows, cells)
	}
	from := 0
	for i := 1; i <= slowdownRows; i++ {
		if to := len(list) * i / slowdownRows; to > from {
			row(list[from:to])
			from = to
		}
	}
	if len(list) > 1 {
		rows = append(rows, []string{"all", "", "", "", "", ""})
		row(list)
	}
	if err := tabular.Write(out, rows, 0, 0); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "slowdown: %s\n", c.ideal)
	return err
}
