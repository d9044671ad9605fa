package papers

import (
	"weft/config"
	"weft/unit"
)

// Claims is what claims.yaml says.
type Claims struct {
	Ledger int     `yaml:"ledger" doc:"Version of the file format; 1."`
	Claims []Claim `yaml:"claims" doc:"The claims, in the order of the paper."`
}

// Kinds of claims. Claims of kind hardware, cited and unspecified are not simulable.
const (
	// KindSimulated: the paper simulated it, and so does weft.
	KindSimulated = "simulated"
	// KindTestbed: the paper measured it on hardware; weft simulates it with the
	// testbed's parameters.
	KindTestbed = "testbed"
	// KindTheory: a result of a model or a proof, checked by the model.
	KindTheory = "theory"
	// KindAnalytic: arithmetic.
	KindAnalytic = "analytic"
	// KindOwn: an expectation of the ledger's, which the paper does not state. It is checked
	// and shown like any other, and counted apart.
	KindOwn = "own"
	// KindHardware: about hardware or proprietary parts.
	KindHardware = "hardware"
	// KindCited: a fact of other papers.
	KindCited = "cited"
	// KindUnspecified: the paper describes no scenario that could be run.
	KindUnspecified = "unspecified"
)

// Claim is one claim of a paper.
type Claim struct {
	ID      string `yaml:"id" doc:"Name of the claim."`
	Where   string `yaml:"where" doc:"Place in the paper, as in §4.3.2, Figure 3."`
	Section string `yaml:"section" default:"" doc:"Heading under which the page lists it (default: the number at the beginning of where)."`
	Claim   string `yaml:"claim" doc:"What the paper says, in other words."`
	Claimed string `yaml:"claimed" doc:"The paper's number or ordering, as text."`
	Kind    string `yaml:"kind" default:"simulated" doc:"What it is about: simulated in the paper and here (simulated); measured on a testbed there and simulated here; a model's result; arithmetic; an expectation of the ledger's own, beyond the paper, which is counted apart; hardware or proprietary parts; cited from others; or without a scenario that could be run (unspecified). The last three are not simulable." enum:"simulated,testbed,theory,analytic,own,hardware,cited,unspecified"`
	Reason  string `yaml:"reason" default:"" doc:"Why it is not simulable, or a remark about the verdict."`

	Because string `yaml:"because" default:"" doc:"Why it is not reproduced, in a line for the short page."`

	Study  string       `yaml:"study" default:"" doc:"Default study of its checks."`
	Metric string       `yaml:"metric" default:"runtime_us" doc:"Default metric of its checks."`
	At     *config.Node `yaml:"at" doc:"Default levels of its checks: a mapping of axes to a label or a list of labels."`
	Checks []Check      `yaml:"checks" default:"[]" doc:"All met means reproduced, some partly, none not."`

	Contradicts  []string      `yaml:"contradicts" default:"[]" doc:"Claims that cannot all be true with this one; the page shows them side by side."`
	Explanations []Explanation `yaml:"explanations" default:"[]" doc:"Named changes that move the number to the paper's."`
	Notes        string        `yaml:"notes" default:"" doc:"For the page."`
}

// Explanation is a named change with its own checks. It explains its part of a claim that is not
// reproduced, if all its checks are met at no fewer points than that part has.
type Explanation struct {
	Change string `yaml:"change" doc:"What is changed, as in: RTO of the 2-tier reading, 29 us."`

	Reading bool `yaml:"reading" default:"false" doc:"Whether it reinterprets the claim instead of changing the run: by another criterion, another count, or another or narrower part of it. A cause changes the run and leaves the claim as it is. Claims that only readings explain are counted apart."`

	Study  string       `yaml:"study" default:"" doc:"Study with the change (default: the claim's)."`
	Metric string       `yaml:"metric" default:"" doc:"Metric (default: the claim's)."`
	At     *config.Node `yaml:"at" doc:"Levels with the change; they replace the claim's on the same axes, unless another study is named."`
	Known  bool         `yaml:"known" default:"false" doc:"Whether it was written when its numbers, or some of them, were known; the page marks it."`
	Of     []string     `yaml:"of" default:"[]" doc:"Which part of the claim it explains: names of checks, or parts of the names of points, cells or pairs that miss (default: every miss). Misses that no met explanation covers stay unexplained. An explanation tried at fewer points, cells or pairs than it covers explains nothing, unless it is a reading that names its part."`
	Checks []Check      `yaml:"checks" doc:"What must hold with the change."`
}

