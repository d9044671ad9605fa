package study

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"weft/catalog"
	"weft/config"
	"weft/internal/inputs"
	"weft/record"
	"weft/scenario"
	"weft/topo"
	"weft/unit"
)

// Plan lists the cells and seeds of a study, and their source.
type Plan struct {
	// Name and About are the scenario's. Source is the path of its file and Text the file's
	// content. Sets are the assignments of the command line.
	Name, About, Source string
	Text                []byte
	Sets                []string
	// Program is the result of Program.
	Program string
	Axes    []Axis
	Cells   []PlannedCell
	Seeds   []uint64
	// Notices are hints for the user; they are no errors.
	Notices []string

	scenarios []*scenario.Scenario // by cell
}

// PlannedCell is a point of the matrix.
type PlannedCell struct {
	// Name is for people, as in "ARCANE, load 60%".
	Name string `json:"name"`
	// Levels holds the index of the level on each axis.
	Levels []int `json:"levels"`
	// Hash identifies its scenario without the seed.
	Hash string `json:"hash"`
	// Preset is record.PresetText of the scenario's presets.
	Preset string `json:"preset,omitempty"`
}

// Run is one run of a study.
type Run struct {
	// Key identifies it in the store.
	Key string
	// Cell is the index of its cell in the plan.
	Cell int
	Seed uint64
}

// NewPlan expands a scenario file. text is the file's content; sets are the assignments
// that it was loaded with.
func NewPlan(f *scenario.File, text []byte, sets []string, program string) (*Plan, error) {
	m, err := f.Matrix()
	if err != nil {
		return nil, err
	}
	p := &Plan{
		Name: f.Name, About: f.About, Source: f.Path, Text: text, Sets: sets,
		Program: program, Seeds: m.Seeds, Notices: m.Notices,
	}
	for _, d := range m.Dimensions {
		a := Axis{Name: d.Name, Path: d.Path, Levels: d.Levels}
		a.Numbers, a.Unit = quantities(d.Levels)
		p.Axes = append(p.Axes, a)
	}
	sums := map[string]string{}
	same := map[string]string{}
	for _, c := range m.Cells {
		hash, err := c.Identity(sums)
		if err != nil {
			return nil, err
		}
		if first, ok := same[hash]; ok {
			p.Notices = append(p.Notices, fmt.Sprintf("cells %q and %q are the same scenario; their runs are shared", first, c.Variant))
		}
		same[hash] = c.Variant
		p.Cells = append(p.Cells, PlannedCell{Name: c.Variant, Levels: c.Levels, Hash: hash, Preset: record.PresetText(c.Presets())})
		p.scenarios = append(p.scenarios, c.Scenario)
	}
	return p, nil
}

// Runs lists all runs. The first seed of every cell comes first, so that an interrupted
// study has something from each cell.
func (p *Plan) Runs() []Run {
	runs := make([]Run, 0, len(p.Cells)*len(p.Seeds))
	for _, seed := range p.Seeds {
		for i := range p.Cells {
			runs = append(runs, p.run(i, seed))
		}
	}
	return runs
}

// Of lists the runs of a cell with the given seeds.
func (p *Plan) Of(cell int, seeds []uint64) []Run {
	runs := make([]Run, len(seeds))
	for i, seed := range seeds {
		runs[i] = p.run(cell, seed)
	}
	return runs
}

func (p *Plan) run(cell int, seed uint64) Run {
	return Run{Key: Key(p.Program, p.Cells[cell].Hash, seed), Cell: cell, Seed: seed}
}

// Key identifies a run. It is a hash of everything that determines its result: program,
// scenario and seed.
func Key(program, cell string, seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "weft run 1\n%s\n%s\n%d\n", program, cell, seed))
	return hex.EncodeToString(sum[:keyBytes])
}

// keyBytes is the length of a key in bytes.
const keyBytes = 16

