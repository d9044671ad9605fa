package papers

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"weft/config"
	"weft/internal/userfile"
	"weft/problem"
	"weft/record"
	"weft/unit"
)

// The files of a ledger.
// maxTable is how large a table of a ledger is at most.
const maxTable = 256 * unit.MiB

const (
	paperFile  = "paper.yaml"
	claimsFile = "claims.yaml"
)

// Ledger is the claims of a paper with what is run for them.
type Ledger struct {
	// Name is the name of the paper's folder.
	Name string
	// Dir is the folder that it was read from.
	Dir string
	Paper
	Claims []Claim

	places, claimPlaces config.Places
}

// Load reads the ledger in a folder and checks what needs no scenario. What is
// wrong with it is a *config.Error, which tells all of it at once.
func Load(dir string) (*Ledger, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := &Ledger{Name: filepath.Base(absolute), Dir: dir}
	errs := new(config.Error)
	var claims Claims
	l.places, err = decode(filepath.Join(dir, paperFile), &l.Paper)
	errs.Append(err)
	l.claimPlaces, err = decode(filepath.Join(dir, claimsFile), &claims)
	errs.Append(err)
	if err := errs.Err(); err != nil {
		return nil, err
	}
	l.Claims = claims.Claims
	for _, v := range []struct {
		version int
		places  config.Places
	}{{l.Ledger, l.places}, {claims.Ledger, l.claimPlaces}} {
		if v.version != Version {
			errs.Report(v.places.At("ledger"), problem.New("this weft reads ledgers of format version %d", Version).Mend("write ledger: %d, or use a weft that reads the ledger's version", Version))
		}
	}
	l.checkNames(errs)
	l.checkTables(errs)
	l.checkClaims(errs)
	return l, errs.Err()
}

func decode(path string, into any) (config.Places, error) {
	text, err := userfile.Read(path, config.MaxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, config.Problemf(config.Place{Source: config.NewSource(path, nil)},
			"there is no such file; the folder of a ledger has a %s and a %s", paperFile, claimsFile)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it cannot be read: %w", path, err)
	}
	root, err := config.Parse(path, text)
	if err != nil {
		return nil, err
	}
	return config.Decoder{Dir: filepath.Dir(path)}.Decode(root, into)
}

// validName is what can be the name of a folder or of a figure anywhere.
var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)

// checkNames finds names that are malformed or used twice.
func (l *Ledger) checkNames(errs *config.Error) {
	seen := map[string]bool{}
	figures := map[string]bool{}
	for i := range l.Studies {
		s, at := &l.Studies[i], func(key string) config.Place { return l.places.At(fmt.Sprintf("studies[%d].%s", i, key)) }
		once(errs, seen, "study", s.ID, at("id"))
		if s.Analyze != nil && (s.Scenario != "" || s.Set != nil || len(s.Measures) > 0) {
			errs.Add(at("analyze"), "study %q has an analysis, so it takes no scenario, set or measures", s.ID)
		}
		measures := map[string]bool{}
		for j := range s.Measures {
			once(errs, measures, "measure", s.Measures[j].Name, at(fmt.Sprintf("measures[%d].name", j)))
			s.Measures[j].check(errs, at(fmt.Sprintf("measures[%d]", j)))
		}
		for j := range s.Draw {
			d := &s.Draw[j]
			if d.Name == "" {
				d.Name = s.ID
				if j > 0 {
					d.Name = fmt.Sprintf("%s-%d", s.ID, j+1)
				}
			}
			once(errs, figures, "figure", d.Name, at(fmt.Sprintf("draw[%d]", j)))
			d.check(errs, s, at(fmt.Sprintf("draw[%d]", j)))
			if _, ok := l.TableNamed(d.Table); d.Table != "" && !ok {
				errs.Report(at(fmt.Sprintf("draw[%d].table", j)), problem.New("there is no table %q", d.Table).Mend("%s", remedy(d.Table, l.tableIDs())))
			}
		}
	}
	seen = map[string]bool{}
	var sections []string
	for i := range l.Claims {
		once(errs, seen, "claim", l.Claims[i].ID, l.claimAt(i, "id"))
		sections = append(sections, l.Claims[i].section())
	}
	for i := range l.Sections {
		if s := &l.Sections[i]; !slices.Contains(sections, s.Name) {
			errs.Report(l.places.At(fmt.Sprintf("sections[%d].name", i)), problem.New("no claim is under %q", s.Name).Mend("%s", remedy(s.Name, slices.Compact(slices.Sorted(slices.Values(sections))))))
		}
	}
}

func once(errs *config.Error, seen map[string]bool, what, name string, at config.Place) {
	switch {
	case !validNameOf(what).MatchString(name):
		errs.Report(at, problem.New("%q cannot be the name of a %s", name, what).Mend("use lower-case letters, digits, dots and dashes"))
	case seen[name]:
		errs.Add(at, "another %s is already called %q", what, name)
	}
	seen[name] = true
}

// validMeasure matches the names of measures, which look like names of metrics.
var validMeasure = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

func validNameOf(what string) *regexp.Regexp {
	if what == "measure" {
		return validMeasure
	}
	return validName
}

