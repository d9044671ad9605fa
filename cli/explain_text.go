package cli

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/explain"
	"weft/internal/printable"
	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

func micros(t unit.Time) string { return fmt.Sprintf("%.3f", float64(t)/float64(unit.Microsecond)) }

func share(t, of unit.Time) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(t) / float64(of)
}

// writeExplanation writes why a message took its time, for people, in lines of at most
// width characters.
func writeExplanation(w io.Writer, x *scenario.Explanation, flags *explainFlags, color bool, width int) error {
	t := explanationText{Explanation: x, flags: flags, color: color, width: width}
	t.header()
	t.parts()
	t.portTable()
	t.pauseTable()
	t.sums()
	t.path()
	if flags.packets {
		t.packets()
	}
	_, err := io.WriteString(w, t.String())
	return err
}

type explanationText struct {
	*scenario.Explanation
	strings.Builder
	flags *explainFlags
	color bool
	width int
}

// sayf writes a sentence, which may take several lines.
func (t *explanationText) sayf(format string, args ...any) {
	indented(&t.Builder, fmt.Sprintf(format, args...), "", "", t.width)
}

func (t *explanationText) linef(format string, args ...any) {
	fmt.Fprintf(&t.Builder, format+"\n", args...)
}

func (t *explanationText) heading(text string) {
	if t.color {
		text = printable.Bold + text + printable.Plain
	}
	t.linef("\n%s", text)
}

func (t *explanationText) header() {
	f := &t.Flow
	t.sayf("message %s (id %d): %s to %s, %v in %s", f.Name(), f.ID, f.Src, f.Dst, f.Bytes, readable.Count(int(f.Packets), "packet"))
	least, what := ideal(f)
	compared := ""
	switch {
	case least == 0: // its group has no slowdowns
	case t.Finished:
		compared = fmt.Sprintf("; ideal %s µs, slowdown %.2f (%s)", micros(least), over(t.Total, least), what)
	default:
		compared = fmt.Sprintf("; ideal %s µs", micros(least))
	}
	if !t.Finished {
		t.sayf("started at %s, not delivered after %s µs, when the run ended%s", t.started(), micros(t.Total), compared)
		t.sayf("%s", t.Waits)
	} else {
		t.sayf("started at %s, FCT %s µs%s", t.started(), micros(t.Total), compared)
	}
	if text := slowLinks(t.Account, t.Port); text != "" {
		t.sayf("%s", text)
	}
}

// started is when the message started, after the start of the run, or of the job that is explained.
func (t *explanationText) started() string {
	if job := t.flags.of; job != nil {
		return fmt.Sprintf("%s µs of the job (%s µs of the run)", micros(t.Start-job.Start), micros(t.Start))
	}
	return micros(t.Start) + " µs"
}

// ideal is what the time of a message is compared with, and what that is called: the one
// that tables of runs have, or that of results from before they had it.
func ideal(f *record.Flow) (least unit.Time, what string) {
	if f.IdealBare > 0 {
		return f.IdealBare, record.IdealWithoutHeaders
	}
	return f.Ideal, record.IdealWithHeaders
}

// slowdown is of a message as this command shows it; NaN if it has none.
func slowdown(f *record.Flow) float64 {
	least, _ := ideal(f)
	if !f.Finished() || least == 0 {
		return math.NaN()
	}
	return over(f.FCT(), least)
}

func over(took, least unit.Time) float64 { return float64(took) / float64(least) }

// barWidth is how wide the bar of a whole is.
const barWidth = 30

func (t *explanationText) parts() {
	rows, bars := [][]string{{"where the time went", "µs", "%"}}, []string{""}
	for k, part := range t.Parts {
		if part == 0 {
			continue
		}
		rows = append(rows, []string{explain.Kind(k).Title(), micros(part), fmt.Sprintf("%.1f", share(part, t.Total))})
		bars = append(bars, strings.Repeat("█", int((int64(part)*barWidth+int64(t.Total)/2)/int64(t.Total))))
	}
	what := "FCT"
	if !t.Finished {
		what = "until the end of the run"
	}
	rows, bars = append(rows, []string{what, micros(t.Total), "100.0"}), append(bars, "")
	t.numbers(rows, bars, nameWidth, numberWidth, 5)
	t.linef("")
	for k, part := range t.Parts {
		if text := explain.Kind(k).About(); part > 0 && text != "" {
			t.sayf("%s: %s", explain.Kind(k).Title(), text)
		}
	}
}

// numbers writes rows of a name and numbers, the first of them the heading, in columns of some
// widths at least. Behind each row stands a text.
func (t *explanationText) numbers(rows [][]string, behind []string, least ...int) {
	lines := numberLines(rows, behind, least)
	t.heading(lines[0])
	for _, line := range lines[1:] {
		t.linef("%s", line)
	}
}

