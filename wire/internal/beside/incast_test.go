package beside

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/unit"
	"weft/workload/matrix"
)

// What SIRD promises of a receiver: at most B of credit is out at once, and its link holds no more of scheduled data than B less one
// bandwidth-delay product (NSDI 2025, §4.1 and §6.1.1).
const (
	mostCredit = bdp * 3 / 2
	mostQueue  = mostCredit - bdp
)

// listed returns the messages of the scenario's file.
func listed(t testing.TB) (list []message) {
	t.Helper()
	f, err := os.Open(strings.TrimSuffix(file, "yaml") + "cm")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := matrix.Read(f, f.Name())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Connections {
		list = append(list, message{from: int(c.Src), to: int(c.Dst), start: c.Start, bytes: c.Size})
	}
	slices.SortFunc(list, byStart)
	return list
}

// equal demands that two outcomes are the same, to the picosecond, and each decision of each transport.
func equal(t *testing.T, sim, wire *outcome) {
	t.Helper()
	if len(sim.messages) != len(wire.messages) {
		t.Fatalf("%d messages in the simulator, %d on the wire", len(sim.messages), len(wire.messages))
	}
	for i, m := range sim.messages {
		if m != wire.messages[i] {
			t.Errorf("%+v in the simulator, %+v on the wire", m, wire.messages[i])
		}
	}
	for h := range hosts {
		a, b := sim.sent[h], wire.sent[h]
		if len(a) != len(b) || len(a) == 0 {
			t.Errorf("host %d sends %d packets in the simulator, and %d on the wire", h, len(a), len(b))
		}
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("host %d, packet %d: %+v in the simulator, %+v on the wire", h, i, a[i], b[i])
				break
			}
		}
	}
	if sim.queue != wire.queue || sim.credit != wire.credit || sim.marks != wire.marks {
		t.Errorf("queue %v and %v, credit %v and %v, %d and %d marks", sim.queue, wire.queue, sim.credit, wire.credit, sim.marks, wire.marks)
	}
}

// bounded demands what SIRD promises.
func (o *outcome) bounded(t *testing.T, where string) {
	t.Helper()
	if o.queue > mostQueue || o.credit > mostCredit || o.credit < bdp || o.marks != 0 {
		t.Errorf("%s: a queue of %v, of at most %v, credit of %v, of at most %v, %d marks", where, o.queue, unit.Bytes(mostQueue), o.credit, unit.Bytes(mostCredit), o.marks)
	}
	for _, m := range o.messages {
		if m.end <= m.start {
			t.Errorf("%s: a message did not come: %+v", where, m)
		}
	}
}

// TestAllAtOnce has seven hosts send a message each to the eighth at once. Its link is full: the last byte comes when all credit has
// gone out in time with 99 % of the link, and the last has come back as data. The queue stays short.
func TestAllAtOnce(t *testing.T) {
	const size = 300_000
	var sent []message
	text := "Nodes 8\nConnections 7\n"
	for i := 1; i < hosts; i++ {
		start := unit.Time(i) * 1001
		sent = append(sent, message{from: i, start: start, bytes: size})
		text += fmt.Sprintf("%d->0 start %d size %d\n", i, start, size)
	}
	name := filepath.Join(t.TempDir(), "once.cm")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sim := simulated(t, "traffic.messages.pattern.file="+name)
	padded, _ := wired(t, true, sent)
	equal(t, &sim, &padded)
	plain, _ := wired(t, false, sent)

	// The credit of the first packet goes when the first request has come. That of the last one goes when all others have had their time.
	first := sent[0].start + 2*(rate.Transmit(header)+delay)
	const full, rest = unit.Time(size / payload), size % payload
	pace := rate / 100 * 99
	last := first + 7*(full*pace.Transmit(packet)+pace.Transmit(rest+header)) - pace.Transmit(rest+header)
	want := last + 2*(rate.Transmit(header)+rate.Transmit(rest+header)+2*delay)
	for where, o := range map[string]*outcome{"in the simulator": &sim, "on the wire, padded": &padded, "on the wire": &plain} {
		o.bounded(t, where)
		end := unit.Time(0)
		for _, m := range o.messages {
			end = max(end, m.end)
		}
		// Packets are shorter on the wire, and a packet may wait for another one.
		if off := end - want; off < -8*unit.Microsecond || off > rate.Transmit(packet) {
			t.Errorf("%s: the last byte comes at %v, and the form says %v", where, end, want)
		}
	}
}

// TestIncast runs scenarios/sird/incast-eight.yaml in the simulator and by carriers of the wire. If datagrams are as long as
// transports reckon, both do the same to the picosecond, decision by decision. With datagrams as they are, the link is as full, and messages take about as long. docs/wire.md has the table.
func TestIncast(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds; TestAllAtOnce has the like in less")
	}
	sim, messages := simulated(t), listed(t)
	padded, _ := wired(t, true, messages)
	equal(t, &sim, &padded)
	plain, _ := wired(t, false, messages)
	sim.bounded(t, "in the simulator")
	plain.bounded(t, "on the wire")
	docs, err := os.ReadFile("../../../docs/wire.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows(t, &sim, &plain) {
		t.Log(row)
		if !strings.Contains(string(docs), row) {
			t.Error("docs/wire.md has not this row")
		}
	}
}
