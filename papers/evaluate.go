package papers

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"weft/config"
	"weft/scenario"
	"weft/study"
)

// Options say what evaluating needs.
type Options struct {
	// Scale is Quick or Full.
	Scale string
	// Prefer is the other scale, if its cells replace those at Scale once all their runs have
	// ended. They do so in checks and figures, except in checks of one scale only.
	Prefer string
	// Out is the folder of the paper's results.
	Out string
	// Registry holds what scenarios can name, and Program is what study.Program
	// returned. What study.Revision returned, if anything, is as good where runs are taken
	// from what is published.
	Registry          *scenario.Registry
	Program, Revision string
	// Theory computes numbers of models; nil stands for Models.
	Theory Theory
	// Analyst runs and checks the commands of analyses; without one they are not checked.
	Analyst Analyst
	// Published has runs that are missing taken from what is published with the ledger.
	Published bool
	// Compute has models computed when claims are looked at, so that Problems tells
	// also which numbers they do not have.
	Compute bool
}

// Theory computes the numbers of models.
type Theory interface {
	// Check finds what is wrong with the name of a model and its parameters.
	Check(model string, params map[string]string) error
	// Number computes a number and its 95 % interval; notes say what its reader
	// should know.
	Number(ctx context.Context, model string, params map[string]string, measure, row string) (e study.Estimate, unit string, notes []string, err error)
}

// Evaluator evaluates claims. Its studies are planned, and those that were run are
// opened.
type Evaluator struct {
	*Ledger
	Options
	// Planned are the studies of the scale by id.
	Planned map[string]*Planned
	// Opened are the studies with runs, whether executed here or taken from what is published.
	Opened map[string]*study.Study
	// Analyses are the analyses of the scale by id, and Analyzed what was run of them.
	Analyses map[string]*Analyses
	Analyzed map[string]*Analyzed

	offered map[string]*Published // of studies with published runs
	// offeredAnalyses are those published, by study.
	offeredAnalyses map[string]*Analyzed
	lent            map[string]*Published // runs of studies that are published with others only
	// reads are the metrics that the ledger reads of each study.
	reads map[string]map[string]bool

	data  map[string]*Data // nil for studies that are not run at the scale
	stale map[string]bool
	// other is of the scale that is preferred, and plain is this without it; nil if none is.
	other, plain *Evaluator
	// broken are studies whose scenarios don't load, and wrong claims that don't
	// resolve, by id.
	broken, wrong map[string]error
	// kept are the claims that are evaluated, needed the studies that they are of;
	// nil for all.
	kept, needed map[string]bool
}

// NewEvaluator plans the studies of a ledger, opens what was run of them, and
// resolves every claim. What is wrong with scenarios and claims does not hide the
// others: Problems tells it.
func (l *Ledger) NewEvaluator(o Options) (*Evaluator, error) {
	published, err := l.shelve()
	if err != nil {
		return nil, err
	}
	return l.newEvaluator(o, published)
}

