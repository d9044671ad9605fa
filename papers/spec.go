package papers

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"weft/catalog"
	"weft/config"
	"weft/unit"
)

// Version is the version of the ledger's format that this package reads.
const Version = 1

// Paper is what paper.yaml says.
type Paper struct {
	Ledger   int     `yaml:"ledger" doc:"Version of the file format; 1."`
	Title    string  `yaml:"title" doc:"Title of the paper."`
	Short    string  `yaml:"short" doc:"Short name of the paper in tables, as in ARCANE."`
	Citation string  `yaml:"citation" default:"" doc:"Who wrote it, where and when."`
	About    string  `yaml:"about" default:"" doc:"Remark to read before the page."`
	Scales   Scales  `yaml:"scales" default:"{}" doc:"What the scales mean."`
	Tables   []Table `yaml:"tables" default:"[]" doc:"Tables of the paper; checks compare with them, and the page shows them beside ours."`
	Studies  []Study `yaml:"studies" doc:"What is run, and what is drawn."`

	Sections []Section `yaml:"sections" default:"[]" doc:"Summaries of the claims under a heading."`
	Page     Page      `yaml:"page" default:"{}" doc:"What the short page shows."`
}

// Page is what the short page about a paper shows beside verdicts. In its sentences
// {reproduced}, {partly}, {not}, {claims} and {simulable} stand for counts, and {share} for the
// share of the claims that can be simulated which is reproduced.
type Page struct {
	Holds  string `yaml:"holds" default:"" doc:"What holds, in a sentence."`
	Fails  string `yaml:"fails" default:"" doc:"What does not hold, in a sentence."`
	Sure   string `yaml:"sure" default:"" doc:"How sure this is, in a sentence."`
	Figure string `yaml:"figure" default:"" doc:"Name of the figure that shows the paper's numbers beside ours (default: all claims with a number)."`

	Tables []string `yaml:"tables" default:"[]" doc:"Ids of the tables that the page shows."`
	Claims []string `yaml:"claims" default:"[]" doc:"Ids of the claims whose numbers the page shows side by side."`
}

// Section is what the page says of a heading's claims before it lists them.
type Section struct {
	Name  string `yaml:"name" doc:"Heading, as claims have it."`
	About string `yaml:"about" doc:"Summary of its claims."`
}

// Scales says what each scale means, for the page.
type Scales struct {
	Quick string `yaml:"quick" default:"Small fabrics and few seeds." doc:"Meaning of quick."`
	Full  string `yaml:"full" default:"The paper's sizes." doc:"Meaning of full."`
	Mixed bool   `yaml:"mixed" default:"false" doc:"Whether cells of both scales can be compared with each other, so that one scale can be preferred where it was run. They can if they differ only in the length of runs."`

	Beside []string `yaml:"beside" default:"[]" doc:"Metrics whose difference between the scales the page shows, for cells that were run at both, if one scale is preferred."`
}

// Study is one study of a paper: a scenario file with what each scale changes in
// it, and how it is drawn. Without a scenario it is only drawn: figures of models.
type Study struct {
	ID       string `yaml:"id" doc:"Name of the study and of its folder, as in fig3."`
	Figure   string `yaml:"figure" default:"" doc:"Figure of the paper that it belongs to, as in 3."`
	Section  string `yaml:"section" default:"" doc:"Section of the paper, as in 4.3.2."`
	About    string `yaml:"about" doc:"What is run or drawn, in a sentence."`
	Scenario string `yaml:"scenario" default:"" doc:"Scenario file, in the same folder; several studies may share it. Without it, nothing is run."`

	Analyze *Analysis `yaml:"analyze" doc:"Analysis of graphs to run, instead of a scenario."`

	// Set holds for both scales, and comes first.
	Set   *config.Node `yaml:"set" doc:"What both scales change in the scenario: a mapping of paths to values, as --set takes them."`
	Quick *Scale       `yaml:"quick" doc:"What scale quick changes in the scenario (default: nothing)."`
	Full  *Scale       `yaml:"full" doc:"What scale full changes in the scenario (default: nothing)."`

	Measures []Measure `yaml:"measures" default:"[]" doc:"Numbers computed from each run's recorded series or ports; checks use them like metrics."`
	Draw     []Draw    `yaml:"draw" default:"[]" doc:"Figures, drawn from this study."`

	// reading is the name of the reading that changes the study, and over what it changes; they are
	// empty in the ledger's own studies.
	reading string
	over    []config.Field
}

