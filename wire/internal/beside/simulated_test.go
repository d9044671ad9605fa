package beside

import (
	"cmp"
	"slices"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/protocol/sird"
	"weft/scenario"
)

// file has the network of both, and the messages of TestIncast.
const file = "../../../scenarios/sird/incast-eight.yaml"

// simulated runs the scenario with SIRD that is watched, and changes to the file.
func simulated(t testing.TB, sets ...string) (o outcome) {
	t.Helper()
	var cores []*watched // by host
	reg := weft.Builtin()
	reg.Congestion = catalog.Set[protocol.CongestionControl]{}
	err := reg.Congestion.Add(catalog.Define("sird", "watched", "", func(opts sird.Options) (protocol.CongestionControl, error) {
		c, err := opts.Build()
		make := c.NewHost
		c.NewHost = func(env protocol.HostEnv) protocol.HostTransport {
			w := &watched{HostTransport: make(env)}
			for len(cores) <= int(env.Host) {
				cores = append(cores, nil)
			}
			cores[env.Host] = w
			return w
		}
		return c, err
	}))
	if err != nil {
		t.Fatal(err)
	}
	f, err := weft.Load(file, reg, append(sets, "record.credit=false")...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := scenario.Run(t.Context(), f.Variants[0], scenario.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Flows {
		f := &r.Flows[i]
		o.messages = append(o.messages, message{from: number(t, f.Src), to: number(t, f.Dst), start: f.Start, end: f.End, bytes: f.Bytes})
	}
	for _, p := range r.Ports {
		o.marks += uint64(p.Marks)
		if p.Name == "tor0->host0" {
			o.queue = p.QueueMax
		}
	}
	for i, w := range cores {
		for _, d := range w.sent {
			d.packet.Tag = 0 // it is the carrier's
			o.sent[i] = append(o.sent[i], d)
		}
	}
	o.credit = cores[0].credit
	slices.SortFunc(o.messages, byStart)
	return o
}

// number returns that of a host by its name.
func number(t testing.TB, name string) int {
	t.Helper()
	if len(name) != len("host0") {
		t.Fatalf("host %q", name)
	}
	return int(name[len(name)-1] - '0')
}

func byStart(a, b message) int { return cmp.Compare(a.start, b.start) }
