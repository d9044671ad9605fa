package papers

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/internal/csvfile"
	"weft/internal/userfile"
	"weft/study"
)

// Publication is what publishing a study came to.
type Publication struct {
	Study string
	// Runs are published now; Added of them were not before.
	Runs, Added int
	// Renewed were published before, of an older revision of results.
	Renewed int
	// Dropped were published before, of another state of the ledger.
	Dropped int
}

// Publish writes what was run of a study into the ledger's folder, beside what is
// published already. A run that is published with another hash is refused: the same
// program with the same scenario and seed has the same result. Published runs of an older
// revision of results stay until they are run again.
func (e *Evaluator) Publish(s *Study) (Publication, error) {
	if s.Analyze != nil {
		return e.publishAnalyses(s)
	}
	out := Publication{Study: s.ID}
	opened, plan := e.Opened[s.ID], e.Planned[s.ID]
	if opened == nil {
		return out, nil
	}
	kept := study.Detached(opened.Plan)
	if before := e.offered[s.ID]; before != nil {
		same, differ := before.compare(opened)
		switch {
		case before.program() != opened.Plan.Program && !study.Outdated(before.program()):
			return out, fmt.Errorf("%s: the published runs are of another program (%s, and this is %s): %d of %d have the same hash; remove %s to start over",
				s.ID, before.program(), opened.Plan.Program, same, same+len(differ), e.publishedFile(plan))
		case len(differ) > 0:
			return out, fmt.Errorf("%s: %d runs have the published hash, but %d have another, first %s; one of the two is wrong, so nothing is published",
				s.ID, same, len(differ), differ[0])
		}
		if before.of(s) {
			out.Dropped = len(before.Runs) - kept.Adopt(before.Runs)
		} else {
			out.Dropped = len(before.Runs)
		}
	}
	table := newRunTable(s, judged(e.reads[s.ID]))
	for _, r := range opened.Plan.Runs() {
		before, published := kept.Adopted(r)
		a := before
		entry, ok := opened.Entry(r)
		switch _, elsewhere := opened.Adopted(r); {
		case ok && !elsewhere && (entry.Status == study.Done || entry.Status == study.Partial):
			var err error
			if a, err = e.publishable(s, opened, r, entry); err != nil {
				return out, err
			}
			if !published {
				out.Added++
			} else if study.Outdated(before.Program) {
				out.Renewed++
			}
		case !published:
			continue
		}
		out.Runs++
		table.runs = append(table.runs, a)
	}
	if out.Runs == 0 {
		return out, nil
	}
	text, err := table.encode()
	if err != nil {
		return out, err
	}
	return out, publishFile(e.publishedFile(plan), text)
}

// publishable is a run of one's own as it is published, with its measures.
func (e *Evaluator) publishable(s *Study, opened *study.Study, r study.Run, entry study.Entry) (study.Adopted, error) {
	result, err := opened.Result(r)
	if err != nil {
		return study.Adopted{}, err
	}
	a := study.Adopted{Entry: entry, By: result.Manifest.Program}
	a.Metrics = map[string]float64{}
	maps.Copy(a.Metrics, entry.Metrics)
	for _, m := range s.Measures {
		v, err := e.data[s.ID].value(r.Cell, r.Seed, m.Name)
		if err != nil {
			return a, err
		}
		a.Metrics[m.Name] = v
	}
	return a, nil
}

// runTable collects the rows of a table of published runs.
type runTable struct {
	// columns are the metrics that the ledger reads, by name, and measures after them.
	columns []string
	runs    []study.Adopted
}

func newRunTable(s *Study, metrics map[string]bool) *runTable {
	t := new(runTable)
	t.columns = slices.Sorted(maps.Keys(metrics))
	for i := range s.Measures {
		t.columns = append(t.columns, s.Measures[i].column())
	}
	return t
}

// byCell puts runs of a cell beside each other, cells in the order in which they first came.
func (t *runTable) byCell() {
	place := map[string]int{}
	for i := range t.runs {
		if _, known := place[t.runs[i].Cell]; !known {
			place[t.runs[i].Cell] = len(place)
		}
	}
	slices.SortStableFunc(t.runs, func(a, b study.Adopted) int { return cmp.Compare(place[a.Cell], place[b.Cell]) })
}

// encode writes the table. What a row has in common with the one above, its cell or its program, is left out.
func (t *runTable) encode() ([]byte, error) {
	var b bytes.Buffer
	w := csvfile.NewWriter(&b)
	w.Write(append(slices.Clone(runColumns), t.columns...))
	t.byCell()
	var cell, program []string // of the row above
	for i := range t.runs {
		a := &t.runs[i]
		c := unlessSame(&cell, a.Name, study.Short(a.Cell))
		p := unlessSame(&program, a.Program, a.By.Version, a.By.ShortRevision(), a.By.Go)
		row := []string{
			c[0], strconv.FormatUint(a.Seed, 10), string(a.Status), a.Message, p[0], p[1], p[2], p[3],
			strconv.FormatFloat(a.Took.Seconds(), 'f', 1, 64), study.Short(a.Hash), c[1],
		}
		for _, column := range t.columns {
			name, _, _ := strings.Cut(column, "@")
			text := ""
			if v, ok := a.Metrics[name]; ok {
				text = published(v)
			} else if !a.Knows(name) {
				text = lacking
			}
			row = append(row, text)
		}
		w.Write(row)
	}
	err := w.Flush()
	return b.Bytes(), err
}

// publishedDigits is to how many digits values with a fraction are published.
const publishedDigits = 10

// published writes a value as it is published.
func published(v float64) string {
	exact := strconv.FormatFloat(v, 'g', -1, 64)
	if short := strconv.FormatFloat(v, 'g', publishedDigits, 64); v != math.Trunc(v) && len(short) < len(exact) {
		return short
	}
	return exact
}

// unlessSame returns the fields, or as many empty ones if the row above has the same.
func unlessSame(above *[]string, fields ...string) []string {
	if slices.Equal(fields, *above) {
		return make([]string, len(fields))
	}
	*above = fields
	return fields
}

// publishFile makes a file of a ledger appear whole, with the folders above it.
func publishFile(path string, content []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = userfile.WriteBytes(path, content)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be published: %w", path, err)
	}
	return nil
}