// Hash identifies the content of the plan: the program, and the runs in order. If two plans
// have the same hash, so do their shards.
func (p *Plan) Hash() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "weft plan 1\n%s\n%d\n", p.Program, p.Seeds)
	for _, c := range p.Cells {
		fmt.Fprintln(sum, c.Hash)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// RunName names a run for people.
func (p *Plan) RunName(r Run) string {
	if len(p.Seeds) == 1 {
		return p.Cells[r.Cell].Name
	}
	return fmt.Sprintf("%s, seed %d", p.Cells[r.Cell].Name, r.Seed)
}

// Verified holds the notices of a cell whose scenario was built without an error.
type Verified struct {
	Cell int // its index in the plan
	scenario.Built
}

// Verify builds one scenario after another without running any. It returns the notices in
// the order of cells, and the errors that the text alone does not show. It stops early if
// goOn returns false.
func (p *Plan) Verify(goOn func(done int) bool) ([]Verified, error) {
	errs := new(config.Error)
	var seen []Verified
	for done, i := range p.varied() {
		if !goOn(done) {
			break
		}
		built, err := p.scenarios[i].Build()
		errs.Append(err)
		seen = append(seen, Verified{i, built})
	}
	slices.SortFunc(seen, func(a, b Verified) int { return cmp.Compare(a.Cell, b.Cell) })
	return seen, errs.Err()
}

// varied lists all cells. Cells with a level that no earlier cell has come first. Mistakes
// usually come with a level, so whoever stops early has still seen every level, not just
// the first variant.
func (p *Plan) varied() []int {
	type place struct{ axis, level int }
	had := map[place]bool{}
	var first, rest []int
	for i, c := range p.Cells {
		before := len(had)
		for axis, level := range c.Levels {
			had[place{axis, level}] = true
		}
		if len(had) > before {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(first, rest...)
}

// Task returns a run as a task for an engine.
func (p *Plan) Task(r Run, cache *TaskCache) (Task, error) {
	if cache.cells == nil {
		cache.cells = make([]cachedCell, len(p.Cells))
	}
	c := &cache.cells[r.Cell]
	if c.text == nil {
		s := p.scenarios[r.Cell]
		inputs, err := inputsOf(s, cache)
		if err != nil {
			return Task{}, err
		}
		resolved, err := s.Resolved()
		if err != nil {
			return Task{}, err
		}
		text, err := resolved.MarshalJSON()
		if err != nil {
			return Task{}, fmt.Errorf("%s: %w", s.Path, err)
		}
		c.text, c.inputs = text, inputs
	}
	return Task{
		Key: r.Key, Cell: p.Cells[r.Cell].Hash, Name: p.Cells[r.Cell].Name,
		Scenario: json.RawMessage(c.text), Seed: r.Seed, Inputs: c.inputs,
	}, nil
}

// TaskCache caches what the tasks of a cell share. The zero value is empty.
type TaskCache struct {
	cells []cachedCell
	sums  map[string]string // of files, by path
}

type cachedCell struct {
	text   []byte
	inputs []Input
}

// inputsOf lists the files that a scenario names.
func inputsOf(s *scenario.Scenario, cache *TaskCache) ([]Input, error) {
	if cache.sums == nil {
		cache.sums = map[string]string{}
	}
	var list []Input
	add := func(path string) error {
		if cache.sums[path] == "" {
			sum, err := inputs.SHA256(path)
			if err != nil {
				return err
			}
			cache.sums[path] = sum
		}
		list = append(list, Input{Path: path, SHA256: cache.sums[path]})
		return nil
	}
	collect := config.Encoder{Path: func(path catalog.Path) (string, error) {
		name := string(path)
		if name == "" {
			return "", nil
		}
		if err := add(name); err != nil {
			return "", err
		}
		places, err := topo.Companions(name)
		if err != nil {
			return "", err
		}
		for _, place := range places {
			if err := add(place); !errors.Is(err, fs.ErrNotExist) {
				return name, err
			}
		}
		return name, nil
	}}
	_, err := collect.Encode(s.Spec)
	return list, err
}

// quantities converts labels to numbers, if all of them are quantities of one kind.
func quantities(labels []string) (numbers []float64, unitName string) {
	for _, kind := range []struct {
		unit  string
		parse func(string) (float64, error)
	}{
		{"%", func(s string) (float64, error) { v, err := unit.ParseRatio(s); return float64(v) * 100, err }},
		{"µs", func(s string) (float64, error) {
			v, err := unit.ParseTime(s)
			return float64(v) / float64(unit.Microsecond), err
		}},
		{"Gb/s", func(s string) (float64, error) {
			v, err := unit.ParseRate(s)
			return float64(v) / float64(unit.Gbps), err
		}},
		{"B", func(s string) (float64, error) { v, err := unit.ParseBytes(s); return float64(v), err }},
	} {
		numbers = numbers[:0]
		for _, label := range labels {
			if kind.unit == "%" && (label == "" || label[len(label)-1] != '%') {
				break
			}
			v, err := kind.parse(label)
			if err != nil {
				break
			}
			numbers = append(numbers, v)
		}
		if len(numbers) == len(labels) {
			return numbers, kind.unit
		}
	}
	return plainNumbers(labels)
}

// plainNumbers converts labels to numbers. All must have the same suffix, as in 0.5BDP, or
// none.
func plainNumbers(labels []string) ([]float64, string) {
	var numbers []float64
	suffix := ""
	for i, label := range labels {
		var v float64
		var rest string
		n, _ := fmt.Sscanf(label, "%g%s", &v, &rest)
		if n == 0 || math.IsNaN(v) || math.IsInf(v, 0) || i > 0 && rest != suffix {
			return nil, ""
		}
		suffix = rest
		numbers = append(numbers, v)
	}
	return numbers, suffix
}
