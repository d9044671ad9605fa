package analysis

import (
	"fmt"

	"weft/analysis/capacity"
	"weft/analysis/memory"
	"weft/unit"
)

// Memory holds the parameters of the model memory.
type Memory struct {
	Buffer      int `yaml:"buffer" default:"8" min:"1" max:"255" doc:"Entries of ARCANE's buffer." source:"ARCANE Table 1"`
	Width       int `yaml:"width" default:"16" min:"1" max:"24" doc:"Bits of an entropy value." source:"ARCANE Table 1"`
	Connections int `yaml:"connections" default:"1" min:"1" max:"1000000000" doc:"Connections of a NIC." source:"ARCANE §4.1 has 256"`
}

func (o Memory) build() (Calculation, error) { return instant(o.run) }

func (o Memory) run() (*Result, error) {
	r := new(Result)
	add := func(name string, bits int, about string) {
		r.Rows = append(r.Rows, Row{Name: name, Of: "balancer", Numbers: []Number{
			Exact("bits", float64(bits), "bits", about),
			Exact("bytes", float64(memory.Bytes(bits)), "bytes", "the same, in whole bytes"),
			Exact("all_bytes", float64(memory.Bytes(bits*o.Connections)), "bytes", "of all connections"),
		}})
	}
	fields := memory.ARCANE(o.Buffer, o.Width)
	add("ARCANE", memory.Total(fields), "state of a connection (Table 1)")
	add("ARCANE, entropies", fields[0].Bits*fields[0].Count, "the cached entropy values alone")
	for _, s := range memory.Others(o.Width) {
		add(s.Name, s.Bits, s.Source)
	}
	for _, f := range fields {
		r.Rows = append(r.Rows, Row{Name: f.Name, Of: "part of ARCANE", Numbers: []Number{
			Exact("bits_each", float64(f.Bits), "bits", "bits of one"),
			Exact("count", float64(f.Count), "", "how many"),
		}})
	}
	if o.Width < 16 {
		r.note(fmt.Sprintf("Entropy values of %d bits save %d B with %d entries; §3.3 gives 1 B for values of 8 bits, the saving per entry.",
			o.Width, memory.Bytes((16-o.Width)*o.Buffer), o.Buffer))
	}
	arcane, bitmap := Line{Name: fmt.Sprintf("ARCANE, %d entries", o.Buffer)}, Line{Name: "bitmap"}
	for width := 4; width <= 16; width++ {
		x := float64(width)
		arcane.X, arcane.Y = append(arcane.X, x), append(arcane.Y, float64(memory.Total(memory.ARCANE(o.Buffer, width))))
		bitmap.X, bitmap.Y = append(bitmap.X, x), append(bitmap.Y, float64(int(1)<<width))
	}
	r.Plots = []Plot{{X: "Bits of an entropy value", Y: "State of a connection (bits)", LogY: true,
		Lines: []Line{arcane, bitmap}, Marks: []Level{{"MPTCP, 8 subflows", 368 * 8}}}}
	return r, nil
}

// Acks holds the parameters of the model acks.
type Acks struct {
	Ack        unit.Bytes   `yaml:"ack" default:"64B" min:"1B" doc:"Size of an acknowledgement." source:"ARCANE §4.5.1"`
	MTU        []unit.Bytes `yaml:"mtu" default:"[4KiB,8KiB]" doc:"Size of a packet; a list gives one row per value." source:"ARCANE §4.5.1"`
	Coalescing int          `yaml:"coalescing" default:"1" min:"1" max:"1000000" doc:"Packets per acknowledgement." source:"ARCANE §4.5.1"`
}

func (o Acks) build() (Calculation, error) {
	if err := within("mtu", o.MTU, 1, 1<<40); err != nil {
		return nil, err
	}
	return instant(o.run)
}

func (o Acks) run() (*Result, error) {
	r := new(Result)
	plot := Plot{X: "Packets per acknowledgement", Y: "Overhead (%)", LogX: true, LogY: true}
	for _, mtu := range o.MTU {
		r.Rows = append(r.Rows, Row{Name: mtu.String(), Of: "mtu", Numbers: []Number{
			Exact("overhead", capacity.AckOverhead(o.Ack, mtu, o.Coalescing), "", "bytes of acknowledgements over those of data"),
		}})
		line := Line{Name: "packets of " + mtu.String()}
		for _, every := range []int{1, 2, 4, 8, 16} {
			line.X, line.Y = append(line.X, float64(every)), append(line.Y, 100*capacity.AckOverhead(o.Ack, mtu, every))
		}
		plot.Lines = append(plot.Lines, line)
	}
	r.Plots = []Plot{plot}
	return r, nil
}
