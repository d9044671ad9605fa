package analysis

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Figure is a paper's figure, as a model reproduces it.
type Figure struct {
	// Name is the paper and the figure's number, as in "arcane-13".
	Name string
	// About is a one-line description.
	About string
	parts []part
	// published holds points from the paper, drawn into the first panel.
	published []Line
}

// part is one run of a model in a figure. It is shown in the panel with its title, which is
// created if needed.
type part struct {
	title, model string
	params       map[string]string
}

// Drawing is the computed content of a figure.
type Drawing struct {
	// Name is the name of the figure.
	Name string `json:"figure"`
	// Panels holds its plots.
	Panels []Plot `json:"panels"`
	// Results holds the results of the models that it ran.
	Results []*Result `json:"results"`
}

// Figures lists the figures that models reproduce.
func Figures() []Figure {
	type set = map[string]string
	return []Figure{
		{"arcane-3", "shortest completion over the rate of one slow uplink of n, sprayed evenly or adaptively", []part{
			{"", "capacity", set{"uplinks": "4,8,16,32"}},
		}, []Line{
			{Name: "paper: OPS", X: []float64{200}, Y: []float64{1400}, Points: true},
			{Name: "paper: ARCANE", X: []float64{200}, Y: []float64{756}, Points: true},
		}},
		{"arcane-12", "bound by hashing on the runtime of a permutation under OPS, by entropy values", []part{
			{"1024 hosts, 32 uplinks per switch", "spray-bound", set{"entropies": "16,32,64,128,256,512,1024,4096,16384,65536", "trials": "10"}},
			{"128 hosts, 8 uplinks per switch", "spray-bound", set{"tors": "16", "hosts": "8", "uplinks": "8", "entropies": "16,32,64,128,256,512,1024,4096,16384,65536", "trials": "100"}},
		}, []Line{{Name: "paper: OPS over 65536", X: []float64{32, 256}, Y: []float64{1.64, 1.21}, Points: true}}},
		{"arcane-13", "largest load under random throws at λ = 0.99, by the number of ports", []part{
			{"", "balls-into-bins", set{"bins": "4,8,16,32,64,128,256", "rate": "0.99", "rounds": "10000"}},
		}, nil},
		{"arcane-14", "loads of five ports, thrown at random and recycled", []part{
			{"OPS: at random", "balls-into-bins", set{"bins": "5", "rounds": "200", "show": "bins"}},
			{"Recycled", "balls-into-bins", set{"bins": "5", "rounds": "200", "show": "bins", "recycled": "true"}},
			{"Recycled, as printed", "balls-into-bins", set{"bins": "5", "rounds": "200", "show": "bins", "recycled": "true", "reading": "as-printed"}},
		}, nil},
		{"arcane-16", "imbalance of hashed entropy values over 32 uplinks, of 1 and of 32 flows", []part{
			{"1 flow", "imbalance", set{"flows": "1"}},
			{"32 flows", "imbalance", set{"flows": "32"}},
		}, nil},
		{"arcane-17", "largest load of 32 ports with coalesced acknowledgements", []part{
			{"32 ports", "balls-into-bins", set{"rounds": "200", "trials": "100"}},
			{"32 ports", "balls-into-bins", set{"rounds": "200", "trials": "100", "recycled": "true", "coalescing": "1,2,4,8"}},
		}, nil},
		{"sird-1", "buffers of published switches for a ToR of 3.2 Tb/s", []part{
			{"", "switch-buffers", set{"capacity": "3.2Tbps"}},
		}, nil},
		{"sird-4", "credit at a congested sender by its receivers", []part{
			{"", "outcast", set{"bdp": "216KB", "sthr": "108KB"}},
		}, nil},
		{"sird-eq3", "credit that a receiver needs beside k congested senders", []part{
			{"", "credit", set{}},
		}, nil},
	}
}

// FindFigure returns the figure with a name. The error suggests the nearest name.
func FindFigure(name string) (Figure, error) {
	var names []string
	for _, f := range Figures() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Figure{}, unknown("figure", name, names)
}

// Commands returns the models and parameters of the figure, as on a command line.
func (f Figure) Commands() []string {
	var list []string
	for _, p := range f.parts {
		words := []string{p.model}
		for _, name := range slices.Sorted(maps.Keys(p.params)) {
			words = append(words, fmt.Sprintf("--%s=%s", strings.ReplaceAll(name, "_", "-"), p.params[name]))
		}
		list = append(list, strings.Join(words, " "))
	}
	return list
}

// Run computes the figure. It fails if ctx ends.
func (f Figure) Run(ctx context.Context, progress func(share float64)) (*Drawing, error) {
	d := &Drawing{Name: f.Name}
	for i, p := range f.parts {
		m, err := Find(p.model)
		if err != nil {
			return nil, err
		}
		var report func(float64)
		if progress != nil {
			report = func(share float64) { progress((float64(i) + share) / float64(len(f.parts))) }
		}
		r, err := m.Run(ctx, p.params, report)
		if err != nil {
			return nil, err
		}
		d.Results = append(d.Results, r)
		for _, plot := range r.Plots {
			plot.Title = p.title
			if n := len(d.Panels); n > 0 && p.title != "" && d.Panels[n-1].Title == p.title {
				d.Panels[n-1].Lines = append(d.Panels[n-1].Lines, plot.Lines...)
				d.Panels[n-1].Marks = append(d.Panels[n-1].Marks, plot.Marks...)
				continue
			}
			d.Panels = append(d.Panels, plot)
		}
	}
	d.Panels[0].Lines = append(d.Panels[0].Lines, f.published...)
	return d, nil
}