// Scale is what a scale changes in the scenario of a study.
type Scale struct {
	Skip  bool         `yaml:"skip" default:"false" doc:"Not run at this scale."`
	Set   *config.Node `yaml:"set" doc:"A mapping of paths to values, as --set takes them; matrix, compare and exclude can be set, too."`
	Seeds *config.Node `yaml:"seeds" doc:"Seeds, as in a scenario: how many, a range, or a list."`

	Flags   *config.Node `yaml:"flags" doc:"Analysis: flags in addition to those of the study, or instead of them."`
	Fabrics *config.Node `yaml:"fabrics" doc:"Analysis: the fabrics instead of the study's, with the same labels."`
}

// Measure is a number computed of each run. It is a statistic over ports and time
// of a recorded series, or over ports of a counter.
type Measure struct {
	Name  string `yaml:"name" doc:"Its name in checks; not the name of a metric."`
	About string `yaml:"about" default:"" doc:"What it shows, in a few words; its title in tables and figures."`

	Series  string   `yaml:"series" default:"" doc:"Recorded series that it uses. The scenario must record these ports (for buffer, these switches; for pace, these connections, as in host0->*)." enum:",accepted,transmitted,queue,dropped,buffer,pace"`
	Counter string   `yaml:"counter" default:"" doc:"Counter of ports that it is of, instead of a series." enum:",accepted_bytes,transmitted_bytes,ecn_marks,trims,queue_max,queue_mean"`
	Ports   []string `yaml:"ports" default:"*" doc:"Ports that count, by patterns such as tor0->spine*. Each pattern must match a port of some cell, which for a series must be recorded."`
	From    Instant  `yaml:"from" default:"0s" doc:"Start of the window, a time or a share of the runtime, as in 50us or 20%. Only buckets that lie entirely in the window count. For series only."`
	To      Instant  `yaml:"to" default:"100%" doc:"End of the window."`
	In      string   `yaml:"in" default:"" doc:"Unit of values: shares of the port's nominal rate (rate; default for accepted and transmitted), Gb/s, bytes, frames, or multiples of 1 BDP, of the limit of a queue, or of the queue from which ECN marks (kmin). A pace is in Gb/s." enum:",rate,gbps,bytes,frames,bdp,queue_limit,kmin"`
	Take    string   `yaml:"take" doc:"The statistic. Over all values of all ports and buckets: mean, max, min, sum, p1, p50, p95, p99, or the share of them above, below or outside the limits. Over the sums of all ports: growth, the slope of a least-squares line times the end of the window, divided by their mean, or 0 if the line explains less than three quarters of their variance. It is 0 for a constant and 1 to 2 for a line that rises from time 0 (1 in a window that is short beside its age). Over the ports' totals: spread, the difference of the largest and smallest over the mean; imbalance, the largest over the mean less 1; part, the share of the ports under part. Times in µs after the start of the window: last, the end of the last bucket with a value above the limit (0 if there is none); settled, the end of the last bucket that is above, below or outside the limits; first_drop, the first value of any port that is below limit times the first one of the same port, none if there is none." enum:"mean,max,min,sum,p1,p50,p95,p99,growth,share_above,share_below,share_outside,spread,imbalance,part,last,settled_below,settled_above,settled_within,first_drop"`
	// Without these a measure keeps the digest that it had before them.
	Messages string     `yaml:"messages" default:"" doc:"Numbers of measured messages that finished, instead of a series: their slowdown by one of its definitions, or their completion time in µs." enum:",slowdown,slowdown_ref,slowdown_bare,slowdown_ack,fct" json:",omitempty"`
	Group    string     `yaml:"group" default:"" doc:"With messages: the group of traffic that counts (default: all)." json:",omitempty"`
	Least    unit.Bytes `yaml:"least" default:"0B" doc:"With messages: the smallest payload that counts." json:",omitempty"`
	Below    unit.Bytes `yaml:"below" default:"0B" doc:"With messages: only smaller payloads count; 0B is no limit." json:",omitempty"`
	Plus     float64    `yaml:"plus" default:"0" doc:"With messages: what is added to each number, in its unit, such as the time in an operating system, which is not simulated. It changes nothing else if messages start whether or not earlier ones ended." json:",omitempty"`

	Part   []string `yaml:"part" default:"[]" doc:"With part: the ports whose share is taken, by patterns."`
	Per    float64  `yaml:"per" default:"1" doc:"Divisor of the values, after in, to make them a share."`
	Limit  float64  `yaml:"limit" default:"0" doc:"Limit of shares and times, in the unit of the values."`
	Within float64  `yaml:"within" default:"0" doc:"Distance from the limit to either side, for share_outside and settled_within."`
}

