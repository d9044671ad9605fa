package papers

import (
	"fmt"
	"strings"

	"weft/internal/readable"
	"weft/study"
)

// Verdict is what is found of a claim.
type Verdict string

// Verdicts.
const (
	Reproduced   Verdict = "reproduced"
	Partly       Verdict = "partly"
	Not          Verdict = "not"
	NotSimulable Verdict = "not simulable"
	Missing      Verdict = "missing"
)

// Verdicts lists all verdicts, the best first.
func Verdicts() []Verdict { return []Verdict{Reproduced, Partly, Not, NotSimulable, Missing} }

// By is what a claim is reproduced by.
type By string

// What claims are reproduced by.
const (
	ByNumber By = "number"
	ByOrder  By = "order or bound"
)

// Result is what was found of a ledger at a scale.
type Result struct {
	Paper string `json:"paper"`
	Scale string `json:"scale"`
	// Prefer is the scale whose cells count where they were run; nil if none do.
	Prefer *Preference `json:"prefer,omitempty"`
	// Claims are in the order of the ledger.
	Claims []ClaimResult `json:"claims"`
	// Counts are how many claims of the paper have which verdict, and Own how many of the
	// ledger's own.
	Counts map[Verdict]int `json:"counts"`
	Own    map[Verdict]int `json:"own,omitempty"`
	// Explained counts the claims that are explained, though not or only partly reproduced.
	Explained Explained `json:"explained"`
	// Studies are the studies of the scale.
	Studies []StudyResult `json:"studies"`
}

// Preference is a scale whose cells count where they were run, and how many of its runs
// have ended.
type Preference struct {
	Scale string `json:"scale"`
	Ended int    `json:"ended"`
	Runs  int    `json:"runs"`
}

// StudyResult says what of a study was run.
type StudyResult struct {
	ID string `json:"id"`
	study.Counts
	Seeds int `json:"seeds"`
	// Presets are the presets of its cells, as study.Plan.Presets lists them.
	Presets string `json:"presets,omitempty"`
	// Program is what it was run with.
	Program string `json:"program,omitempty"`
	// Offered counts the runs that are published with the ledger. Published counts how many of
	// them stand in for missing runs.
	Offered   int `json:"offered,omitempty"`
	Published int `json:"published,omitempty"`
	// Older counts how many of these belong to an older revision of results.
	Older int `json:"older,omitempty"`
	// Same counts the runs of one's own with the hash that is published, and Differ
	// lists those with another.
	Same   int      `json:"as_published,omitempty"`
	Differ []string `json:"unlike_published,omitempty"`
	// Stale reports that the runs belong to another state of the ledger.
	Stale bool `json:"stale,omitempty"`
}

// ClaimResult is what was found of a claim.
type ClaimResult struct {
	ID       string  `json:"id"`
	Where    string  `json:"where"`
	Claimed  string  `json:"claimed"`
	Measured string  `json:"measured"`
	Verdict  Verdict `json:"verdict"`
	// By tells of a claim that is reproduced by what: a number within a tolerance, if a
	// check demands one, or orderings and bounds only.
	By By `json:"by,omitempty"`
	// Reason says why the verdict is not reproduced, and Because the same in a line that
	// people wrote.
	Reason  string `json:"reason"`
	Because string `json:"because,omitempty"`
	// MeasuredPieces and ReasonPieces are Measured and Reason in pieces.
	MeasuredPieces Pieces `json:"-"`
	ReasonPieces   Pieces `json:"-"`

	Section      string              `json:"section"`
	Claim        string              `json:"claim"`
	Kind         string              `json:"kind"`
	Checks       []CheckResult       `json:"checks,omitempty"`
	Explanations []ExplanationResult `json:"explanations,omitempty"`
	// Explained tells that the verdict is not reproduced, and that explanations which are
	// met explain all that is missed; Unexplained is what none does.
	Explained bool `json:"explained,omitempty"`
	// Known tells that without explanations which were written when their numbers were
	// known something would stay unexplained.
	Known bool `json:"explained_when_known,omitempty"`
	// Reading tells that without other readings of the claim something would, so that no
	// cause is known for it.
	Reading     bool     `json:"explained_by_reading,omitempty"`
	Unexplained []string `json:"unexplained,omitempty"`
	Contradicts []string `json:"contradicts,omitempty"`
	// Preferred tells that runs of the scale that is preferred are in what was measured.
	Preferred bool   `json:"preferred,omitempty"`
	Notes     string `json:"notes,omitempty"`
}