func (t *explanationText) portTable() {
	ports := slices.DeleteFunc(slices.Clone(t.Ports), func(p explain.PortShare) bool { return p.Queueing() == 0 })
	if len(ports) == 0 {
		return
	}
	rows := [][]string{{"queueing by port", "µs", "behind own", "others", "frames"}}
	for _, p := range ports[:min(t.flags.top, len(ports))] {
		rows = append(rows, []string{t.Port(p.Port), micros(p.Queueing()), micros(p.Own), micros(p.Others), strconv.Itoa(p.Frames)})
	}
	t.numbers(rows, make([]string, len(rows)), nameWidth, numberWidth, numberWidth, numberWidth, 6)
	t.more(len(ports))
}

func (t *explanationText) more(rows int) {
	if more := rows - t.flags.top; more > 0 {
		t.linef("and %d more; --top shows more", more)
	}
}

// pauseTable says at which ports the path was paused, and by whom.
func (t *explanationText) pauseTable() {
	ports := slices.DeleteFunc(slices.Clone(t.Ports), func(p explain.PortShare) bool { return p.Paused == 0 })
	if len(ports) == 0 {
		return
	}
	slices.SortStableFunc(ports, func(a, b explain.PortShare) int { return cmp.Compare(b.Paused, a.Paused) })
	rows, pausers := [][]string{{"pauses by port", "µs"}}, []string{"paused by"}
	for _, p := range ports[:min(t.flags.top, len(ports))] {
		rows = append(rows, []string{t.Port(p.Port), micros(p.Paused)})
		pausers = append(pausers, pauser(t.Explanation, p.Port))
	}
	t.numbers(rows, pausers, nameWidth, numberWidth)
	t.more(len(ports))
}

func (t *explanationText) sums() {
	t.linef("")
	until := "delivery"
	if !t.Finished {
		until = "the end of the run"
	}
	t.sayf("until %s %s sent, %d of them again; %s, %s, %d marked", until, readable.Count(t.Sent, "packet"), t.Retransmits,
		readable.Count(t.Timeouts, "timeout"), readable.Count(t.TrimReports, "trim report"), t.Marked)
	if more := t.Flow.Retransmits - int64(t.Retransmits); t.Finished && more > 0 {
		t.sayf("%d were retransmitted by the end of the run: %d after delivery, before the sender knew of it", t.Flow.Retransmits, more)
	}
	losses := readable.Count(t.Count(explain.LostCopy), "lost packet")
	if t.Credited {
		t.sayf("the receiver sent %s; %s left before the first of these, unscheduled or on credit for other messages", readable.Count(t.Grants, "credit or other control packet"), readable.Count(t.Unscheduled, "packet"))
		t.without("without credit", t.NoCredit, explain.Credit)
		t.sayf("the path leads over %s and %s",
			readable.Count(t.Count(explain.CreditTrip)+t.Count(explain.RequestTrip), "credit"), losses)
	} else {
		t.without("window closed", t.WindowClosed, explain.Window)
		if t.Paced > 0 {
			t.sayf("held back by the pace of its congestion control for %s µs (%.1f %%)", micros(t.Paced), share(t.Paced, t.Total))
		}
		t.sayf("the path leads over %s and %s",
			readable.Count(t.Count(explain.RoundTrip), "acknowledgement"), losses)
	}
	if n := t.Count(explain.Guess); n > 0 {
		t.sayf("note: the causes of %d steps of the path lie with other messages of the connection", n)
	}
}

// without tells how long a message might not be sent, and what the account made of that.
func (t *explanationText) without(what string, took unit.Time, kind explain.Kind) {
	text := fmt.Sprintf("%s for %s µs (%.1f %%)", what, micros(took), share(took, t.Total))
	if took > 0 {
		text += fmt.Sprintf(": the table counts most of that time as what happened meanwhile, such as queueing or other messages on the host's wire, and only the rest as %s", kind.Title())
	}
	t.sayf("%s", text)
}

// path shows the longest steps of the critical path.
func (t *explanationText) path() {
	longest := make([]*explain.Step, len(t.Steps))
	for i := range t.Steps {
		longest[i] = &t.Steps[i]
	}
	slices.SortStableFunc(longest, func(a, b *explain.Step) int { return cmp.Compare(b.To-b.From, a.To-a.From) })
	n := min(t.flags.top, len(longest))
	heading := fmt.Sprintf("the longest %d of %d steps of the critical path", n, len(longest))
	if n == len(longest) {
		heading = "the critical path"
	}
	t.heading(heading)
	longest = longest[:n]
	slices.SortFunc(longest, func(a, b *explain.Step) int { return cmp.Compare(a.From, b.From) })
	rows := [][]string{{"after µs", "µs", "step", "µs of it"}}
	for _, s := range longest {
		rows = append(rows, []string{micros(s.From - t.Start), micros(s.To - s.From), t.name(s), t.largest(s)})
	}
	t.steps(rows)
}

// steps writes rows as a table; if that is wider than the terminal, the last column stands
// below the others.
func (t *explanationText) steps(rows [][]string) {
	var widths [4]int
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	before := widths[0] + 2 + widths[1] + 2
	narrow := t.width > 0 && before+widths[2]+2+widths[3] > t.width
	for _, row := range rows {
		first := fmt.Sprintf("%-*s  %-*s  ", widths[0], row[0], widths[1], row[1])
		if !narrow {
			t.linef("%s%-*s  %s", first, widths[2], row[2], row[3])
			continue
		}
		below := strings.Repeat(" ", before)
		indented(&t.Builder, row[2], first, below, t.width)
		indented(&t.Builder, row[3], below+"  ", below+"  ", t.width)
	}
}

