package emulating

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"weft/emulate"
	"weft/internal/readable"
	"weft/internal/tabular"
	"weft/record"
	"weft/record/section/lateness"
	"weft/unit"
)

// mostPorts is how many ports the table has at most.
const mostPorts = 16

// text prints what a run came to.
func text(to io.Writer, r *emulate.Result) error {
	fmt.Fprintln(to)
	if rows := ports(r.Ports); len(rows) > 1 {
		if err := tabular.Write(to, rows, 1, 0); err != nil {
			return err
		}
		fmt.Fprintln(to)
	}
	n := &r.Packets
	fmt.Fprintf(to, "%s carried in %v, %s dropped by the fabric, %s marked\n", packets(n.Left), brief(r.Summary.Simulated), packets(n.Dropped), packets(n.Marked))
	if r.Summary.ECNMarks > int64(n.Marked) {
		fmt.Fprintln(to, "ports marked more packets, which are not capable of ECN and so carry no mark")
	}
	fmt.Fprintln(to, late(r))
	for _, one := range []struct {
		n    uint64
		what string
	}{
		{n.Refused + r.Overrun, "dropped by a host whose queue was full: a program sends faster than its link"},
		{n.Large, "dropped that were larger than the MTU"},
		{n.Strange, "dropped that were for no host of the fabric"},
		{r.Lost, "lost since this machine did not read them in time; what came of them is no evidence"},
		{r.SentLost, "lost between a host and the fabric, since this machine was behind; what came of them is no evidence"},
		{r.ReceivedLost, "lost between the fabric and their host, since this machine was behind; what came of them is no evidence"},
		{r.Untaken, "not taken by the kernel for their host"},
	} {
		if one.n > 0 {
			fmt.Fprintf(to, "%s %s\n", packets(one.n), one.what)
		}
	}
	for _, u := range r.Unread {
		fmt.Fprintf(to, "%s dropped by %s, where a program did not read its socket in time\n", readable.Count(int(u.Datagrams), "datagram"), u.Host)
	}
	for _, note := range r.Notes {
		fmt.Fprintln(to, note)
	}
	return nil
}

// late says how late packets were.
func late(r *emulate.Result) string {
	l := r.Late
	if l.Packets == 0 {
		return "no packet was late, since none was carried"
	}
	text := fmt.Sprintf("packets were late by %v (median), %v (99th percentile), %v (worst): %s and %s of a full packet's time on the link",
		brief(l.P50), brief(l.P99), brief(l.Worst), share(l.P50Frame), share(l.P99Frame))
	if l.Port != "" {
		text += fmt.Sprintf("; over the worst link, %s, %s (99th percentile)", l.Port, share(l.PortFrame))
	}
	return text
}

// brief is a time to three figures.
func brief(t unit.Time) time.Duration {
	return readable.Duration(time.Duration(t/unit.Nanosecond), 3)
}

func share(frames float64) string { return strconv.FormatFloat(frames, 'f', 2, 64) }

func packets(n uint64) string { return readable.Count(int(n), "packet") }

// ports are the links that carried something, those with the most drops, marks and bytes first.
func ports(all []record.Port) [][]string {
	used := slices.DeleteFunc(slices.Clone(all), func(p record.Port) bool { return p.Frames == 0 })
	slices.SortStableFunc(used, func(a, b record.Port) int {
		return slices.Compare([]int64{b.Total(), b.Marks, b.SentBytes}, []int64{a.Total(), a.Marks, a.SentBytes})
	})
	rows := [][]string{{"LINK", "RATE", "SENT", "FRAMES", "DROPPED", "MARKED", "QUEUE MAX"}}
	for i, p := range used {
		if i == mostPorts {
			rows = append(rows, []string{fmt.Sprintf("%d more", len(used)-i)})
			break
		}
		rows = append(rows, []string{
			p.Name, p.Rate.String(), unit.Bytes(p.SentBytes).String(), strconv.FormatInt(p.SentFrames, 10),
			strconv.FormatInt(p.Total(), 10), strconv.FormatInt(p.Marks, 10), p.QueueMax.String(),
		})
	}
	return rows
}

