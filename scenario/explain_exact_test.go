package scenario_test

import (
	"errors"
	"testing"

	"weft/explain"
	"weft/record"
	"weft/scenario"
	"weft/unit"
)

// parts are parts of a completion time in picoseconds; what is left out is none.
type parts map[explain.Kind]unit.Time

// TestExplainedByHand compares accounts with parts reckoned by hand.
//
// Links of 100 Gb/s take 80 ps a byte: 332.8 ns for a frame of 4160 B and 5.12 ns
// for an acknowledgement or a header of 64 B. They are 1 us long and a switch
// takes 300 ns, so that a frame is ready at the next node 1.3 us after it left,
// and at a host 1 us.
func TestExplainedByHand(t *testing.T) {
	const (
		network = "weft: 1\ntopology: {kind: star, hosts: 3, rate: 100Gbps, delay: 1us, switch_latency: 300ns}\n"
		plain   = `fabric: {queue: 1MiB, ecn: "off"}` + "\n"
		// A packet of 4096 B is a frame of 4160.
		sends = `transport: {payload: 4096B, header: 64B, ack: {size: 64B}, rto: 50us, congestion: {kind: constant, window: 1MiB}, balancer: ecmp}` + "\n"

		ser  = 332_800 * unit.Picosecond
		tiny = 5_120 * unit.Picosecond
		us   = unit.Microsecond
		ns   = unit.Nanosecond
	)
	traffic := func(list, size string) string {
		return "traffic: [{name: a, pattern: {kind: pairs, pairs: [" + list + "]}, size: " + size + "}]\n"
	}
	for _, test := range []struct {
		name, text string
		sets       []string
		// which chooses the message, nil the first.
		which func(*record.Flow) bool
		want  parts
		check func(*testing.T, *scenario.Explanation)
	}{
		{
			name: "a packet alone",
			text: network + plain + sends + traffic("host0->host1", "4096B"),
			want: parts{explain.Serialisation: 2 * ser, explain.Propagation: 2*us + 300*ns},
		},
		{
			// The host sends five packets back to back, and the last one meets
			// nobody.
			name: "a message alone",
			text: network + plain + sends + traffic("host0->host1", "20480B"),
			want: parts{explain.Serialisation: 6 * ser, explain.Propagation: 2*us + 300*ns},
		},
		{
			// See TestLoneMessageByHand. The last packet of 1872 B waits behind
			// its own at both switches.
			name: "alone over a slow link",
			text: "weft: 1\ntopology: {kind: dumbbell, rate: 100Gbps, bottleneck_rate: 50Gbps, delay: 1us, switch_latency: 300ns}\n" +
				plain + sends + traffic("host0->host1", "10000B"),
			want: parts{
				explain.Serialisation: 2*ser + (149_760 + 299_520 + 149_760),
				explain.Propagation:   3*us + 600*ns,
				explain.QueueOwn:      (2_964_000 - 2_115_360) + (4_596_800 - 4_563_520),
			},
			check: func(t *testing.T, x *scenario.Explanation) {
				if len(x.Ports) != 2 || x.Port(x.Ports[0].Port) != "left->right" || x.Ports[0].Own != 848_640 || x.Ports[0].Frames != 1 {
					t.Errorf("the ports are %+v", x.Ports)
				}
			},
		},
		{
			// Both packets are ready at the switch at once; one waits for the other.
			name:  "two senders and one port",
			text:  network + plain + sends + traffic("host0->host2, host1->host2", "4096B"),
			which: func(f *record.Flow) bool { return f.FCT() > f.Ideal },
			want:  parts{explain.Serialisation: 2 * ser, explain.Propagation: 2*us + 300*ns, explain.QueueOthers: ser},
			check: func(t *testing.T, x *scenario.Explanation) {
				if len(x.Ports) != 1 || x.Port(x.Ports[0].Port) != "tor0->host2" || x.Ports[0].Others != ser {
					t.Errorf("the ports are %+v", x.Ports)
				}
			},
		},
		{
			// The host's messages take turns, a packet each: the wire carries a
			// packet of the other before the second one.
			name:  "two messages of a host",
			text:  network + plain + sends + traffic("host0->host1, host0->host2", "8192B"),
			which: func(f *record.Flow) bool { return f.FCT() == 5*ser+2*us+300*ns },
			want:  parts{explain.Serialisation: 3 * ser, explain.HostWire: 2 * ser, explain.Propagation: 2*us + 300*ns},
		},
		{
			// Eight packets, two at a time. Each but the first two waits for the
			// acknowledgement of the one two before, a base round trip of
			// 2·332.8 + 2·5.12 + 4·1000 + 2·300 ns, in which the wire carries two.
			name: "a small window",
			text: network + plain + sends + traffic("host0->host1", "32768B"),
			sets: []string{"transport.congestion.window=8320B"},
			want: parts{
				explain.Serialisation: 8*ser + ser, explain.Propagation: 2*us + 300*ns,
				explain.Window: 3 * (2*ser + 2*tiny + 4*us + 600*ns - 2*ser),
			},
			check: func(t *testing.T, x *scenario.Explanation) {
				// It opens for an instant whenever an acknowledgement arrives.
				if want := 3 * (2*ser + 2*tiny + 4*us + 600*ns); x.WindowClosed != want {
					t.Errorf("the window was closed for %v, want %v", x.WindowClosed, want)
				}
			},
		},
		{
			// The link loses what it carries then.
			name: "a packet lost at random",
			text: network + plain + sends + traffic("host0->host1", "4096B") +
				`faults: [{kind: loss, links: "tor0->host1", probability: 100%, at: 1us, for: 2us, allow_cutoff: true}]`,
			want: parts{
				explain.Serialisation:  2*ser + 2*ser,
				explain.Propagation:    us + 300*ns + 2*us + 300*ns,
				explain.Retransmission: 50*us - 2*ser - us - 300*ns,
			},
		},
		{
			// The link is slowed down while the first packet is in service, which
			// keeps its rate; the second one takes twice as long.
			name: "a link slowed down",
			text: network + plain + sends + traffic("host0->host2, host1->host2", "4096B") +
				`faults: [{kind: degrade, links: "tor0->host2", rate: 50%, at: 1700ns}]`,
			which: func(f *record.Flow) bool { return f.FCT() > f.Ideal },
			want:  parts{explain.Serialisation: 3 * ser, explain.Propagation: 2*us + 300*ns, explain.QueueOthers: ser},
		},
		{
			// As the small window, but that packets may not be more than one ahead.
			name: "a reorder limit",
			text: network + plain + sends + traffic("host0->host1", "32768B"),
			sets: []string{"transport.reorder_limit=2"},
			want: parts{
				explain.Serialisation: 8*ser + ser, explain.Propagation: 2*us + 300*ns,
				explain.ReorderLimit: 3 * (2*ser + 2*tiny + 4*us + 600*ns - 2*ser),
			},
		},
		{
			// The switch begins to send the packet at 1632.8 ns and its link fails
			// at 1700 ns: the sender learns of it after 50 us.
			name: "a packet lost",
			text: network + plain + sends + traffic("host0->host1", "4096B") +
				`faults: [{kind: link-down, links: "tor0->host1", at: 1700ns, for: 10ns, allow_cutoff: true}]`,
			want: parts{
				explain.Serialisation:  ser + (1_700_000 - 1_632_800) + 2*ser,
				explain.Propagation:    us + 300*ns + 2*us + 300*ns,
				explain.Retransmission: 50*us - 1700*ns,
			},
		},
		{
			// One of two packets finds the queue full at 1632.8 ns. Its header goes
			// after the packet that is in service, and the report comes back.
			name:  "a packet trimmed",
			text:  network + sends + traffic("host0->host2, host1->host2", "4096B"),
			sets:  []string{"fabric={queue: 4200B, ecn: \"off\", overflow: trim, trim: {header: 64B, queue: 10KiB, victim: arriving}}"},
			which: func(f *record.Flow) bool { return f.Trims == 1 },
			want: parts{
				explain.Serialisation:  ser + 2*ser,
				explain.Propagation:    us + 300*ns + 2*us + 300*ns,
				explain.Retransmission: ser + tiny + us + tiny + us + 300*ns + tiny + us,
			},
		},
		{
			// A request, a credit and the packet cross the network one after
			// another; the wait for the first two is for credit.
			name: "a packet on credit",
			text: network + plain + sends + traffic("host0->host1", "4096B"),
			sets: []string{"fabric.classes=2", "transport.congestion={kind: sird, unscht: 0B}"},
			want: parts{
				explain.Serialisation: 2 * ser, explain.Propagation: 2*us + 300*ns,
				explain.Credit: 2 * (2*tiny + 2*us + 300*ns),
			},
			check: func(t *testing.T, x *scenario.Explanation) {
				if !x.Credited || x.Unscheduled != 0 || x.Grants != 1 || x.NoCredit != 2*(2*tiny+2*us+300*ns) {
					t.Errorf("the counts are %+v", x.Counts)
				}
				if x.Count(explain.RequestTrip) != 1 {
					t.Errorf("the steps are %+v", x.Steps)
				}
			},
		},
		{
			// All is unscheduled.
			name: "free packets",
			text: network + plain + sends + traffic("host0->host1", "8192B"),
			sets: []string{"fabric.classes=2", "transport.congestion={kind: sird}"},
			want: parts{explain.Serialisation: 3 * ser, explain.Propagation: 2*us + 300*ns},
			check: func(t *testing.T, x *scenario.Explanation) {
				if x.Credited || x.Unscheduled != 2 || x.NoCredit != 0 {
					t.Errorf("the counts are %+v", x.Counts)
				}
			},
		},
		{
			// The receiver has granted a packet of one sender a packet's time before
			// that of the other, at 99 % of its rate.
			name:  "a receiver that paces credit",
			text:  network + plain + sends + traffic("host0->host2, host1->host2", "4096B"),
			sets:  []string{"fabric.classes=2", "transport.congestion={kind: sird, unscht: 0B}"},
			which: func(f *record.Flow) bool { return f.FCT() > 2*f.Ideal },
			check: func(t *testing.T, x *scenario.Explanation) {
				if paced := x.Parts[explain.Grants] + x.Parts[explain.QueueOthers]; paced < ser || paced > ser+ser/50 {
					t.Errorf("the receiver held the second credit back for %v, want 332.8 ns and 1 %%: %v", paced, x.Parts)
				}
			},
		},
		{
			// Tokens for what was lost come from the receiver, after its resend time.
			name: "a packet of a host's transport lost",
			text: network + plain + sends + traffic("host0->host1", "4096B") +
				`faults: [{kind: link-down, links: "tor0->host1", at: 1700ns, for: 10ns, allow_cutoff: true}]`,
			sets: []string{"fabric.classes=3", "transport.congestion={kind: phost}"},
			check: func(t *testing.T, x *scenario.Explanation) {
				want := parts{ // the packet follows its notice
					explain.Serialisation: ser + (1_700_000 - 1_632_800) - tiny + 2*ser,
					explain.Propagation:   us + 300*ns + 2*us + 300*ns,
				}
				for k, w := range want {
					if x.Parts[k] != w {
						t.Errorf("%v is %v, by hand %v", k, x.Parts[k], w)
					}
				}
				if x.Retransmits != 1 || x.Parts[explain.Retransmission] < 2*us || x.Count(explain.LostCopy) != 1 {
					t.Errorf("the parts are %v, the counts %+v", x.Parts, x.Counts)
				}
			},
		},
		{
			// Each of two subflows has two of four packets, which take turns.
			name: "two subflows",
			text: network + plain + sends + traffic("host0->host1", "16384B"),
			sets: []string{"transport.balancer={kind: mptcp, subflows: 2}"},
			want: parts{explain.Serialisation: 5 * ser, explain.Propagation: 2*us + 300*ns},
		},
		{
			name: "the own link is down",
			text: network + plain + sends + traffic("host0->host1", "4096B") +
				`faults: [{kind: link-down, links: "host0->tor0", for: 10us, allow_cutoff: true}]`,
			want: parts{explain.Serialisation: 2 * ser, explain.Propagation: 2*us + 300*ns, explain.LinkDown: 10 * us},
		},
		{
			// The link fails while it carries a packet of the host's other message.
			name: "the own link fails",
			text: network + plain + sends + traffic("host0->host1, host0->host2", "4096B") +
				`faults: [{kind: link-down, links: "host0->tor0", at: 100ns, for: 9900ns, allow_cutoff: true}]`,
			which: func(f *record.Flow) bool { return f.Retransmits == 0 },
			want: parts{
				explain.Serialisation: 2 * ser, explain.Propagation: 2*us + 300*ns,
				explain.HostWire: 100 * ns, explain.LinkDown: 9900 * ns,
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := load(t, test.text, test.sets...)
			res := simulate(t, test.text, test.sets...)
			drained(t, res)
			var f *record.Flow
			for i := range res.Flows {
				if f == nil && (test.which == nil || test.which(&res.Flows[i])) {
					f = &res.Flows[i]
				}
			}
			if f == nil {
				t.Fatalf("no message is the one to explain: %+v", res.Flows)
			}
			x := explained(t, s, *f)
			for k, got := range x.Parts {
				if test.want == nil {
					break
				}
				if want := test.want[explain.Kind(k)]; got != want {
					t.Errorf("%v is %v, by hand %v", explain.Kind(k), got, want)
				}
			}
			if test.check != nil {
				test.check(t, x)
			}
			if x.Count(explain.Guess) != 0 {
				t.Error("not all causes are known")
			}
		})
	}
}