// Instant is a time, or a share of a run's runtime.
type Instant struct {
	At    unit.Time
	Share float64
	// Relative tells that the share counts.
	Relative bool
}

// UnmarshalText reads a time, or a number with a percent sign.
func (i *Instant) UnmarshalText(text []byte) error {
	if number, ok := strings.CutSuffix(string(text), "%"); ok {
		v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || v < 0 || v > 100 {
			return fmt.Errorf("%.40q is not a share from 0%% to 100%%", text)
		}
		*i = Instant{Share: v / 100, Relative: true}
		return nil
	}
	t, err := unit.ParseTime(string(text))
	if err != nil {
		return errors.New("write a time as in 50us, or a share of the runtime as in 20%")
	}
	*i = Instant{At: t}
	return nil
}

// MarshalText writes i like UnmarshalText reads it.
func (i Instant) MarshalText() ([]byte, error) {
	if i.Relative {
		return []byte(strconv.FormatFloat(100*i.Share, 'g', -1, 64) + "%"), nil
	}
	return i.At.MarshalText()
}

// Form describes how an Instant is written.
func (Instant) Form() catalog.Form { return catalog.Form{Name: "time or share", Example: "50us"} }

// Draw is a figure of a study.
type Draw struct {
	Kind    string `yaml:"kind" doc:"What is drawn: bars of a metric, grouped along one axis and coloured by another; lines of a metric along an axis; a curve of one metric against another, along an axis; the distribution of completion times (cdf), or of buffer occupancy (buffers); timelines of ports, or of where credit is (credit); a figure of a model; tables of message sizes; the rows of a table, each by the mean and the extremes of its columns; or the plots of an analysis." enum:"bars,lines,curve,cdf,buffers,ports,credit,model,sizes,table,plots"`
	Name    string `yaml:"name" default:"" doc:"Name of the figure's file (default: the study's id)."`
	Caption string `yaml:"caption" default:"" doc:"What one sees."`

	At     *config.Node `yaml:"at" doc:"Levels to draw: a mapping of axes to labels or lists of labels (default: all)."`
	Metric string       `yaml:"metric" default:"runtime_us" doc:"Metric or measure of bars, lines and curves."`

	Metrics []string `yaml:"metrics" default:"[]" doc:"Bars: several metrics of one unit, one group each, instead of metric."`
	Against string   `yaml:"against" default:"" doc:"Curves: the metric on the horizontal axis."`
	Along   string   `yaml:"along" default:"" doc:"Curves: the axis whose levels are the points, in their order."`
	Figure  string   `yaml:"figure" default:"" doc:"Figure of the paper that it belongs to, if different from the study's."`
	Marks   []Mark   `yaml:"marks" default:"[]" doc:"Buffers: horizontal lines, numbers of models in MB."`

	X     string       `yaml:"x" default:"" doc:"Axis of the groups of bars, or horizontal axis of lines (default: chosen)."`
	Color string       `yaml:"color" default:"variant" doc:"Axis shown in colours."`
	Over  *config.Node `yaml:"over" doc:"Show the ratio of bars and lines to this level, as in {variant: ARCANE}."`
	Log   bool         `yaml:"log" default:"false" doc:"Logarithmic vertical axis; bars become points, since a bar has no base on it."`

	Group string     `yaml:"group" default:"" doc:"Completion times: the traffic group whose messages count (default: all, one plot each)."`
	To    *unit.Time `yaml:"to" doc:"Timelines of ports: their end (default: that of the longest run)."`
	Model string     `yaml:"model" default:"" doc:"Model: its name."`
	Files []string   `yaml:"files" default:"[]" doc:"Sizes: tables of message sizes, in the same folder."`
	Table string     `yaml:"table" default:"" doc:"Table: its id."`
	Of    string     `yaml:"of" default:"" doc:"Plots: those whose horizontal axis begins like this (default: all)."`
}

// Mark is a number of a model that a figure shows as a line.
type Mark struct {
	Model   string `yaml:"model" doc:"Name of the model; weft theory lists them."`
	Measure string `yaml:"measure" doc:"The number."`
	Row     string `yaml:"row" default:"" doc:"The row of the result, if it has several; its name in the figure."`
}

// metrics lists the metrics that a figure shows.
func (d *Draw) metrics() []string {
	switch {
	case len(d.Metrics) > 0:
		return d.Metrics
	case d.Against != "":
		return []string{d.Metric, d.Against}
	}
	return []string{d.Metric}
}
