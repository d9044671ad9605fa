package papers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"

	"weft/analysis"
	"weft/internal/userfile"
	"weft/problem"
	"weft/record"
	"weft/study"
)

// publishedAnalysis is a result as it is published: its numbers, without plots and explanations.
type publishedAnalysis struct {
	Words   []string       `json:"words"`
	Key     string         `json:"key"`
	Program record.Program `json:"program"`
	Rows    []publishedRow `json:"rows"`
}

type publishedRow struct {
	Name    string            `json:"name,omitempty"`
	Of      string            `json:"of,omitempty"`
	Numbers []publishedNumber `json:"numbers"`
}

// publishedNumber is a number of a row. What is not finite is null, as in analysis.Number.
type publishedNumber struct {
	Name  string          `json:"name"`
	Value json.RawMessage `json:"value"`
	Low   json.RawMessage `json:"low,omitempty"`
	High  json.RawMessage `json:"high,omitempty"`
	Unit  string          `json:"unit,omitempty"`
}

func (l *Ledger) publishedAnalysesFile(p *Analyses) string {
	return filepath.Join(l.Dir, resultsFolder, p.Scale, p.Study.ID+".json")
}

// publishedAnalyses reads a study's published analyses from the ledger, by task. It returns nil if
// there are none.
func (l *Ledger) publishedAnalyses(p *Analyses) (*Analyzed, error) {
	path := l.publishedAnalysesFile(p)
	text, err := userfile.Read(path, maxTable)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("published analyses cannot be read: %w", err)
	}
	const remedy = "restore the file, or remove it and publish the study again"
	var list []keptAnalysis // whose results have rows alone
	var published []struct {
		keptAnalysis
		Rows []analysis.Row `json:"rows"`
	}
	if err := json.Unmarshal(text, &published); err != nil {
		return nil, problem.New("%s: not a list of published analyses (%w)", path, err).Mend("%s", remedy)
	}
	for _, k := range published {
		if len(k.Words) == 0 || len(k.Rows) == 0 {
			return nil, problem.New("%s: an analysis has no command or no numbers", path).Mend("%s", remedy)
		}
		k.Result = &analysis.Result{Rows: k.Rows}
		list = append(list, k.keptAnalysis)
	}
	a := newAnalyzed(len(p.Tasks))
	for i, t := range p.Tasks {
		if k := slices.IndexFunc(list, func(k keptAnalysis) bool { return slices.Equal(k.Words, t.Words) }); k >= 0 {
			a.Results[i], a.Programs[i], a.By[i] = list[k].Result, list[k].Key, list[k].Program
		}
	}
	return a, nil
}

// adopt takes published results for tasks that were not run.
func (a *Analyzed) adopt(published *Analyzed) {
	if published == nil {
		return
	}
	for i, r := range published.Results {
		if a.Results[i] == nil && r != nil {
			a.Results[i], a.Programs[i], a.By[i], a.adopted[i] = r, published.Programs[i], published.By[i], true
		}
	}
}

// compare counts the results of one's own that have the published numbers, and lists the labels of
// the tasks that have others.
func (a *Analyzed) compare(published *Analyzed, tasks []Task) (same int, differ []string) {
	for i, r := range a.Results {
		if published == nil || r == nil || published.Results[i] == nil || a.adopted[i] {
			continue
		}
		if equalRows(rowsOf(r), rowsOf(published.Results[i])) {
			same++
		} else {
			differ = append(differ, tasks[i].Label)
		}
	}
	return same, differ
}

func equalRows(a, b []publishedRow) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// rowsOf returns the rows of a result as they are published.
func rowsOf(r *analysis.Result) []publishedRow {
	rows := make([]publishedRow, len(r.Rows))
	for i, row := range r.Rows {
		rows[i] = publishedRow{Name: row.Name, Of: row.Of, Numbers: make([]publishedNumber, len(row.Numbers))}
		for k, n := range row.Numbers {
			out := publishedNumber{Name: n.Name, Unit: n.Unit, Value: publishedValue(n.Value)}
			if !n.Exact() {
				out.Low, out.High = publishedValue(n.Low), publishedValue(n.High)
			}
			rows[i].Numbers[k] = out
		}
	}
	return rows
}

func publishedValue(v float64) json.RawMessage {
	if text := published(v); json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return json.RawMessage("null") // infinite, as analysis.Number reads it
}

// publishAnalyses writes what was run of a study's analyses into the ledger's folder, beside
// what is published already.
func (e *Evaluator) publishAnalyses(s *Study) (Publication, error) {
	out := Publication{Study: s.ID}
	p, own, before := e.Analyses[s.ID], e.Analyzed[s.ID], e.offeredAnalyses[s.ID]
	if same, differ := own.compare(before, p.Tasks); len(differ) > 0 && !before.outdated() {
		return out, fmt.Errorf("%s: %d analyses have the published numbers, but %d have others, first %s; one of the two is wrong, so nothing is published",
			s.ID, same, len(differ), strconv.Quote(differ[0]))
	}
	list := [][]byte{}
	for i, t := range p.Tasks {
		from := own
		published := before != nil && before.Results[i] != nil
		switch {
		case own.Results[i] != nil && !own.adopted[i]:
			if !published {
				out.Added++
			} else if study.Outdated(before.Programs[i]) {
				out.Renewed++
			}
		case published:
			from = before
		default:
			continue
		}
		line, err := json.Marshal(publishedAnalysis{t.Words, from.Programs[i], from.By[i], rowsOf(from.Results[i])})
		if err != nil {
			return out, fmt.Errorf("%s: a result cannot be written: %w", s.ID, err)
		}
		list = append(list, line)
	}
	if out.Runs = len(list); out.Runs == 0 {
		return out, nil
	}
	// One line for each analysis, so that differences can be read.
	text := slices.Concat([]byte("[\n"), bytes.Join(list, []byte(",\n")), []byte("\n]\n"))
	return out, publishFile(e.publishedAnalysesFile(p), text)
}

// outdated tells whether all results are of an older revision of results.
func (a *Analyzed) outdated() bool {
	for i, r := range a.Results {
		if r != nil && !study.Outdated(a.Programs[i]) {
			return false
		}
	}
	return true
}
