package analysis

import (
	"math"
	"strconv"

	"weft/analysis/capacity"
	"weft/unit"
)

// Capacity holds the parameters of the model capacity.
type Capacity struct {
	Uplinks  []int      `yaml:"uplinks" default:"[8]" doc:"Uplinks of a switch; a list gives one row per value." source:"ARCANE §4.3.2 (n, not given; Figure 3)"`
	Flows    *int       `yaml:"flows" min:"1" max:"65536" doc:"Flows, one per host (default: the number of uplinks)." source:"ARCANE §4.3.2"`
	Size     unit.Bytes `yaml:"size" default:"32MiB" min:"1B" doc:"Payload of a flow." source:"ARCANE §4.3.2"`
	Rate     unit.Rate  `yaml:"rate" default:"400Gbps" min:"1bps" doc:"Rate of healthy uplinks." source:"ARCANE §4.1"`
	Slow     int        `yaml:"slow" default:"1" min:"0" max:"65536" doc:"Slow uplinks." source:"ARCANE §4.3.2"`
	SlowRate unit.Rate  `yaml:"slow_rate" default:"200Gbps" doc:"Rate of slow uplinks; 0 for dead ones." source:"ARCANE §4.3.2"`
	HostRate unit.Rate  `yaml:"host_rate" default:"400Gbps" min:"1bps" doc:"Rate of hosts." source:"ARCANE §4.1"`
	MTU      unit.Bytes `yaml:"mtu" default:"4KiB" min:"1B" doc:"Payload of a full packet." source:"ARCANE §4.1"`
	Header   unit.Bytes `yaml:"header" default:"0B" min:"0B" doc:"Header bytes of a packet." source:"left out in the paper's arithmetic"`
}

func (o Capacity) build() (Calculation, error) {
	if err := within("uplinks", o.Uplinks, 1, 1<<16); err != nil {
		return nil, err
	}
	for _, n := range o.Uplinks {
		if _, err := o.setting(n, o.SlowRate).Bounds(); err != nil {
			return nil, err
		}
	}
	return instant(o.run)
}

func (o Capacity) setting(n int, slow unit.Rate) capacity.Uplinks {
	flows := n
	if o.Flows != nil {
		flows = *o.Flows
	}
	return capacity.Uplinks{
		Flows: flows, Size: o.Size, HostRate: o.HostRate, Uplinks: n, Rate: o.Rate,
		Slow: o.Slow, SlowRate: slow, MTU: o.MTU, Header: o.Header,
	}
}

func (o Capacity) run() (*Result, error) {
	const micro, giga = 1e6, 1e-9
	r := new(Result)
	for _, n := range o.Uplinks {
		b, err := o.setting(n, o.SlowRate).Bounds()
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, Row{Name: strconv.Itoa(n), Of: "uplinks", Numbers: []Number{
			Exact("host", micro*b.Host, "µs", "serialisation of a flow at its host"),
			Exact("uniform", micro*b.Uniform, "µs", "shortest completion if every uplink gets the same share, as with OPS"),
			Exact("adaptive", micro*b.Adaptive, "µs", "shortest completion if each uplink gets what it can carry"),
			Exact("ratio", b.Uniform/b.Adaptive, "", "the former over the latter"),
			Exact("uniform_goodput", giga*b.UniformRate, "Gbps", "payload rate of a flow at the former"),
			Exact("adaptive_goodput", giga*b.AdaptiveRate, "Gbps", "payload rate of a flow at the latter"),
		}})
		if math.IsInf(b.Uniform, 1) {
			r.note("A share of evenly sprayed packets never arrives over a dead uplink; its completion has no bound.")
		}
	}
	plot, err := o.sweep()
	r.Plots = []Plot{plot}
	return r, err
}

