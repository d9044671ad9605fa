package analysis

import (
	"fmt"
	"math"
	"os"

	"weft/catalog"
	"weft/unit"
	"weft/workload"
)

// MessageSizes are the parameters of the model message-sizes.
type MessageSizes struct {
	Workload string        `yaml:"workload" default:"wkc" doc:"Published workload: SIRD's wka (Google RPCs), wkb (Facebook Hadoop) or wkc (web search). A table (cdf) goes before it." source:"SIRD §6.2; its simulator" enum:"wka,wkb,wkc"`
	CDF      catalog.Path  `yaml:"cdf" default:"" doc:"Table of sizes in bytes and their cumulative shares: size_bytes,cdf in CSV, or two plain columns."`
	Rule     workload.Rule `yaml:"rule" default:"linear" doc:"How sizes between two rows of cdf are drawn; a published workload has a rule of its own." enum:"step,linear,log"`
	Below    []unit.Bytes  `yaml:"below" default:"[1460B,100KB,800KB]" doc:"Sizes up to which messages and their bytes are counted; of several values each is a row." source:"SIRD Figure 7: a packet, 1 and 8 BDP"`
}

func (o MessageSizes) build() (Calculation, error) {
	if err := within("below", o.Below, 1, math.MaxInt64); err != nil {
		return nil, err
	}
	table, err := o.table()
	if err != nil {
		return nil, err
	}
	return instant(func() (*Result, error) { return o.of(table), nil })
}

func (o MessageSizes) table() (*workload.CDF, error) {
	if o.CDF == "" {
		return workload.SizeSpec{Workload: o.Workload, Rule: workload.Linear}.Table()
	}
	f, err := os.Open(string(o.CDF))
	if err != nil {
		return nil, fmt.Errorf("cdf: %w", err)
	}
	defer f.Close()
	return workload.ReadCDF(f, string(o.CDF), o.Rule)
}

func (o MessageSizes) of(table *workload.CDF) *Result {
	r := new(Result)
	row := func(name string, below unit.Bytes) {
		messages, bytes := table.Below(float64(below))
		mean := 0.0
		if messages > 0 {
			mean = table.Mean() * bytes / messages
		}
		r.Rows = append(r.Rows, Row{Name: name, Of: "size", Numbers: []Number{
			exact("messages", 100*messages, "%", "messages that are not larger"),
			exact("bytes", 100*bytes, "%", "of the bytes of all messages, theirs"),
			exact("mean", mean, "bytes", "their mean size"),
		}})
	}
	for _, below := range o.Below {
		row(below.String(), below)
	}
	row("all", table.Max())
	plot := Plot{X: "Message size (bytes)", Y: "Share of what is not larger (%)", LogX: true}
	lines := []Line{{Name: "messages"}, {Name: "bytes"}}
	const steps = 200
	last := math.Log(float64(table.Max()))
	for i := range steps + 1 {
		x := math.Exp(last * float64(i) / steps)
		messages, bytes := table.Below(x)
		for k, share := range []float64{messages, bytes} {
			lines[k].X, lines[k].Y = append(lines[k].X, x), append(lines[k].Y, 100*share)
		}
	}
	plot.Lines = lines
	r.Plots = []Plot{plot}
	return r
}
