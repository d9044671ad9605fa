package page

import (
	"maps"
	"math"
	"slices"

	"weft/internal/natural"
	"weft/record"
	"weft/record/section/credits"
	"weft/report/internal/thin"
	"weft/unit"
)

const (
	// mostLines is how many ports, or connections, a run's timelines keep of a kind.
	mostLines = 48
	// mostPoints is how many points a line of a run keeps.
	mostPoints = 1200
	// mostBuckets is from when on a series is not believed.
	mostBuckets = 1 << 22
)

// line is one recorded series in the units of the page.
type line struct {
	kind, entity string
	// values are at multiples of factor buckets.
	values []float64
	factor int
	// heat is the largest share that the entity has of what was recorded of any one kind.
	heat float64
}

// reduceSeries returns the recorded series of the entities that count most, thinned,
// and how many of each kind were left out.
func reduceSeries(r *record.Result) ([]line, map[string]int) {
	interval := r.Manifest.Interval
	if interval <= 0 {
		return nil, nil
	}
	rows := map[[2]string][]record.Series{}
	buckets := 0
	for _, row := range r.Series {
		bucket := row.Time / interval
		if bucket < 0 || bucket >= mostBuckets || row.Kind == record.Window && row.Value >= record.Unlimited {
			continue
		}
		key := [2]string{row.Kind, row.Entity}
		if place, ok := credits.Place(row.Kind); ok {
			key = [2]string{credit, place}
		}
		rows[key] = append(rows[key], row)
		buckets = max(buckets, int(bucket)+1)
	}
	keep, left, heat := chooseEntities(rows)
	factor := thin.Factor(buckets, mostPoints)
	var lines []line
	for key, rows := range rows {
		if !keep[key] {
			continue
		}
		lines = append(lines, line{kind: key[0], entity: key[1], factor: factor, heat: heat[familyOf(key[0])][key[1]], values: thin.Values(fill(key[0], rows, interval, buckets), factor)})
	}
	slices.SortFunc(lines, func(a, b line) int {
		if c := compare(a.kind, b.kind); c != 0 {
			return c
		}
		return natural.Compare(a.entity, b.entity)
	})
	return lines, left
}

// fill returns a value for each bucket of rows in the order of time.
func fill(kind string, rows []record.Series, interval unit.Time, buckets int) []float64 {
	values := make([]float64, buckets)
	if familyOf(kind) == connections {
		for i := range values {
			values[i] = math.NaN()
		}
	}
	for i, row := range rows {
		v := float64(row.Value)
		switch kind {
		case record.Accepted, record.Transmitted:
			v *= 8000 / float64(interval)
		case record.Paused:
			v *= 100 / float64(interval)
		case record.Queue, record.Window, record.InFlight, credit:
			v /= 1000
		case record.Pace:
			v /= 1e9
		}
		at, until := int(row.Time/interval), 0
		if kind == credit { // which stays where it is until there is a row
			until = buckets
			if i+1 < len(rows) {
				until = int(rows[i+1].Time / interval)
			}
		}
		values[at] = v
		for b := at + 1; b < until; b++ {
			values[b] = v
		}
	}
	return values
}

// credit is the kind of all series about credit, whose entities are the places where it is.
const credit = "credit"

// family is a kind of entity.
type family int

// Families: in a bucket without a row a port did nothing, and a connection is not there.
const (
	ports family = iota
	connections
	places
	families
)

// familyOf returns what the entities of a kind of series are.
func familyOf(kind string) family {
	switch kind {
	case record.Window, record.InFlight, record.Pace:
		return connections
	case credit:
		return places
	}
	return ports
}

// chooseEntities keeps of each kind of entity those with the largest share of what was
// recorded of any one kind, so that a port that did nothing but drop is kept too.
func chooseEntities(rows map[[2]string][]record.Series) (keep map[[2]string]bool, left map[string]int, heat [families]map[string]float64) {
	totals := map[string]float64{}
	own := map[[2]string]float64{}
	for key, rows := range rows {
		for _, row := range rows {
			own[key] += float64(row.Value)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(own), compareKeys) {
		totals[key[0]] += own[key]
	}
	var shares [families]map[string]float64
	for i := range shares {
		shares[i] = map[string]float64{}
	}
	for key, v := range own {
		share := 0.0
		if t := totals[key[0]]; t > 0 {
			share = v / t
		}
		of := shares[familyOf(key[0])]
		of[key[1]] = max(of[key[1]], share)
	}
	var kept [families]map[string]bool
	for i, share := range shares {
		kept[i] = map[string]bool{}
		names := sortedKeys(share)
		slices.SortStableFunc(names, func(a, b string) int { return compare(share[b], share[a]) })
		for _, name := range names[:min(len(names), mostLines)] {
			kept[i][name] = true
		}
	}
	keep, left = map[[2]string]bool{}, map[string]int{}
	for key := range rows {
		if kept[familyOf(key[0])][key[1]] {
			keep[key] = true
		} else {
			left[key[0]]++
		}
	}
	return keep, left, shares
}

func compareKeys(a, b [2]string) int {
	if c := compare(a[0], b[0]); c != 0 {
		return c
	}
	return compare(a[1], b[1])
}
