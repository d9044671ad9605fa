package papers

import (
	"cmp"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"weft/internal/csvfile"
	"weft/internal/userfile"
	"weft/problem"
	"weft/record"
	"weft/study"
)

// resultsFolder holds what a ledger's runs came to, so that claims can be checked without
// hours of running, and so that whoever runs them can compare: SCALE/STUDY.csv has one row per
// run, with its scenario, its result hash, and the metrics and measures that the ledger reads.
const resultsFolder = "results"

// lacking stands for a metric that the ledger reads and that was not published with a run.
// An empty field is of a run that has no such number.
const lacking = "?"

// runColumns come before the numbers in a table of published runs. A row without a program takes
// program, version, revision and go from the row above.
var runColumns = []string{"cell", "seed", "status", "message", "program", "version", "revision", "go", "took_s", "result_hash", "scenario_hash"}

// wholeColumns do in a table of an earlier version, which has every metric of its runs.
var wholeColumns = append(slices.Clone(runColumns[:len(runColumns)-1]), "scenario")

// Published holds the published runs of a study at a scale.
type Published struct {
	// Runs are in the order of the file.
	Runs []study.Adopted
	// measures are the columns of measures, with definitions.
	measures []string
}

// PublishedRuns reads the published runs of a study from the ledger. It returns nil if there are
// none.
func (l *Ledger) PublishedRuns(p *Planned) (*Published, error) {
	path := l.publishedFile(p)
	f, err := userfile.Open(path, maxTable)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	first := header[:min(len(header), len(runColumns))]
	whole := slices.Equal(first, wholeColumns)
	if err != nil || !whole && !slices.Equal(first, runColumns) {
		return nil, problem.New("%s:1: not a table of published runs, which begins with %s", path, strings.Join(runColumns, ",")).Mend("write it with weft papers publish")
	}
	out, known := new(Published), map[string]bool{}
	for _, column := range header[len(runColumns):] {
		name, _, measure := strings.Cut(column, "@")
		if measure {
			out.measures = append(out.measures, column)
		}
		known[name] = true
	}
	if whole {
		known = nil
	}
	var above *study.Adopted
	seen := map[runOf]bool{}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		var a study.Adopted
		if err == nil {
			a, err = publishedRun(header, row, known, above)
		}
		if of := (runOf{a.Cell, a.Seed}); err == nil && seen[of] {
			err = fmt.Errorf("%s with seed %d is there twice", a.Name, a.Seed)
		} else {
			seen[of] = true
		}
		if err != nil {
			line := 0
			if bad := (*csv.ParseError)(nil); errors.As(err, &bad) {
				line, err = bad.Line, bad.Err
			} else {
				line, _ = r.FieldPos(0)
			}
			return nil, problem.New("%s:%d: %w", path, line, err).Mend("restore the file, or remove it and publish the study again")
		}
		out.Runs = append(out.Runs, a)
		above = &a
	}
}

func (l *Ledger) publishedFile(p *Planned) string {
	return filepath.Join(l.Dir, resultsFolder, p.Scale, p.Study.Stored()+".csv")
}

// publishedRun reads a row of a table of published runs. The table has columns of the known
// metrics, or of all if known is nil. The row takes a cell or a program that it does not name from
// the row above.
func publishedRun(header, row []string, known map[string]bool, above *study.Adopted) (a study.Adopted, err error) {
	field := func(name string) string { return csvfile.Text(row[slices.Index(runColumns, name)]) }
	a.Name, a.Status, a.Message = field("cell"), study.Status(field("status")), field("message")
	a.Program, a.Hash, a.Cell = field("program"), field("result_hash"), field("scenario_hash")
	a.By = record.Program{Version: field("version"), Revision: field("revision"), Go: field("go")}
	if above == nil && (a.Name == "" || a.Program == "") {
		return a, errors.New("the first run names no cell or no program")
	}
	if a.Name == "" && a.Cell == "" {
		a.Name, a.Cell = above.Name, above.Cell
	}
	if a.Program == "" {
		a.Program, a.By = above.Program, above.By
	}
	for _, hash := range []string{a.Hash, a.Cell} {
		if !hashed.MatchString(hash) {
			return a, fmt.Errorf("%q is not a hash of at least 16 hexadecimal digits", hash)
		}
	}
	if a.Seed, err = strconv.ParseUint(field("seed"), 10, 64); err != nil {
		return a, fmt.Errorf("%q is not a seed", field("seed"))
	}
	seconds, err := strconv.ParseFloat(field("took_s"), 64)
	if err != nil {
		return a, fmt.Errorf("%q is not a time in seconds", field("took_s"))
	}
	a.Took = time.Duration(seconds * float64(time.Second))
	if a.Status != study.Done && a.Status != study.Partial {
		return a, fmt.Errorf("status %q; a published run is %s or %s", a.Status, study.Done, study.Partial)
	}
	a.Metrics, a.Known = map[string]float64{}, known
	for i, text := range row[len(runColumns):] {
		name, _, _ := strings.Cut(header[len(runColumns)+i], "@")
		switch {
		case text == "":
		case text == lacking:
			a.Known = maps.Clone(a.Known)
			delete(a.Known, name)
		default:
			if a.Metrics[name], err = strconv.ParseFloat(text, 64); err != nil {
				return a, fmt.Errorf("%s: %q is not a number", name, text)
			}
		}
	}
	return a, nil
}

