package reading

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/papers"
)

// Verdict is what all readings together say of a claim.
type Verdict string

// Verdicts.
const (
	holds         Verdict = "holds"
	depends       Verdict = "depends"
	contradicted  Verdict = "contradicted"
	onlyUndecided Verdict = "undecided"
	notDecidable  Verdict = "not decidable here"
	noRuns        Verdict = "not run"
)

// Verdicts lists all verdicts.
func Verdicts() []Verdict {
	return []Verdict{holds, depends, contradicted, onlyUndecided, notDecidable, noRuns}
}

// Word is the verdict in a word or two. One of several readings that were not all run is so far.
func (c *Claim) Word() string {
	if c.Open > 0 && (c.Verdict == holds || c.Verdict == contradicted) {
		return string(c.Verdict) + " so far"
	}
	return string(c.Verdict)
}

// Undecided tells that there are numbers, and that none decides.
func (c *Claim) Undecided() bool { return c.Verdict == onlyUndecided }

// Claim is what was found of a claim under all readings.
type Claim struct {
	ID      string `json:"id"`
	Where   string `json:"where"`
	Claim   string `json:"claim"`
	Claimed string `json:"claimed"`
	Kind    string `json:"kind"`
	// Published is the verdict of the first reading by all checks.
	Published papers.Verdict `json:"published"`
	Verdict   Verdict        `json:"verdict"`
	// On are the settings, or combinations, that a verdict depends on.
	On []string `json:"on,omitempty"`
	// Text says what the verdict rests on.
	Text string `json:"text"`
	// Exact tells that the headline check demands a number within a tolerance.
	Exact bool   `json:"exact"`
	Cells []Cell `json:"cells"`
	// Met and Of are the points of all checks in all readings that were run. Open counts the readings that
	// bear on the claim and were not run.
	Met  int `json:"met"`
	Of   int `json:"of"`
	Open int `json:"open"`

	own         claim
	undecidable *undecidable
}

// because says what keeps claims of a kind from being decided.
var because = map[string]string{papers.KindHardware: "testbed", papers.KindCited: "cited", papers.KindUnspecified: "lost"}

// claim begins the verdict on a claim.
func (f *File) claim(first *papers.ClaimResult) Claim {
	c := Claim{ID: first.ID, Where: first.Where, Claim: first.Claim, Claimed: first.Claimed, Kind: first.Kind, Published: first.Verdict, own: claim{ID: first.ID}}
	if i := slices.IndexFunc(f.Claims, func(own claim) bool { return own.ID == first.ID }); i >= 0 {
		c.own = f.Claims[i]
	}
	c.undecidable = c.own.Undecidable
	if first.Verdict == papers.NotSimulable {
		c.undecidable = &undecidable{Because: because[first.Kind], Why: first.Reason}
	}
	if k := headline(first, c.own.Headline); k != nil {
		c.Exact = k.Exact
	}
	return c
}

// of lists the cells with an outcome.
func (c *Claim) of(o Outcome) []*Cell {
	var list []*Cell
	for i := range c.Cells {
		if c.Cells[i].Outcome == o {
			list = append(list, &c.Cells[i])
		}
	}
	return list
}

// decide finds the verdict from the cells.
func (c *Claim) decide(f *File) {
	for i := range c.Cells {
		c.Met, c.Of = c.Met+c.Cells[i].Met, c.Of+c.Cells[i].Of
	}
	met, missed, undecided := c.of(Met), c.of(Missed), c.of(Undecided)
	c.Open = len(c.of(NotRun))
	tried := len(met) + len(missed)
	switch {
	case c.undecidable != nil:
		c.Verdict, c.Text = notDecidable, c.undecidable.Because+": "+c.undecidable.Why
		return
	case tried == 0 && len(undecided) > 0:
		c.Verdict, c.Text = onlyUndecided, undecided[0].Why
	case tried == 0:
		c.Verdict, c.Text = noRuns, "no reading was run"
		if cells := c.of(NotRun); len(cells) > 0 && cells[0].Why != "" {
			c.Text = cells[0].Why
		}
		return
	case c.own.UpTo != nil:
		c.upTo()
	case len(missed) == 0:
		c.Verdict, c.Text = holds, in(met, tried)
	case len(met) == 0:
		c.Verdict, c.Text = contradicted, in(missed, tried)
	default:
		c.Verdict, c.On = depends, c.settings(f)
		c.Text = fmt.Sprintf("on %s: holds in %s; fails in %s", strings.Join(c.On, ", "), numbers(met), numbers(missed))
	}
	if n := len(undecided); n > 0 && tried > 0 {
		c.Text += fmt.Sprintf("; undecided in %s (%s)", names(undecided), undecided[0].Why)
	}
	if c.Of > 0 && c.Of > tried {
		c.Text += fmt.Sprintf("; holds in %d of %d cells", c.Met, c.Of)
	}
	if c.Open > 0 {
		c.Text += fmt.Sprintf("; %d of %d readings not run", c.Open, tried+len(undecided)+c.Open)
	}
}

// upTo decides an "up to" by the extreme of all readings.
func (c *Claim) upTo() {
	u := c.own.UpTo
	var best *Cell
	for i := range c.Cells {
		cell := &c.Cells[i]
		if cell.Extreme != nil && (best == nil || (*cell.Extreme > *best.Extreme) == (u.Take == "largest")) {
			best = cell
		}
	}
	c.Verdict = contradicted
	if u.reached(*best.Extreme) {
		c.Verdict = holds
	}
	c.Text = fmt.Sprintf("the %s admissible cell has %s of %s, in %s", u.Take, best.Measured, number(u.Reach, best.unit), best.Reading)
}

// settings lists the settings of which a value differs from the first reading, or from another one, in
// whether the claim holds; without any, the readings that differ.
func (c *Claim) settings(f *File) []string {
	outcome := map[string]Outcome{}
	for i := range c.Cells {
		outcome[c.Cells[i].Reading] = c.Cells[i].Outcome
	}
	first := outcome[firstReading]
	var list []string
	for _, s := range f.Settings {
		met, missed := first == Met, first == Missed
		for _, v := range s.Values {
			o := outcome[s.ID+"="+v.Is]
			met, missed = met || o == Met, missed || o == Missed
		}
		if met && missed {
			list = append(list, s.ID)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := range c.Cells {
		if o := c.Cells[i].Outcome; c.Cells[i].Reading != firstReading && (o == Met || o == Missed) && o != first {
			list = append(list, c.Cells[i].Reading)
		}
	}
	return list
}

// in says in how many readings something was found, with the first number.
func in(cells []*Cell, tried int) string {
	text := fmt.Sprintf("in all %d readings that decide", tried)
	if tried == 1 {
		text = "in the " + cells[0].Reading + " reading"
	}
	if cells[0].Measured != "" {
		text += ", " + cells[0].Measured
	}
	return text
}

// numbers lists readings with their numbers.
func numbers(cells []*Cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, fmt.Sprintf("%s (%s)", c.Reading, c.Measured))
	}
	return strings.Join(words, ", ")
}

func names(cells []*Cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, c.Reading)
	}
	return strings.Join(words, ", ")
}

// number writes a number with its unit.
func number(v float64, unit string) string {
	text := strconv.FormatFloat(v, 'g', 4, 64) + " " + unit
	if unit == "×" {
		text = strings.Replace(text, " ", "", 1)
	}
	return strings.TrimSpace(text)
}