// TestExplainAnotherResult refuses to explain what another program, or another
// scenario, did.
func TestExplainAnotherResult(t *testing.T) {
	res := simulate(t, twoPaths)
	for name, change := range map[string]func(*record.Flow){
		"start": func(f *record.Flow) { f.Start++ },
		"end":   func(f *record.Flow) { f.End-- },
		"group": func(f *record.Flow) { f.ID |= 1 << 58 },
		"place": func(f *record.Flow) { f.ID++ },
		"host":  func(f *record.Flow) { f.Dst = "host77" },
	} {
		f := res.Flows[0]
		change(&f)
		if _, err := scenario.Explain(t.Context(), load(t, twoPaths), f, nil); !errors.Is(err, scenario.ErrNotTheSame) {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}

// TestExplainedJitter tells the wait of a packet at its NIC from all else.
func TestExplainedJitter(t *testing.T) {
	s := load(t, `weft: 1
topology: {kind: star, hosts: 2, rate: 100Gbps, delay: 1us, switch_latency: 300ns}
fabric: {nic_jitter: 400ns}
traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 4096B}]
`)
	res, err := scenario.Run(t.Context(), s, scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	f := res.Flows[0]
	x := explained(t, s, f)
	want := parts{
		explain.HostWire:      f.FCT() - f.Ideal,
		explain.Serialisation: 2 * 332_800 * unit.Picosecond, explain.Propagation: 2300 * unit.Nanosecond,
	}
	for k, got := range x.Parts {
		if want := want[explain.Kind(k)]; got != want {
			t.Errorf("%v is %v, by hand %v", explain.Kind(k), got, want)
		}
	}
	if wait := f.FCT() - f.Ideal; wait <= 0 || wait > 400*unit.Nanosecond {
		t.Errorf("the packet waited %v", wait)
	}
}