// runOf names a run by its cell's hash.
type runOf struct {
	cell string
	seed uint64
}

// hashed is what published hashes look like: whole, or their first digits.
var hashed = regexp.MustCompile(`^[0-9a-f]{16,64}$`)

// knows tells whether metrics were published with a run.
func knows(a *study.Adopted, metrics map[string]bool) bool {
	for name := range metrics {
		if !a.Knows(name) {
			return false
		}
	}
	return true
}

// of tells whether the runs have a study's measures as the ledger defines them now.
func (p *Published) of(s *Study) bool {
	return !slices.ContainsFunc(s.Measures, func(m Measure) bool { return !slices.Contains(p.measures, m.column()) })
}

// program is the program of the first run that is not outdated, or of the first run if all are.
func (p *Published) program() string {
	if len(p.Runs) == 0 {
		return ""
	}
	if i := slices.IndexFunc(p.Runs, func(a study.Adopted) bool { return !study.Outdated(a.Program) }); i >= 0 {
		return p.Runs[i].Program
	}
	return p.Runs[0].Program
}

// by returns the runs that some programs executed, and with which metrics were published.
func (p *Published) by(metrics map[string]bool, programs ...string) []study.Adopted {
	var runs []study.Adopted
	for _, a := range p.Runs {
		if slices.Contains(programs, a.Program) && knows(&a, metrics) {
			runs = append(runs, a)
		}
	}
	return runs
}

// column heads the column of a measure. It ends with a hash of the measure's definition, so that
// numbers of another definition are not mistaken for it.
func (m *Measure) column() string {
	text, err := json.Marshal(struct {
		*Measure
		Name, About string
	}{Measure: m})
	if err != nil {
		panic(fmt.Sprintf("papers: measure %s cannot be written: %v", m.Name, err))
	}
	sum := sha256.Sum256(text)
	return m.Name + "@" + hex.EncodeToString(sum[:4])
}

// adopt gives what was run of a study, nil if nothing was, the published runs that it
// lacks, whichever program made the ones and the others. It returns nil if there are none
// of either.
func (p *Published) adopt(plan *Planned, s *study.Study) *study.Study {
	if p == nil || !p.of(plan.Study) {
		return s
	}
	if s == nil {
		published := *plan.Plan
		published.Program = p.program()
		s = study.Detached(&published)
		if s.Adopt(p.Runs) == 0 {
			return nil
		}
		return s
	}
	s.Adopt(p.Runs)
	return s
}

// compare tells how many runs of a study have the hash that is published, and which
// have another. Published runs of an older revision of results are not compared.
func (p *Published) compare(s *study.Study) (same int, differ []string) {
	if p == nil || s == nil {
		return 0, nil
	}
	type run struct {
		cell string
		seed uint64
	}
	hashes := map[run]string{}
	for i := range p.Runs {
		if !study.Outdated(p.Runs[i].Program) {
			hashes[run{study.Short(p.Runs[i].Cell), p.Runs[i].Seed}] = study.Short(p.Runs[i].Hash)
		}
	}
	for _, r := range s.Plan.Runs() {
		e, ok := s.Entry(r)
		_, elsewhere := s.Adopted(r)
		hash := hashes[run{study.Short(e.Cell), e.Seed}]
		switch {
		case !ok || elsewhere || hash == "" || e.Hash == "":
		case hash == study.Short(e.Hash):
			same++
		default:
			differ = append(differ, s.Plan.RunName(r))
		}
	}
	return same, differ
}

// Adopt gives a study that is about to be executed its published runs, and says why it cannot
// have all of them. Runs of an older revision of results are run again.
func (e *Evaluator) Adopt(s *Study, o *study.Study) (why string) {
	if lent := e.lent[s.ID]; lent != nil {
		o.Adopt(lent.by(e.reads[s.ID], o.Plan.Program, e.Revision))
	}
	p := e.offered[s.ID]
	if p == nil || len(p.Runs) == 0 {
		return ""
	}
	if !p.of(s) {
		return fmt.Sprintf("%s: the published measures are of another state of the ledger, so everything runs", s.ID)
	}
	usable := p.by(e.reads[s.ID], o.Plan.Program, e.Revision)
	o.Adopt(usable)
	same := len(p.by(nil, o.Plan.Program, e.Revision))
	older, short := len(p.Runs)-same, same-len(usable)
	var words []string
	switch {
	case same == 0:
		return fmt.Sprintf("%s: the published runs are of another program (%s, and this is %s), so all of them run again", s.ID, p.program(), cmp.Or(e.Revision, o.Plan.Program))
	case older > 0:
		words = append(words, fmt.Sprintf("%d of %d published runs are of an older revision of results, so they run again", older, len(p.Runs)))
	}
	if short > 0 {
		words = append(words, fmt.Sprintf("%d of %d published runs lack a metric that the ledger reads, so they run again", short, len(p.Runs)))
	}
	if len(words) == 0 {
		return ""
	}
	return s.ID + ": " + strings.Join(words, "; ")
}