func (l *Ledger) newEvaluator(o Options, published *shelf) (*Evaluator, error) {
	if o.Theory == nil {
		o.Theory = Models()
	}
	e := &Evaluator{
		Ledger: l, Options: o, Planned: map[string]*Planned{}, Opened: map[string]*study.Study{},
		Analyses: map[string]*Analyses{}, Analyzed: map[string]*Analyzed{}, offered: map[string]*Published{}, lent: map[string]*Published{},
		offeredAnalyses: map[string]*Analyzed{},
		reads:           published.reads, data: map[string]*Data{}, stale: map[string]bool{}, broken: map[string]error{}, wrong: map[string]error{},
	}
	for i := range l.Studies {
		s := &l.Studies[i]
		if !s.executed() {
			continue
		}
		if !s.Runs(o.Scale) {
			e.data[s.ID] = nil
			continue
		}
		if s.Analyze != nil {
			if err := e.planAnalysis(i); err != nil {
				return nil, err
			}
			continue
		}
		p, err := l.Plan(s, o.Scale, o.Registry, o.Program)
		if err != nil {
			e.broken[s.ID], e.data[s.ID] = err, nil
			continue
		}
		e.Planned[s.ID] = p
		var opened *study.Study
		if o.Out != "" {
			switch opened, err = p.Open(o.Out); {
			case err == ErrStale:
				e.stale[s.ID] = true
			case err != nil:
				return nil, err
			}
		}
		e.offered[s.ID], e.lent[s.ID] = published.table(p), published.lend(p)
		if o.Published {
			opened = e.offered[s.ID].adopt(p, opened)
			opened = e.lent[s.ID].adopt(p, opened)
			e.stale[s.ID] = e.stale[s.ID] && opened == nil
		}
		if opened != nil {
			e.Opened[s.ID] = opened
		}
		e.data[s.ID] = dataOf(p.Plan, opened, s.Measures, func(j int) config.Place { return l.measureAt(i, j, "name") })
		if err := l.checkStudy(i, p); err != nil {
			e.broken[s.ID] = err
		}
	}
	if o.Prefer != "" {
		if err := e.prefer(o, published); err != nil {
			return nil, err
		}
	}
	e.resolve()
	return e, nil
}

// Problems lists all that is wrong with scenarios and claims, of those that are
// evaluated.
func (e *Evaluator) Problems() *config.Error {
	errs := new(config.Error)
	for i := range e.Studies {
		if id := e.Studies[i].ID; e.needed == nil || e.needed[id] {
			errs.Append(e.broken[id])
		}
	}
	for i := range e.Claims {
		if id := e.Claims[i].ID; e.kept == nil || e.kept[id] {
			errs.Append(e.wrong[id])
		}
	}
	return errs
}

// Unfit tells what keeps studies from being run: what is wrong with them, and with
// the claims about them.
func (e *Evaluator) Unfit(chosen []*Study) error {
	errs := new(config.Error)
	for _, s := range chosen {
		errs.Append(e.broken[s.ID])
		for i := range e.Claims {
			if c := &e.Claims[i]; slices.Contains(e.studiesOf(c), s.ID) {
				errs.Append(e.wrong[c.ID])
			}
		}
	}
	return errs.Err()
}

// checkStudy finds measures and figures that a study cannot have.
func (l *Ledger) checkStudy(i int, p *Planned) error {
	errs := new(config.Error)
	l.checkMeasures(errs, i, p)
	for j := range l.Studies[i].Draw {
		errs.Append(p.checkDraw(&l.Studies[i].Draw[j], l.places.At(fmt.Sprintf("studies[%d].draw[%d]", i, j))))
	}
	return errs.Err()
}

// resolve finds what is wrong with checks: cells, axes, labels and metrics.
func (e *Evaluator) resolve() {
	for i := range e.Claims {
		errs := new(config.Error)
		c := &e.Claims[i]
		at := func(key string, of ...any) config.Place { return e.claimAt(i, fmt.Sprintf(key, of...)) }
		unknown := e.unknown(errs, c.Study, at("study"))
		for j := range c.Checks {
			errs.Append(e.resolveCheck(&c.Checks[j], c.context(), at("checks[%d]", j), unknown))
		}
		for j := range c.Explanations {
			x := &c.Explanations[j]
			unknown := e.unknown(errs, x.Study, at("explanations[%d].study", j)) || unknown && x.Study == ""
			for k := range x.Checks {
				errs.Append(e.resolveCheck(&x.Checks[k], c.changed(x), at("explanations[%d].checks[%d]", j, k), unknown))
			}
		}
		if err := errs.Err(); err != nil {
			e.wrong[c.ID] = err
		}
	}
}

// unknown notes a study that is not run, once for all that is of it.
func (e *Evaluator) unknown(errs *config.Error, study string, at config.Place) bool {
	if _, ok := e.data[study]; ok || study == "" {
		return false
	}
	errs.Append(noStudy(study, e.data, at))
	return true
}