func (l *Ledger) claimAt(i int, key string) config.Place {
	return l.claimPlaces.At(fmt.Sprintf("claims[%d].%s", i, key))
}

// ofMessages is what can be taken of messages.
var ofMessages = []string{"mean", "max", "min", "p1", "p50", "p95", "p99", "share_above", "share_below"}

// check finds options of a measure that do not go together.
func (m *Measure) check(errs *config.Error, at config.Place) {
	switch {
	case m.Series == "" && m.Counter == "" && m.Messages == "":
		errs.Report(at, problem.New("measure %q needs a series, a counter or messages", m.Name).Mend("name one of them"))
	case m.Series != "" && m.Counter != "" || m.Messages != "" && (m.Series != "" || m.Counter != ""):
		errs.Report(at, problem.New("measure %q has more than one of a series, a counter and messages", m.Name).Mend("keep one of them"))
	case m.Messages != "" && !slices.Contains(ofMessages, m.Take):
		errs.Add(at, "measure %q: of messages take can be %s", m.Name, strings.Join(ofMessages, ", "))
	case m.Messages != "" && (m.In != "" || m.From != Instant{} || m.To != Instant{Share: 1, Relative: true}):
		errs.Add(at, "measure %q: messages are of the whole measurement window, in one unit; from, to and in are for series", m.Name)
	case m.Messages == "" && (m.Group != "" || m.Least > 0 || m.Below > 0 || m.Plus != 0):
		errs.Add(at, "measure %q: group, least, below and plus are for messages", m.Name)
	case m.Series == record.Pace && m.In != "" && m.In != "gbps":
		errs.Add(at, "measure %q: a pace is in gbps, not in %s", m.Name, m.In)
	case m.Take == "first_drop" && m.Limit <= 0:
		errs.Add(at, "measure %q: first_drop needs limit, the share of the first value", m.Name)
	case m.Counter != "" && m.isTime():
		errs.Report(at, problem.New("measure %q: %s is a time, which counters do not have", m.Name, m.Take).Mend("use a series"))
	case m.Series == record.Buffer && (m.isTime() || m.Take == "part" || m.From != Instant{} || m.To != Instant{Share: 1, Relative: true}):
		errs.Add(at, "measure %q: buffer occupancy is of the whole measurement window; from, to, part and times are for other series", m.Name)
	case m.Take == "growth" && m.Series != record.Buffer:
		errs.Add(at, "measure %q: growth needs the series buffer", m.Name)
	case m.Counter != "" && (m.From != Instant{} || m.To != Instant{Share: 1, Relative: true}):
		errs.Add(at, "measure %q: counters are of the whole measurement window; from and to are for series", m.Name)
	}
	if (m.Take == "part") != (len(m.Part) > 0) {
		errs.Add(at, "measure %q: take: part and part:, the ports whose share is taken, go together", m.Name)
	}
	if m.Per <= 0 {
		errs.Add(at, "measure %q: per is a divisor, and must be above 0", m.Name)
	}
	if (m.Take == "share_outside" || m.Take == "settled_within") && m.Within <= 0 {
		errs.Add(at, "measure %q: %s needs within, the distance from the limit", m.Name, m.Take)
	}
}

// check finds options of a figure that do not go together.
func (d *Draw) check(errs *config.Error, s *Study, at config.Place) {
	switch {
	case d.Kind == "model" && d.Model == "":
		errs.Add(at, "a figure of a model names it with model:")
	case (d.Kind == "curve") != (d.Against != "" && d.Along != ""):
		errs.Report(at, problem.New("a curve, and nothing else, shows one metric against another along an axis").Mend("write against and along"))
	case len(d.Marks) > 0 && d.Kind != "buffers":
		errs.Add(at, "marks are for figures of buffers")
	case d.Group != "" && d.Kind != "cdf":
		errs.Add(at, "group is for figures of completion times (cdf), not of %s", d.Kind)
	case len(d.Metrics) > 0 && d.Kind != "bars":
		errs.Add(at, "several metrics are for bars; a figure of %s has metric", d.Kind)
	case d.Kind == "plots" && s.Analyze == nil:
		errs.Add(at, "plots come from an analysis, and study %q has none", s.ID)
	case d.Kind == "sizes" && len(d.Files) == 0:
		errs.Add(at, "a figure of sizes names tables with files:")
	case (d.Kind == "table") != (d.Table != ""):
		errs.Add(at, "a figure of a table, and nothing else, names it with table:")
	case d.Kind != "model" && d.Kind != "sizes" && d.Kind != "table" && !s.executed():
		errs.Add(at, "study %q has no scenario and no analysis, so there is nothing to draw %s of", s.ID, d.Kind)
	}
}

// Study returns a study by its id.
func (l *Ledger) Study(id string) (*Study, bool) {
	i := slices.IndexFunc(l.Studies, func(s Study) bool { return s.ID == id })
	if i < 0 {
		return nil, false
	}
	return &l.Studies[i], true
}

// StudyIDs lists the ids of studies that are run.
func (l *Ledger) StudyIDs() []string {
	var ids []string
	for _, s := range l.Studies {
		if s.executed() {
			ids = append(ids, s.ID)
		}
	}
	return ids
}
