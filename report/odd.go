package report

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"weft/internal/stats"
	"weft/unit"
)

const (
	// leastPorts is from how many ports on one can be odd, and oddShare which share of them
	// may be: of more, none stands out.
	leastPorts = 4
	oddShare   = 0.25
	// farDeviations is how many median absolute deviations, scaled to the standard deviation
	// of a normal distribution, a port's bytes are from the median if it is odd, and
	// farShare which share of the median at least.
	farDeviations, farShare = 5, 0.25
	// normalDeviation is the standard deviation over the median absolute deviation.
	normalDeviation = 1.4826
	// oddDrops is the share of all drops from which a port is odd.
	oddDrops = 0.5
)

// oddPorts returns the ports that differ from the others, with the reason. These are those
// that faults touch and those whose link rate is not that of most. If there are none, they
// are those that accepted far more or fewer bytes than the median, and one with most of the
// drops. No port is odd if more than a quarter would be.
func oddPorts(runs []run, names []string) map[string]string {
	if len(names) < leastPorts {
		return nil
	}
	odd := map[string]string{}
	usual := usualRate(runs)
	for _, r := range runs {
		for _, name := range names {
			if p := r.ports[name]; p != nil && p.rate > 0 && p.rate != usual {
				odd[name] = p.rate.String()
			}
		}
		for _, name := range names {
			if r.faulted[name] {
				odd[name] = "fault"
			}
		}
	}
	if len(odd) == 0 {
		odd = strayPorts(runs, names)
	}
	if float64(len(odd)) > oddShare*float64(len(names)) {
		return nil
	}
	return odd
}

// usualRate is the link rate of most ports.
func usualRate(runs []run) (usual unit.Rate) {
	count := map[unit.Rate]int{}
	for _, r := range runs {
		for _, p := range r.ports {
			if count[p.rate]++; count[p.rate] > count[usual] || count[p.rate] == count[usual] && p.rate > usual {
				usual = p.rate
			}
		}
	}
	return usual
}

// strayPorts are those whose bytes or drops, of all runs together, are far from the others'.
func strayPorts(runs []run, names []string) map[string]string {
	accepted, dropped := make([]float64, len(names)), make([]float64, len(names))
	drops := 0.0
	for i, name := range names {
		for _, r := range runs {
			if p := r.ports[name]; p != nil {
				accepted[i] += sum(p.accepted)
				dropped[i] += sum(p.dropped)
			}
		}
		drops += dropped[i]
	}
	odd := map[string]string{}
	center := medianOf(accepted)
	deviations := make([]float64, len(names))
	for i, v := range accepted {
		deviations[i] = math.Abs(v - center)
	}
	far := max(farDeviations*normalDeviation*medianOf(deviations), farShare*center)
	for i, name := range names {
		switch {
		case drops > 0 && dropped[i] > oddDrops*drops:
			odd[name] = "most drops"
		case accepted[i] > center+far:
			odd[name] = "most bytes"
		case accepted[i] < center-far:
			odd[name] = "fewest bytes"
		}
	}
	return odd
}

func sum(values []int64) (total float64) {
	for _, v := range values {
		total += float64(v)
	}
	return total
}

func medianOf(values []float64) float64 { return stats.Median(slices.Sorted(slices.Values(values))) }

// highlight has the odd ports in colour, above the others in grey.
func (t *timelines) highlight(odd map[string]string) {
	if len(odd) == 0 {
		return
	}
	var others, colored []portLine
	for _, l := range t.lines {
		why, is := odd[l.name]
		if !is {
			others = append(others, portLine{l.name, style{color: otherGrey()}})
			continue
		}
		// Vermilion first: it is farthest from grey, also without colour vision.
		k := len(colored)
		if k < 2 {
			k = 1 - k
		}
		s := styleOf(k)
		t.odd = append(t.odd, lineKey(l.name+" ("+why+")", draw.LineStyle{Color: s.color, Width: plainLine}, s.glyph))
		colored = append(colored, portLine{l.name, s})
	}
	t.others = len(others)
	t.lines = append(others, colored...)
}

func otherGrey() color.Color { return color.Gray{0xa6} }
