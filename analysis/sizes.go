package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"weft/catalog"
	"weft/internal/userfile"
	"weft/scenarios/data"
	"weft/unit"
	"weft/workload"
)

// MessageSizes holds the parameters of the model message-sizes.
type MessageSizes struct {
	Workload workload.Published `yaml:"workload" default:"" doc:"Published workload, drawn by the rule of its set-up: websearch, hadoop, cachefollower, webserver, wka, wkb, wkc or websearch20 (default: wkc, unless cdf is given)." source:"SIRD §6.2; its simulator"`
	CDF      catalog.Path       `yaml:"cdf" default:"" doc:"Table of sizes in bytes and their cumulative shares in place of a workload: size_bytes,cdf in CSV, or two plain columns."`
	Rule     workload.Rule      `yaml:"rule" default:"" doc:"How sizes between two rows of cdf are drawn (default: linear)." enum:",step,linear,log"`
	Below    []unit.Bytes       `yaml:"below" default:"[1460B,100KB,800KB]" doc:"Sizes up to which messages and their bytes are counted; a list gives one row per value." source:"SIRD Figure 7: a packet, 1 and 8 BDP"`
}

func (o MessageSizes) build() (Calculation, error) {
	if err := within("below", o.Below, 1, math.MaxInt64); err != nil {
		return nil, err
	}
	table, name, err := o.table()
	if err != nil {
		return nil, err
	}
	return instant(func() (*Result, error) {
		r := o.of(table)
		r.Notes = []string{"sizes of " + name}
		return r, nil
	})
}

// table reads the table and returns it with its name.
func (o MessageSizes) table() (*workload.CDF, string, error) {
	switch {
	case o.CDF != "" && o.Workload != "":
		return nil, "", errors.New("workload sets the sizes of messages, and so does cdf; give one of them")
	case o.CDF == "" && o.Rule != "":
		return nil, "", errors.New("rule is for a table (cdf), but a published workload has the rule of its set-up; leave rule out, or give the table as cdf")
	case o.CDF == "":
		name := cmp.Or(o.Workload, "wkc")
		c, err := workload.SizeSpec{Workload: name, Rule: workload.Linear}.Table()
		w, _ := data.Find(string(name))
		return c, fmt.Sprintf("%s, drawn by %s", name, w.Rule), err
	}
	f, err := userfile.Open(string(o.CDF), workload.MaxTable)
	if err != nil {
		return nil, "", fmt.Errorf("cdf: %w", err)
	}
	defer f.Close()
	rule := cmp.Or(o.Rule, workload.Linear)
	c, err := workload.ReadCDF(f, string(o.CDF), rule)
	return c, fmt.Sprintf("%s, drawn by %s", o.CDF, rule), err
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
			Exact("messages", 100*messages, "%", "share of messages up to this size"),
			Exact("bytes", 100*bytes, "%", "their share of all bytes"),
			Exact("mean", mean, "bytes", "their mean size"),
		}})
	}
	for _, below := range o.Below {
		row(below.String(), below)
	}
	row("all", table.Max())
	plot := Plot{X: "Message size (KB)", Y: "Share up to this size (%)", LogX: true}
	lines := []Line{{Name: "messages"}, {Name: "bytes"}}
	const steps = 200
	first, last := math.Log(float64(max(1, table.Min()/2))), math.Log(float64(table.Max()))
	for i := range steps + 1 {
		x := math.Exp(first + (last-first)*float64(i)/steps)
		messages, bytes := table.Below(x)
		for k, share := range []float64{messages, bytes} {
			lines[k].X, lines[k].Y = append(lines[k].X, x/1000), append(lines[k].Y, 100*share)
		}
	}
	plot.Lines = lines
	r.Plots = []Plot{plot}
	return r
}
