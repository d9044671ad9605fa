package analysis

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/analysis/buffers"
	"weft/analysis/credit"
	"weft/unit"
)

// Credit holds the parameters of the model credit.
type Credit struct {
	BDP     unit.Bytes     `yaml:"bdp" default:"100KB" min:"1B" doc:"Bandwidth-delay product: credit in flight that saturates the downlink." source:"SIRD Table 2"`
	SThr    unit.Threshold `yaml:"sthr" default:"50KB" doc:"Credit that a congested sender holds in steady state, as bytes or in BDP." source:"SIRD Table 2 (0.5 BDP)"`
	Senders []int          `yaml:"senders" default:"[1,2,4,8,16]" doc:"Congested senders of the receiver (k); a list gives one row per value." source:"SIRD §4.2"`
	Packet  unit.Bytes     `yaml:"packet" default:"1500B" min:"1B" doc:"Packet size, the unit of DCTCP's guideline." source:"DCTCP, SIGCOMM 2010, §3.3; SIRD-Simulator"`
	Fanout  *int           `yaml:"fanout" min:"2" max:"1000000" doc:"Receivers that each of them sends to (f) (default: one more than senders, the worst case)." source:"SIRD Equation 3"`
}

func (o Credit) build() (Calculation, error) {
	if err := within("senders", o.Senders, 1, 999_999); err != nil {
		return nil, err
	}
	if err := threshold(o.SThr, o.BDP); err != nil {
		return nil, err
	}
	if o.SThr.Inf {
		return nil, errors.New("sthr: without a threshold a congested sender holds all the credit that it is given, and no B is enough; write bytes or bandwidth-delay products, as in 50KB or 0.5BDP")
	}
	for _, k := range o.Senders {
		if _, err := o.receiver(k).Needed(); err != nil {
			return nil, err
		}
	}
	return instant(o.run)
}

func (o Credit) receiver(senders int) credit.Receiver {
	fanout := senders + 1
	if o.Fanout != nil {
		fanout = *o.Fanout
	}
	return credit.Receiver{BDP: o.BDP, SThr: o.SThr.Resolve(o.BDP), Senders: senders, Fanout: fanout}
}

func (o Credit) run() (*Result, error) {
	r := new(Result)
	for _, k := range o.Senders {
		c := o.receiver(k)
		needed, err := c.Needed()
		if err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, Row{Name: strconv.Itoa(k), Of: "senders", Numbers: []Number{
			Exact("fanout", float64(c.Fanout), "", "receivers of each sender"),
			Exact("least_b", needed, "bytes", "smallest B that saturates the downlink (Equation 2)"),
			Exact("limit", c.Limit(), "bytes", "BDP + SThr, its upper limit (Equation 3)"),
			Exact("margin", c.Limit()-needed, "bytes", "difference of the two"),
			Exact("least_b_last", c.NeededLast(), "bytes", "smallest B if senders prefer all other receivers"),
			Exact("least_sthr", credit.LeastSThr(o.BDP), "bytes", "smallest SThr by DCTCP's guideline"),
			Exact("least_sthr_share", credit.LeastSThr(o.BDP)/float64(o.BDP), "BDP", "the same in BDP"),
			Exact("least_sthr_packets_share", credit.LeastSThrPackets(o.BDP, o.Packet)/float64(o.BDP), "BDP", "the same in whole packets"),
		}})
	}
	return r, o.plot(r)
}

func (o Credit) plot(r *Result) error {
	const most = 64
	bdp := float64(o.BDP)
	plot := Plot{X: "Congested senders of the receiver, k", Y: "Smallest B (BDP)", LogX: true,
		Marks: []Level{{"BDP + SThr", o.receiver(1).Limit() / bdp}}}
	line := func(name string, fanout func(k int) int) error {
		l := Line{Name: name}
		for k := 1; k <= most; k++ {
			f := fanout(k)
			if f <= k {
				break
			}
			needed, err := credit.Receiver{BDP: o.BDP, SThr: o.SThr.Resolve(o.BDP), Senders: k, Fanout: f}.Needed()
			if err != nil {
				return err
			}
			l.X, l.Y = append(l.X, float64(k)), append(l.Y, needed/bdp)
		}
		plot.Lines = append(plot.Lines, l)
		return nil
	}
	if err := line("f = k + 1", func(k int) int { return k + 1 }); err != nil {
		return err
	}
	for _, f := range []int{4, 16, 64} {
		if err := line(fmt.Sprintf("f = %d", f), func(int) int { return f }); err != nil {
			return err
		}
	}
	r.Plots = []Plot{plot}
	return nil
}

// Outcast holds the parameters of the model outcast.
type Outcast struct {
	BDP       unit.Bytes     `yaml:"bdp" default:"100KB" min:"1B" doc:"Bandwidth-delay product, and largest bucket of a sender." source:"SIRD Table 2; 216 KB on the testbed, §6.1"`
	SThr      unit.Threshold `yaml:"sthr" default:"50KB" doc:"Credit from which the sender marks its data, in bytes or BDP; inf for never." source:"SIRD Table 2 (0.5 BDP)"`
	Receivers []int          `yaml:"receivers" default:"[1,2,3]" doc:"Receivers of the sender; a list gives one row per value." source:"SIRD §6.1.2, Figure 4"`
}