// Check is one condition: one of value, ratio, order, similar, trend, theory and table.
//
// It is about cells of a study. An axis that it does not name is free: the condition is
// tried at each level of the axis, and hold says at how many levels it must hold.
// A list of labels frees an axis for these labels only.
type Check struct {
	Name  string       `yaml:"name" default:"" doc:"Its name on the page (default: made from its content)."`
	Scale string       `yaml:"scale" default:"" doc:"Checked at this scale only." enum:",quick,full"`
	Study string       `yaml:"study" default:"" doc:"Study (default: the claim's)."`
	At    *config.Node `yaml:"at" doc:"Levels, in addition to the claim's."`
	Hold  Quantity     `yaml:"hold" default:"all" doc:"At how many levels of the free axes it must hold: all, any, most, or a minimum number."`

	Value   *ValueCheck   `yaml:"value" doc:"A metric of a cell."`
	Ratio   *RatioCheck   `yaml:"ratio" doc:"The ratio of a metric of two cells, paired by seed."`
	Order   *OrderCheck   `yaml:"order" doc:"One cell is below another, with disjoint 95 % intervals."`
	Similar *SimilarCheck `yaml:"similar" doc:"Cells differ only a little."`
	Trend   *TrendCheck   `yaml:"trend" doc:"A metric, or a ratio, grows or falls along an axis."`
	Theory  *TheoryCheck  `yaml:"theory" doc:"A number from a model."`
	Table   *TableCheck   `yaml:"table" doc:"A table compared with the paper's, or its rows compared with each other."`
}

// Bound is what a number must be: near another, or within bounds. A bound that
// tells an advantage (at least a number above 1, or at most one below 1) also
// demands that the interval of a ratio does not reach 1.
type Bound struct {
	About   *float64    `yaml:"about" doc:"Target of the mean."`
	Within  *unit.Ratio `yaml:"within" doc:"Allowed distance, as a share of about; needed with about."`
	By      *float64    `yaml:"by" doc:"Allowed distance in its own unit, instead of within, as in 1.5 for percentage points." min:"0"`
	Covers  *float64    `yaml:"covers" doc:"A printed number that the interval must reach; rounding sets by how much it may be rounded."`
	Round   float64     `yaml:"rounding" default:"0" doc:"Half of the last digit of the number in covers." min:"0"`
	Times   *float64    `yaml:"times" doc:"Allowed factor above or below about, instead of within, as in 10 for an order of magnitude." min:"1"`
	AtLeast *float64    `yaml:"at_least" doc:"Smallest mean allowed."`
	AtMost  *float64    `yaml:"at_most" doc:"Largest mean allowed."`

	FromModel *ModelBound `yaml:"from_model" doc:"One of these numbers from a model, instead."`
}

// ModelBound is a bound that a model computes, in the unit of the bounded number.
type ModelBound struct {
	Is      string       `yaml:"is" default:"at_least" doc:"Which bound the number is." enum:"about,at_least,at_most"`
	Model   string       `yaml:"model" doc:"Name of the model; weft theory lists them."`
	Params  *config.Node `yaml:"params" doc:"Its parameters; others have their defaults."`
	Measure string       `yaml:"measure" doc:"The number."`
	Row     string       `yaml:"row" default:"" doc:"The row of the result, if it has several."`
	Factor  float64      `yaml:"factor" default:"1" doc:"Factor on the number, as in 0.95 for 5 % below it."`
}

