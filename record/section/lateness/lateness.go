// Package lateness is the section of a run at the pace of the clock (weft emulate, weft run --on wire): by how much its packets
// were late, which tells whether it shows anything of the fabric.
package lateness

import (
	"encoding/json"
	"fmt"
	"strconv"

	"weft/record/internal/micros"
	"weft/record/section"
	"weft/unit"
)

// Most is how late one packet in a hundred may be, in times of a full frame on the link of its host. A run above that is void.
const Most = 0.5

// Late sums up by how much packets were late: from when a host sent them until the fabric had them, and from when the fabric had
// them at their host until they were there.
type Late struct {
	Packets         uint64
	P50, P99, Worst unit.Time
	// P50Frame and P99Frame are in times of a full frame on the link of their host.
	P50Frame, P99Frame float64
	// Port is the link to a host whose packets were the latest, and PortFrame their 99th percentile in times of a full frame.
	Port      string
	PortFrame float64
	// Lost are packets that the machine did not read or deliver in time.
	Lost uint64
	// Unread are datagrams for endpoints that the kernel of their host had no room for, since their socket was not read in time, and UnreadAt is
	// the host with the most of them. Unsent are datagrams of endpoints that their kernel had no room for.
	Unread   uint64
	UnreadAt string
	Unsent   uint64
	// Blocked tells that messages may have waited for memory of their sender.
	Blocked bool
}

// inFile is how files have it, with times as numbers of microseconds.
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
	// Void follows from the others.
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

// Void tells why a run shows nothing of the fabric; "" if it may be taken as evidence.
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

// Of returns the section of a run, nil if it has none.
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

// Columns has the 99th percentile of the worst link.
func (l *Late) Columns(section.Run) []section.Column {
	return []section.Column{{Above: "late p99", Below: "frames", Text: share(max(l.P99Frame, l.PortFrame))}}
}
