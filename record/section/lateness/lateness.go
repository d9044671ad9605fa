// Package lateness is a run's section on packet lateness, for runs at the pace of the clock (weft
// emulate, weft run --on wire). If packets are too late, the run shows nothing about the fabric.
package lateness

import (
	"encoding/json"
	"fmt"
	"strconv"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Most is how late one packet in a hundred may be, in transmission times of a full frame on its
// host's link. A run above that is void.
const Most = 0.5

// Late sums up how late packets were: on the way from the sending host to the fabric, and on the
// way from the fabric to the receiving host.
type Late struct {
	Packets         uint64
	P50, P99, Worst unit.Time
	// P50Frame and P99Frame are in transmission times of a full frame on the host's link.
	P50Frame, P99Frame float64
	// Port is the host link whose packets were latest. PortFrame is their 99th percentile, in
	// transmission times of a full frame.
	Port      string
	PortFrame float64
	// Lost counts packets that the machine did not read or deliver in time.
	Lost uint64
	// Unread counts datagrams that a receiving host's kernel dropped because the endpoint did not
	// read its socket in time. UnreadAt is the host with the most of them. Unsent counts
	// datagrams that a sending host's kernel had no room for.
	Unread   uint64
	UnreadAt string
	Unsent   uint64
	// Blocked is set if messages may have waited for memory at their sender.
	Blocked bool
}

// inFile is the section in files, with times in microseconds.
type inFile struct {
	Packets   uint64   `json:"packets"`
	P50       *float64 `json:"p50_us"`
	P99       *float64 `json:"p99_us"`
	Worst     *float64 `json:"worst_us"`
	P50Frame  float64  `json:"p50_frames"`
	P99Frame  float64  `json:"p99_frames"`
	Port      string   `json:"port,omitempty"`
	PortFrame float64  `json:"port_p99_frames"`
	Lost      uint64   `json:"lost,omitempty"`
	Unread    uint64   `json:"unread,omitempty"`
	UnreadAt  string   `json:"unread_at,omitempty"`
	Unsent    uint64   `json:"unsent,omitempty"`
	Blocked   bool     `json:"blocked,omitempty"`
	// Void follows from the other fields.
	Void bool `json:"void"`
}

// MarshalJSON implements json.Marshaler.
func (l *Late) MarshalJSON() ([]byte, error) {
	return json.Marshal(inFile{
		Packets: l.Packets, P50: micros.Of(l.P50), P99: micros.Of(l.P99), Worst: micros.Of(l.Worst),
		P50Frame: l.P50Frame, P99Frame: l.P99Frame, Port: l.Port, PortFrame: l.PortFrame,
		Lost: l.Lost, Unread: l.Unread, UnreadAt: l.UnreadAt, Unsent: l.Unsent, Blocked: l.Blocked, Void: l.Void() != "",
	})
}

// UnmarshalJSON implements json.Unmarshaler.
func (l *Late) UnmarshalJSON(data []byte) error {
	var f inFile
	err := json.Unmarshal(data, &f)
	*l = Late{
		Packets: f.Packets, P50: micros.Time(f.P50), P99: micros.Time(f.P99), Worst: micros.Time(f.Worst),
		P50Frame: f.P50Frame, P99Frame: f.P99Frame, Port: f.Port, PortFrame: f.PortFrame,
		Lost: f.Lost, Unread: f.Unread, UnreadAt: f.UnreadAt, Unsent: f.Unsent, Blocked: f.Blocked,
	}
	return err
}

// Void returns why a run shows nothing about the fabric, or "" if it is valid evidence.
func (l *Late) Void() string {
	switch {
	case l.Lost > 0:
		return fmt.Sprintf("this machine lost %d packets that it had no time for", l.Lost)
	case l.Unread > 0:
		return fmt.Sprintf("this machine lost %d packets in sockets that were not read in time, most of them in the buffers of %s", l.Unread, l.UnreadAt)
	case l.Unsent > 0:
		return fmt.Sprintf("this machine lost %d packets that kernels of hosts had no room to send", l.Unsent)
	case l.PortFrame > max(Most, l.P99Frame):
		return fmt.Sprintf("packets over %s were late by %s frame times at the 99th percentile; above %v a run is void", l.Port, share(l.PortFrame), Most)
	case l.P99Frame > Most:
		return fmt.Sprintf("packets were late by %s frame times at the 99th percentile; above %v a run is void", share(l.P99Frame), Most)
	case l.Blocked:
		return "messages waited for memory of their sender, which the scenario does not have"
	}
	return ""
}

func share(frames float64) string { return strconv.FormatFloat(frames, 'f', 2, 64) }

// Kind declares the section.
func Kind() section.Kind {
	return section.Kind{
		New:        func() section.Section { return new(Late) },
		Highlights: []section.Highlight{{Metric: "late_p99_frames", Heading: "late, p99", Unit: "frame times"}},
	}
}

// Of returns a run's section, or nil.
func Of(set section.Set) *Late { return section.Of[*Late](set) }

// Name implements section.Section.
func (*Late) Name() string { return "lateness" }

// Metrics implements section.Section.
func (l *Late) Metrics(section.Run) []section.Metric {
	metric := func(name, title, of string, value float64) section.Metric {
		return section.Metric{Name: name, Title: title, Unit: of, Value: value, LowerIsBetter: true, Basis: section.Basis{Shortfall: true}}
	}
	void := 0.0
	if l.Void() != "" {
		void = 1
	}
	return []section.Metric{
		metric("late_p50_us", "packets late, median", "us", inMicros(l.P50)),
		metric("late_p99_us", "packets late, 99th percentile", "us", inMicros(l.P99)),
		metric("late_worst_us", "packets late, latest", "us", inMicros(l.Worst)),
		metric("late_p99_frames", "packets late, 99th percentile", "frame times", l.P99Frame),
		metric("late_port_frames", "packets late, 99th percentile of the worst link", "frame times", l.PortFrame),
		metric("void", "runs that show nothing", "", void),
	}
}

func inMicros(t unit.Time) float64 { return float64(t) / float64(unit.Microsecond) }

// Columns returns the 99th percentile of the worst link.
func (l *Late) Columns(section.Run) []section.Column {
	return []section.Column{{Above: "late p99", Below: "frames", Text: share(max(l.P99Frame, l.PortFrame))}}
}