// report is the run as JSON.
type report struct {
	Scenario string  `json:"scenario"`
	Seconds  float64 `json:"seconds"`
	Commands []exit  `json:"commands"`
	Packets  counts  `json:"packets"`
	// Late is as in summary.json.
	Late  *lateness.Late `json:"late"`
	Ports []port         `json:"ports"`
	Notes []string       `json:"notes,omitempty"`
}

// port is a row of ports.parquet with plain numbers. A rate or a size would be a text with its unit.
type port struct {
	record.Port
	Rate     int64 `json:"rate_bps"`
	QueueMax int64 `json:"queue_max_bytes"`
}

type exit struct {
	Host    string `json:"host"`
	Command string `json:"command"`
	Status  int    `json:"status"`
	Error   string `json:"error,omitempty"`
}

type counts struct {
	Entered uint64 `json:"entered"`
	Left    uint64 `json:"left"`
	Dropped uint64 `json:"dropped"`
	Marked  uint64 `json:"marked"`
	Refused uint64 `json:"refused_by_full_hosts"`
	Large   uint64 `json:"above_mtu"`
	Strange uint64 `json:"for_no_host"`
	Lost    uint64 `json:"not_read_in_time"`
	Untaken uint64 `json:"not_taken"`
	// These are there only if they are above 0.
	SentLost     uint64 `json:"lost_from_hosts,omitempty"`
	ReceivedLost uint64 `json:"lost_to_hosts,omitempty"`
	// Unread are the datagrams that sockets of programs had no room for, by host.
	Unread map[string]uint64 `json:"unread_by_hosts,omitempty"`
}

func object(r *emulate.Result) report {
	n := &r.Packets
	o := report{
		Scenario: r.Summary.Name, Seconds: seconds(r.Summary.Simulated), Ports: []port{}, Notes: r.Notes, Commands: []exit{}, Late: r.Late,
		Packets: counts{
			Entered: n.Entered, Left: n.Left, Dropped: n.Dropped, Marked: n.Marked, Refused: n.Refused + r.Overrun, Large: n.Large, Strange: n.Strange,
			Lost: r.Lost, Untaken: r.Untaken, SentLost: r.SentLost, ReceivedLost: r.ReceivedLost,
		},
	}
	for _, one := range r.Ports {
		o.Ports = append(o.Ports, port{one, int64(one.Rate), int64(one.QueueMax)})
	}
	for _, u := range r.Unread {
		if o.Packets.Unread == nil {
			o.Packets.Unread = map[string]uint64{}
		}
		o.Packets.Unread[u.Host] = u.Datagrams
	}
	for _, e := range r.Exits {
		one := exit{Host: e.Host, Command: e.Line, Status: e.Status}
		if e.Err != nil {
			one.Error = e.Err.Error()
			if endedWithRun(e.Err) {
				one.Error = "ended with the run"
			}
		}
		o.Commands = append(o.Commands, one)
	}
	return o
}

// endedWithRun tells that a command was ended since the run was over, which is no failure.
func endedWithRun(err error) bool { return errors.Is(err, context.Canceled) }

func seconds(t unit.Time) float64 { return float64(t) / float64(unit.Second) }

// verdict tells what makes a run a failure.
func verdict(r *emulate.Result) error {
	var errs []error
	for _, e := range r.Exits {
		switch {
		case endedWithRun(e.Err):
		case e.Err != nil:
			errs = append(errs, fmt.Errorf("on %s, %q: %w", e.Host, e.Line, e.Err))
		case e.Status != 0 && !e.Terminal: // a shell has the status of whatever was typed last
			errs = append(errs, fmt.Errorf("on %s, %q: exit status %d", e.Host, e.Line, e.Status))
		}
	}
	if why := r.Summary.Void(); why != "" {
		errs = append(errs, fmt.Errorf("this run shows nothing of the fabric: %s", why))
	}
	return errors.Join(errs...)
}