func (o Outcast) build() (Calculation, error) {
	if err := errors.Join(within("receivers", o.Receivers, 1, 1_000_000), threshold(o.SThr, o.BDP)); err != nil {
		return nil, err
	}
	return instant(o.run)
}

func (o Outcast) run() (*Result, error) {
	r := new(Result)
	plot := Plot{X: "Receivers", Y: "Credit at the sender (BDP)"}
	informed, uninformed := Line{Name: "with SThr"}, Line{Name: "without"}
	for _, n := range o.Receivers {
		of := credit.Outcast{BDP: o.BDP, SThr: o.SThr.Resolve(o.BDP), Receivers: n}
		a, b := of.Informed(), of.Uninformed()
		if o.SThr.Inf {
			a = b
		}
		r.Rows = append(r.Rows, Row{Name: strconv.Itoa(n), Of: "receivers", Numbers: []Number{
			Exact("each", a.Each, "bytes", "outstanding credit of each receiver, (BDP + SThr)/n from two receivers on"),
			Exact("at_sender", a.AtSender, "bytes", "the part of it that the sender holds"),
			Exact("each_inf", b.Each, "bytes", "outstanding without SThr"),
			Exact("at_sender_inf", b.AtSender, "bytes", "at the sender without SThr"),
		}})
		informed.X, informed.Y = append(informed.X, float64(n)), append(informed.Y, a.AtSender/float64(o.BDP))
		uninformed.X, uninformed.Y = append(uninformed.X, float64(n)), append(uninformed.Y, b.AtSender/float64(o.BDP))
	}
	plot.Lines = []Line{informed, uninformed}
	r.Plots = []Plot{plot}
	return r, nil
}

// SwitchBuffers holds the parameters of the model switch-buffers.
type SwitchBuffers struct {
	Capacity unit.Rate  `yaml:"capacity" default:"3.2Tbps" min:"1bps" doc:"Total port rate of the assumed switch, one way." source:"SIRD §6.2 (16 ports of 100 Gb/s and four of 400)"`
	Port     unit.Rate  `yaml:"port" default:"100Gbps" min:"1bps" doc:"Rate of a port that has its share of the buffer to itself." source:"SIRD Figure 1"`
	Queue    unit.Bytes `yaml:"queue" default:"0B" min:"0B" doc:"Backlog to compare with the buffer." source:"SIRD §6.2.1"`
}

func (o SwitchBuffers) build() (Calculation, error) { return instant(o.run) }

func (o SwitchBuffers) run() (*Result, error) {
	const mega = 1e6
	r := new(Result)
	lines := map[string]*Line{}
	var makers []string
	for _, s := range buffers.Published() {
		shared := s.For(o.Capacity)
		row := Row{Name: s.Name, Of: "switch", Numbers: []Number{
			Exact("per_tbps", s.For(1000*unit.Gbps)/mega, "MB", "buffer per Tb/s"),
			Exact("shared", shared/mega, "MB", "for all ports, if all share it"),
			Exact("port", s.For(o.Port)/mega, "MB", "buffer per port, if none is shared"),
		}}
		if o.Queue > 0 {
			row.Numbers = append(row.Numbers, Exact("share", 100*float64(o.Queue)/shared, "%", "share of the shared buffer that the backlog takes"))
		}
		r.Rows = append(r.Rows, row)
		l := lines[s.Maker]
		if l == nil {
			l = &Line{Name: s.Maker, Points: true}
			lines[s.Maker], makers = l, append(makers, s.Maker)
		}
		l.X, l.Y = append(l.X, float64(s.Rate)/1e12), append(l.Y, shared/mega)
		l.Labels = append(l.Labels, strings.TrimPrefix(s.Name, "Spectrum ")) // all of that maker begin so
	}
	plot := Plot{X: "Rate of all ports (Tb/s)", Y: fmt.Sprintf("Buffer for %g Tb/s (MB)", float64(o.Capacity)/1e12), LogX: true, LogY: true}
	for _, m := range makers {
		plot.Lines = append(plot.Lines, *lines[m])
	}
	if o.Queue > 0 {
		plot.Marks = []Level{{"queued", float64(o.Queue) / mega}}
	}
	r.Plots = []Plot{plot}
	return r, nil
}

// threshold rejects values that a sender cannot use as SThr.
func threshold(sthr unit.Threshold, bdp unit.Bytes) error {
	switch {
	case sthr.Share != 0:
		return errors.New("sthr: a share of what? Write bytes or bandwidth-delay products, as in 50KB or 0.5BDP")
	case sthr.Resolve(bdp) < 1:
		return fmt.Errorf("sthr: %v is below a byte, so every sender with any credit is congested; write 1B or more, as in 50KB or 0.5BDP", sthr)
	}
	return nil
}