// ExplanationResult is what was found of an explanation.
type ExplanationResult struct {
	Change string `json:"change"`
	// Reading tells that it reads the claim otherwise, and is no cause.
	Reading bool `json:"reading,omitempty"`
	// Known tells that it was written when its numbers were known.
	Known bool `json:"written_when_known,omitempty"`
	// Of lists the misses of the claim that the explanation covers.
	Of      []string `json:"of,omitempty"`
	Met     bool     `json:"met"`
	Missing bool     `json:"missing,omitempty"`
	// Explains reports that it is met and explains the misses in Of. Reason says why it explains
	// nothing although it is met.
	Explains bool          `json:"explains,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Checks   []CheckResult `json:"checks"`
}

// CheckResult is what was found of a check.
type CheckResult struct {
	Name     string `json:"name"`
	named    bool   // by the ledger, and not after what it compares
	Expected string `json:"expected"`
	// Exact tells that it demands a number within a tolerance, and not an order or a bound.
	Exact    bool   `json:"exact,omitempty"`
	Measured string `json:"measured"`
	Met      bool   `json:"met"`
	// About is the paper's number if the check demands to be near one; null if it does not.
	About *float64 `json:"about,omitempty"`
	// Preferred tells that numbers of the scale that is preferred are in it.
	Preferred bool `json:"preferred,omitempty"`
	// Missing says what was not run, empty if nothing is missing.
	Missing string `json:"missing,omitempty"`
	// Holds tells whether it is met by the points that decide. Undecided is why these do not suffice.
	Holds     bool   `json:"holds"`
	Undecided *Doubt `json:"undecided,omitempty"`
	// Reason says why it is not met.
	Reason string `json:"reason,omitempty"`
	// MeasuredPieces is Measured in pieces, reason is Reason.
	MeasuredPieces Pieces `json:"-"`
	reason         Pieces
	Points         []PointResult `json:"points,omitempty"`
	// Misses are the names of the points, cells or pairs at which the check fails. If these have
	// no names, it is the name of the check.
	Misses []string `json:"misses,omitempty"`
	// names are the names of all points, cells and pairs.
	names []string
	// short is how many more points had to be as it says, of a check that asks for some.
	short int
}

// say sets what was measured and why the check is not met.
func (r *CheckResult) say(measured, reason Pieces) {
	r.MeasuredPieces, r.Measured = measured, measured.String()
	r.reason, r.Reason = reason, reason.String()
}

// decided sets the verdict and why it is not reproduced.
func (r *ClaimResult) decided(v Verdict, reason Pieces) {
	r.Verdict, r.ReasonPieces, r.Reason = v, reason, reason.String()
}

// Missing counts the claims with missing runs, including the ledger's own.
func (r *Result) Missing() int { return r.Counts[Missing] + r.Own[Missing] }

// total counts the claims of some verdicts.
func total(counts map[Verdict]int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// Simulable counts the claims of the paper that can be checked at all.
func (r *Result) Simulable() int { return total(r.Counts) - r.Counts[NotSimulable] }

// Share is which share of the simulable claims is reproduced, from 0 to 1.
func (r *Result) Share() float64 {
	if r.Simulable() == 0 {
		return 0
	}
	return float64(r.Counts[Reproduced]) / float64(r.Simulable())
}

// by counts the claims that are reproduced by something.
func (r *Result) by(what By) int {
	n := 0
	for i := range r.Claims {
		if r.Claims[i].By == what && r.Claims[i].Kind != KindOwn {
			n++
		}
	}
	return n
}

// Headline sums up in a line.
func (r *Result) Headline() string {
	text := ""
	for _, v := range Verdicts() {
		if n := r.Counts[v]; n > 0 || v == Reproduced {
			if text != "" {
				text += ", "
			}
			text += fmt.Sprintf("%d %s", n, v)
			if v == Reproduced && n > 0 {
				text += fmt.Sprintf(" (%d by a number, %d by orderings or bounds)", r.by(ByNumber), r.by(ByOrder))
			}
		}
	}
	text = fmt.Sprintf("%s: %s", readable.Count(total(r.Counts), "claim"), text)
	if n := r.Simulable(); n > 0 {
		text += fmt.Sprintf("; %.0f %% of the %d simulable ones reproduced", 100*r.Share(), n)
	}
	if explained := r.Explained.String(); explained != "" {
		text += ", " + explained
	}
	if n := total(r.Own); n > 0 {
		text += fmt.Sprintf("; beside them %s beyond the paper: ", readable.Count(n, "expectation"))
		var words []string
		for _, v := range Verdicts() {
			if n := r.Own[v]; n > 0 {
				words = append(words, fmt.Sprintf("%d %s", n, v))
			}
		}
		text += strings.Join(words, ", ")
	}
	return text
}

// Runs returns how many runs of the studies have ended, and how many of these are of an
// older revision of results.
func (r *Result) Runs() (ended, older int) {
	for i := range r.Studies {
		ended += r.Studies[i].Done + r.Studies[i].Partial
		older += r.Studies[i].Older
	}
	return ended, older
}

// Incomplete lists the studies with missing or stale runs.
func (r *Result) Incomplete() []StudyResult {
	var list []StudyResult
	for _, s := range r.Studies {
		if s.Missing > 0 || s.Stale {
			list = append(list, s)
		}
	}
	return list
}

// Empty tells that no claim has a verdict that anything was run for.
func (r *Result) Empty() bool {
	for _, c := range r.Claims {
		if c.Verdict != Missing && c.Verdict != NotSimulable {
			return false
		}
	}
	return true
}