// name says what a step is.
func (t *explanationText) name(s *explain.Step) string {
	packet := fmt.Sprintf("packet %d", s.Packet)
	if s.Other {
		packet += " of another message"
	}
	switch s.Does {
	case explain.LastJourney:
		return packet + " completes it"
	case explain.Turn:
		return packet + " waits for its turn"
	case explain.RoundTrip:
		return "round trip of " + packet
	case explain.CreditTrip:
		return packet + ", and the credit that followed it"
	case explain.RequestTrip:
		return "request, and the credit that followed it"
	case explain.Spacing:
		return packet + " is not due by its pace"
	case explain.LostCopy:
		switch {
		case s.LostPort == explain.None:
			return packet + " is declared lost"
		case s.Why == explain.WasTrimmed:
			return fmt.Sprintf("%s is trimmed at %s", packet, t.Port(s.LostPort))
		}
		return fmt.Sprintf("%s is lost at %s (%s)", packet, t.Port(s.LostPort), s.Why)
	}
	return s.Does.String()
}

// largest lists the largest parts of a step.
func (t *explanationText) largest(s *explain.Step) string {
	const most = 3
	var order []explain.Kind
	for k, part := range s.Parts {
		if part > 0 {
			order = append(order, explain.Kind(k))
		}
	}
	slices.SortStableFunc(order, func(a, b explain.Kind) int { return cmp.Compare(s.Parts[b], s.Parts[a]) })
	var list []string
	told := false
	for _, k := range order[:min(most, len(order))] {
		text := micros(s.Parts[k]) + " " + k.Title()
		if (k == explain.QueueOwn || k == explain.QueueOthers) && !told {
			told = true
			text += " (most at " + t.Port(s.Worst) + ")"
		}
		if k == explain.Pause {
			text += fmt.Sprintf(" (most by %s, at %s)", pauser(t.Explanation, s.Paused), t.Port(s.Paused))
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// table writes what fill writes, with columns between tabs. Columns of numbers are
// filled up to the left by their writer.
func (t *explanationText) table(fill func(io.Writer)) {
	var rows strings.Builder
	fill(&rows)
	t.WriteString(tabular.Tabbed(rows.String()))
}

func (t *explanationText) packets() {
	t.heading("packets")
	t.table(func(w io.Writer) {
		layer := ""
		if t.Layers > 0 {
			layer = "\tlayer"
		}
		fmt.Fprintf(w, "packet\tcopy\tsent after µs\tarrived\ttook µs\tqueueing µs\tentropy%s\tpath\tfate\n", layer)
		for _, f := range t.Frames {
			if f.Kind != explain.Data {
				continue
			}
			arrived, took := "-", "-"
			if f.Delivered != explain.Never {
				arrived, took = micros(f.Delivered-t.Start), micros(f.Delivered-f.Sent)
			}
			if t.Layers > 0 {
				layer = fmt.Sprintf("\t%d", t.Layer(f))
			}
			fmt.Fprintf(w, "%d\t%d\t%s\t%s\t%s\t%s\t%d%s\t%s\t%s\n", f.Packet, f.Copy, micros(f.Sent-t.Start), arrived, took,
				micros(f.Queueing()), f.Entropy, layer, nodes(t.Explanation, f), fate(t.Explanation, f))
		}
	})
}

// listSlowest lists messages, the slowest first.
func (p *program) listSlowest(flows []record.Flow, flags *explainFlags) error {
	what := ""
	var w strings.Builder
	fmt.Fprintln(&w, "message\tid\tto\tsize\tstart µs\tFCT µs\tslowdown\tresent\ttimeouts")
	for _, f := range flows[:min(flags.top, len(flows))] {
		if f.Ideal > 0 {
			_, what = ideal(&f)
		}
		fct, slow := "unfinished", "-"
		if f.Finished() {
			fct = micros(f.FCT())
			if v := slowdown(&f); !math.IsNaN(v) {
				slow = fmt.Sprintf("%.2f", v)
			}
		}
		fmt.Fprintf(&w, "%s\t%d\t%s\t%v\t%s\t%s\t%s\t%s\t%s\n", f.Name(), f.ID, f.Dst, f.Bytes, micros(f.Start), fct, slow, record.CountText(f.Retransmits), record.CountText(f.Timeouts))
	}
	if _, err := io.WriteString(p.stdout, tabular.Tabbed(w.String())); err != nil {
		return err
	}
	if what != "" {
		fmt.Fprintf(p.stdout, "slowdown is FCT over the %s\n", what)
	}
	fmt.Fprintln(p.stdout, "retransmissions and timeouts count to the end of the run, also after delivery")
	if more := len(flows) - flags.top; more > 0 {
		fmt.Fprintf(p.stdout, "and %d more; --top shows more\n", more)
	}
	return nil
}
