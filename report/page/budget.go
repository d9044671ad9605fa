package page

import (
	"encoding/json"
	"fmt"
)

// mostData is how many bytes of data a page holds. With the libraries it stays below 3 MB.
const mostData = 1_950_000

// mostCurve is how many points of a distribution are kept at most.
const mostCurve = 300

// budget is how much of everything a page holds.
type budget struct {
	// curvePoints is how many points of distributions there are, of both quantities and
	// all rows and groups together, and leastCurve how many of one at least.
	curvePoints, leastCurve int
	// linePoints is how many points of timelines there are, leastLine how many of one
	// line at least.
	linePoints, leastLine int
	// mapNumbers is how many numbers the frames of maps hold, and mapLinks how many
	// links the layouts and whole runs of maps.
	mapNumbers, mapLinks int
	// allOnly leaves out the distributions of single groups.
	allOnly bool
}

func fullBudget() budget {
	return budget{curvePoints: 30000, leastCurve: 40, linePoints: 130000, leastLine: 60, mapNumbers: 120000, mapLinks: 10000}
}

// tighter returns a budget of about half.
func (b budget) tighter() budget {
	return budget{
		curvePoints: b.curvePoints / 2, leastCurve: max(b.leastCurve*2/3, 10),
		linePoints: b.linePoints / 2, leastLine: max(b.leastLine*2/3, 20),
		mapNumbers: b.mapNumbers / 2, mapLinks: b.mapLinks / 2,
		allOnly: b.linePoints < fullBudget().linePoints,
	}
}

// fit returns the data block of a page, thinned until it is small enough.
func fit(r *Report, t *table) ([]byte, error) {
	const tries = 8
	b := fullBudget()
	for try := 1; ; try++ {
		data, err := json.Marshal(newPayload(r, t, b))
		if err != nil || len(data) <= mostData {
			return data, err
		}
		if try == tries {
			return nil, fmt.Errorf("the data of %d variants take %d kB, and a page holds %d; report on fewer variants or cells", len(t.rows), len(data)/1000, mostData/1000)
		}
		b = b.tighter()
	}
}