// resolveCheck finds what is wrong with a check. If the study around it is unknown, a
// check that does not name its own study is skipped.
func (e *Evaluator) resolveCheck(c *Check, in surroundings, at config.Place, unknown bool) error {
	if c.Scale != "" && c.Scale != e.Scale || unknown && c.Study == "" && c.Theory == nil {
		return nil
	}
	errs := new(config.Error)
	if c.Theory == nil && e.unknown(errs, c.Study, at) {
		return errs
	}
	_, err := e.prepare(c, in, at)
	return err
}

// surroundings are what a check takes from its claim.
type surroundings struct {
	study, metric string
	layers        []layer
}

func (c *Claim) context() surroundings {
	return surroundings{c.Study, c.Metric, []layer{{c.Study, c.At}}}
}

// changed is the context of an explanation's checks.
func (c *Claim) changed(x *Explanation) surroundings {
	s := surroundings{cmp.Or(x.Study, c.Study), cmp.Or(x.Metric, c.Metric), nil}
	if x.Study == "" || x.Study == c.Study {
		s.layers = append(s.layers, layer{c.Study, c.At})
	}
	s.layers = append(s.layers, layer{s.study, x.At})
	return s
}

// Evaluate evaluates all claims.
func (e *Evaluator) Evaluate(ctx context.Context) (*Result, error) {
	r := &Result{Paper: e.Name, Scale: e.Scale, Prefer: e.preference(), Counts: map[Verdict]int{}, Own: map[Verdict]int{}}
	for i := range e.Studies {
		if s := &e.Studies[i]; (e.Planned[s.ID] != nil || e.Analyses[s.ID] != nil) && (e.needed == nil || e.needed[s.ID]) {
			r.Studies = append(r.Studies, e.studyResult(s.ID))
		}
	}
	for i := range e.Claims {
		if e.kept != nil && !e.kept[e.Claims[i].ID] {
			continue
		}
		c, err := e.claim(ctx, i)
		if err != nil {
			return nil, fmt.Errorf("claim %s: %w", e.Claims[i].ID, err)
		}
		r.Claims = append(r.Claims, c)
		if c.Kind == KindOwn {
			r.Own[c.Verdict]++
		} else {
			r.Counts[c.Verdict]++
		}
	}
	r.Explained = countExplained(r.Claims)
	return r, nil
}

func (e *Evaluator) studyResult(id string) StudyResult {
	if p := e.Analyses[id]; p != nil {
		a, offered := e.Analyzed[id], e.offeredAnalyses[id]
		missing := a.Missing()
		out := StudyResult{ID: id, Counts: study.Counts{Runs: len(p.Tasks), Done: len(p.Tasks) - missing, Missing: missing}}
		out.Same, out.Differ = a.compare(offered, p.Tasks)
		for i := range p.Tasks {
			if a.adopted[i] {
				out.Published++
				if study.Outdated(a.Programs[i]) {
					out.Older++
				}
			}
			if offered != nil && offered.Results[i] != nil {
				out.Offered++
			}
		}
		return out
	}
	out := StudyResult{ID: id, Seeds: len(e.Planned[id].Seeds), Presets: e.Planned[id].Presets(), Stale: e.stale[id]}
	if s := e.Opened[id]; s != nil {
		out.Counts, _ = s.Count()
		out.Program = s.Plan.Program
		out.Same, out.Differ = e.offered[id].compare(s)
		for _, r := range s.Plan.Runs() {
			if a, ok := s.Adopted(r); ok {
				out.Published++
				if study.Outdated(a.Program) {
					out.Older++
				}
			}
		}
	} else {
		out.Runs = len(e.Planned[id].Runs())
		out.Missing = out.Runs
	}
	for _, p := range []*Published{e.offered[id], e.lent[id]} {
		if p != nil {
			out.Offered += len(p.Runs)
		}
	}
	return out
}