// ValueCheck demands a bound of a metric.
type ValueCheck struct {
	Of     *config.Node `yaml:"of" doc:"The cell: a mapping of axes to labels, in addition to at. The keys study and metric choose those."`
	Metric string       `yaml:"metric" default:"" doc:"Metric or measure (default: the claim's)."`
	Take   string       `yaml:"take" default:"each" doc:"Which of the free levels' values the bound is for: each, or only the largest, the smallest or their mean." enum:"each,largest,smallest,mean"`
	Bound
}

// RatioCheck demands a bound of the mean, over seeds, of the ratio of two cells with
// the same seed.
type RatioCheck struct {
	Of     *config.Node `yaml:"of" doc:"The cell above the line: a mapping of axes to labels, in addition to at. The keys study and metric choose those."`
	Over   *config.Node `yaml:"over" doc:"The cell below the line. A list of labels, or others for all that of does not name, is several cells: each with each."`
	Metric string       `yaml:"metric" default:"" doc:"Metric or measure (default: the claim's)."`
	Minus  bool         `yaml:"difference" default:"false" doc:"Whether the bound is for the difference of the two, in the unit of the metric, instead of the ratio."`
	Take   string       `yaml:"take" default:"each" doc:"Which of the ratios the bound is for: each, or only the largest, the smallest or their mean over the free levels. An up to is the largest." enum:"each,largest,smallest,mean"`
	Bound
}

// OrderCheck demands that a cell is below another, with disjoint intervals. The
// completion time of a cell is above any other if all its runs got stuck.
type OrderCheck struct {
	Less    *config.Node `yaml:"less" doc:"The cell that is below: a mapping of axes to labels, in addition to at. With a list of labels, each of them."`
	Than    *config.Node `yaml:"than" doc:"The cell that is above. With a list of labels, or others for all that less does not name, against selects among them."`
	Metric  string       `yaml:"metric" default:"" doc:"Metric or measure (default: the claim's)."`
	Against string       `yaml:"against" default:"each" doc:"With several cells above: each of them, any one, or the best (lowest) of them." enum:"each,any,best"`
	Or      *unit.Ratio  `yaml:"or_within" doc:"Also good if the mean is above by no more than this share, whatever the intervals (no worse than)."`
}

// SimilarCheck demands that cells differ by little.
type SimilarCheck struct {
	Of     *config.Node `yaml:"of" doc:"A cell, or several by a list of labels: a mapping of axes to labels, in addition to at."`
	To     *config.Node `yaml:"to" doc:"The cell that each of them is compared with, or several."`
	Metric string       `yaml:"metric" default:"" doc:"Metric or measure (default: the claim's)."`
	Within unit.Ratio   `yaml:"within" doc:"How far the mean ratio may be from 1."`
}

// TrendCheck demands that a metric grows or falls along an axis: that its last level
// is above its first one with disjoint intervals, and that no level is below the one
// before it with disjoint intervals.
type TrendCheck struct {
	Of     *config.Node `yaml:"of" doc:"The cell: a mapping of axes to labels, in addition to at."`
	Over   *config.Node `yaml:"over" doc:"The cell to divide by, for the trend of a ratio."`
	Metric string       `yaml:"metric" default:"" doc:"Metric or measure (default: the claim's)."`
	Along  string       `yaml:"along" doc:"The axis, in the order of its levels."`
	Is     string       `yaml:"is" default:"grows" doc:"Direction of the trend." enum:"grows,falls"`
}

// TheoryCheck demands a bound of a number of a model.
type TheoryCheck struct {
	Model   string       `yaml:"model" doc:"Name of the model; weft theory lists them."`
	Params  *config.Node `yaml:"params" doc:"Its parameters; others have their defaults."`
	Measure string       `yaml:"measure" doc:"The number."`
	Row     string       `yaml:"row" default:"" doc:"The row of the result, if it has several."`
	Over    *config.Node `yaml:"over" doc:"Parameters of a second run of the model, in addition to params: the bound is for the ratio of the first to the second."`
	Along   string       `yaml:"along" default:"" doc:"A parameter with a list in params: the bound is for each value, or is gives the direction of the number."`
	Is      string       `yaml:"is" default:"" doc:"With along: how the number changes from value to value." enum:",grows,falls"`
	Bound
}