// sweep plots the bounds over the rate of the slow uplinks.
func (o Capacity) sweep() (Plot, error) {
	const micro, giga, parts = 1e6, 1e-9, 80
	plot := Plot{X: "Rate of the slow uplink (Gbps)", Y: "Shortest completion time (µs)", LogY: true}
	if o.Slow != 1 {
		plot.X = "Rate of each of the " + strconv.Itoa(o.Slow) + " slow uplinks (Gbps)"
	}
	for i, n := range o.Uplinks {
		uniform, adaptive := Line{Name: "evenly sprayed"}, Line{Name: "adaptive, n = " + strconv.Itoa(n)}
		for p := range parts + 1 {
			rate := o.Rate / parts * unit.Rate(p)
			b, err := o.setting(n, rate).Bounds()
			if err != nil {
				return plot, err
			}
			x := giga * float64(rate)
			// Towards rate 0 the bound diverges, so the range near 0 is left out.
			if p >= parts/16 && !math.IsInf(b.Uniform, 1) {
				uniform.X, uniform.Y = append(uniform.X, x), append(uniform.Y, micro*b.Uniform)
			}
			if !math.IsInf(b.Adaptive, 1) {
				adaptive.X, adaptive.Y = append(adaptive.X, x), append(adaptive.Y, micro*b.Adaptive)
			}
		}
		// With as many flows as uplinks the curve is the same for all n.
		if i == 0 || o.Flows != nil {
			if o.Flows != nil {
				uniform.Name += ", n = " + strconv.Itoa(n)
			}
			plot.Lines = append(plot.Lines, uniform)
		}
		plot.Lines = append(plot.Lines, adaptive)
	}
	return plot, nil
}

// Loss holds the parameters of the model loss.
type Loss struct {
	Rate   unit.Rate  `yaml:"rate" default:"400Gbps" min:"1bps" doc:"Rate of the link." source:"ARCANE §3.2"`
	Share  unit.Ratio `yaml:"share" default:"100%" min:"0%" max:"100%" doc:"Share of the rate that is sent over the link." source:"ARCANE §3.2, which ignores congestion control"`
	MTU    unit.Bytes `yaml:"mtu" default:"4KiB" min:"1B" doc:"Size of a packet." source:"ARCANE §3.2"`
	Outage unit.Time  `yaml:"outage" default:"10ms" min:"0s" doc:"Time from the failure until routing excludes the link." source:"ARCANE §3.2"`
	RTO    unit.Time  `yaml:"rto" default:"70us" min:"0s" doc:"Time from the failure until senders learn of it by a timeout and freeze." source:"ARCANE §4.1"`
	RTT    unit.Time  `yaml:"rtt" default:"7.34us" min:"0s" doc:"Shortest time from the failure until senders learn of it, as by trimming." source:"an unloaded round trip of the two-tier fabric of ARCANE §4.1"`
}

func (o Loss) build() (Calculation, error) { return instant(o.run) }

func (o Loss) run() (*Result, error) {
	packets := func(during unit.Time) float64 { return float64(o.Share) * capacity.Packets(o.Rate, during, o.MTU) }
	without := packets(o.Outage)
	frozen := packets(min(o.RTO, o.Outage))
	soonest := packets(min(o.RTT, o.Outage))
	line := func(name string, lost func(outage unit.Time) float64) Line {
		l := Line{Name: name}
		for exponent := 0.0; exponent <= 6; exponent += 0.05 {
			us := math.Pow(10, exponent)
			lost := lost(unit.Time(us * float64(unit.Microsecond)))
			if lost > 0 {
				l.X, l.Y = append(l.X, us), append(l.Y, lost)
			}
		}
		return l
	}
	return &Result{
		Rows: []Row{{Numbers: []Number{
			Exact("packets", without, "packets", "lost until routing reconverges"),
			Exact("bytes", without*float64(o.MTU), "bytes", "the same in bytes"),
			Exact("packets_frozen", frozen, "packets", "lost until a timeout freezes the senders"),
			Exact("packets_soonest", soonest, "packets", "lost if they freeze after a round trip"),
			Exact("ratio", without/frozen, "", "losses without freezing over those with it, by timeout"),
		}}},
		Plots: []Plot{{X: "Outage (µs)", Y: "Packets lost", LogX: true, LogY: true, Lines: []Line{
			line("without freezing", packets),
			line("freezing by timeout", func(t unit.Time) float64 { return packets(min(o.RTO, t)) }),
			line("freezing after a round trip", func(t unit.Time) float64 { return packets(min(o.RTT, t)) }),
		}}},
	}, nil
}
