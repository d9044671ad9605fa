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
	Short    string  `yaml:"short" doc:"What the paper is called in tables, as in ARCANE."`
	Citation string  `yaml:"citation" default:"" doc:"Who wrote it, where and when."`
	About    string  `yaml:"about" default:"" doc:"What one should know before reading the page."`
	Scales   Scales  `yaml:"scales" default:"{}" doc:"What the scales mean."`
	Tables   []Table `yaml:"tables" default:"[]" doc:"Tables of the paper, which checks compare with and the page shows beside ours."`
	Studies  []Study `yaml:"studies" doc:"What is run, and what is drawn."`

	Sections []Section `yaml:"sections" default:"[]" doc:"What the claims under a heading come to together."`
	Page     Page      `yaml:"page" default:"{}" doc:"What the short page shows."`
}

// Page is what the short page about a paper shows beside verdicts. In its sentences
// {reproduced}, {partly}, {not}, {claims} and {simulable} stand for counts, and {share} for the
// share of the claims that can be simulated which is reproduced.
type Page struct {
	Holds   string `yaml:"holds" default:"" doc:"What holds, in a sentence."`
	Fails   string `yaml:"fails" default:"" doc:"What does not hold, in a sentence."`
	Sure    string `yaml:"sure" default:"" doc:"How sure this is, in a sentence."`
	Figure  string `yaml:"figure" default:"" doc:"Name of the figure that shows the paper's numbers beside ours; when absent, all claims with a number."`
	Caption string `yaml:"caption" default:"" doc:"What that figure shows."`

	Tables []string `yaml:"tables" default:"[]" doc:"Ids of the tables that the page shows."`
	Claims []string `yaml:"claims" default:"[]" doc:"Ids of the claims whose numbers the page shows side by side."`
}

// Section is what the page says of a heading's claims before it lists them.
type Section struct {
	Name  string `yaml:"name" doc:"Heading, as claims have it."`
	About string `yaml:"about" doc:"What its claims come to together."`
}

// Scales says what each scale means, for the page.
type Scales struct {
	Quick string `yaml:"quick" default:"Small fabrics and few seeds." doc:"What quick is."`
	Full  string `yaml:"full" default:"The paper's sizes." doc:"What full is."`
	Mixed bool   `yaml:"mixed" default:"false" doc:"Whether cells of both can be compared with each other, so that one scale can be preferred where it was run: where they differ only in how long runs are."`

	Beside []string `yaml:"beside" default:"[]" doc:"Metrics of which the page shows, of cells that were run at both scales, by how much those of the one are more than those of the other, if one is preferred."`
}

// Study is one study of a paper: a scenario file with what each scale changes in
// it, and how it is drawn. Without a scenario it is only drawn: figures of models.
type Study struct {
	ID       string `yaml:"id" doc:"Name of the study, as in fig3; its folder is called so."`
	Figure   string `yaml:"figure" default:"" doc:"Figure of the paper that it belongs to, as in 3."`
	Section  string `yaml:"section" default:"" doc:"Section of the paper, as in 4.3.2."`
	About    string `yaml:"about" doc:"What is run or drawn, in a sentence."`
	Scenario string `yaml:"scenario" default:"" doc:"Scenario file, beside this one; several studies may share it. Nothing is run when absent."`

	Analyze *Analysis `yaml:"analyze" doc:"Analysis of graphs that is run, instead of a scenario."`

	// Set holds for both scales, and comes first.
	Set   *config.Node `yaml:"set" doc:"What both scales change in the scenario: a mapping of paths to values, as --set takes them."`
	Quick *Scale       `yaml:"quick" doc:"What scale quick changes in the scenario; nothing when absent."`
	Full  *Scale       `yaml:"full" doc:"What scale full changes in the scenario; nothing when absent."`

	Measures []Measure `yaml:"measures" default:"[]" doc:"Numbers of each run that are computed from its recorded series or its ports, and that checks use like metrics."`
	Draw     []Draw    `yaml:"draw" default:"[]" doc:"Figures, drawn from this study."`
}

// Scale is what a scale changes in the scenario of a study.
type Scale struct {
	Skip  bool         `yaml:"skip" default:"false" doc:"Not run at this scale."`
	Set   *config.Node `yaml:"set" doc:"A mapping of paths to values, as --set takes them; matrix, compare and exclude can be set, too."`
	Seeds *config.Node `yaml:"seeds" doc:"Seeds, as in a scenario: how many, a range, or a list."`

	Flags   *config.Node `yaml:"flags" doc:"Of an analysis: flags beside those of the study, or in their place."`
	Fabrics *config.Node `yaml:"fabrics" doc:"Of an analysis: the fabrics in place of the study's, with the same labels."`
}

// Measure is a number computed of each run. It is a statistic over ports and time
// of a recorded series, or over ports of a counter.
type Measure struct {
	Name  string `yaml:"name" doc:"What checks call it; not the name of a metric."`
	About string `yaml:"about" default:"" doc:"What it says, in a few words; its title in tables and figures."`

	Series  string   `yaml:"series" default:"" doc:"Recorded series that it is of. The scenario must record these ports, or of buffer these switches." enum:",accepted,transmitted,queue,dropped,buffer"`
	Counter string   `yaml:"counter" default:"" doc:"Counter of ports that it is of, instead of a series." enum:",accepted_bytes,transmitted_bytes,accepted_frames,transmitted_frames,dropped_frames,dropped_queue_full,dropped_link_down,dropped_loss,ecn_marks,trims,queue_max,queue_mean"`
	Ports   []string `yaml:"ports" default:"*" doc:"Ports that count, by patterns such as tor0->spine*; each must fit a port of some cell, which for series is recorded."`
	From    Instant  `yaml:"from" default:"0s" doc:"Beginning of the window, a time or a share of the runtime, as in 50us or 20%. Buckets count that lie within the window as a whole. For series only."`
	To      Instant  `yaml:"to" default:"100%" doc:"End of the window."`
	In      string   `yaml:"in" default:"" doc:"What values are in: shares of the port's nominal rate (rate; accepted and transmitted when absent), Gb/s, bytes, frames, or parts of 1 BDP, of the limit of a queue, or of the queue from which ECN marks (kmin)." enum:",rate,gbps,bytes,frames,bdp,queue_limit,kmin"`
	Take    string   `yaml:"take" doc:"The statistic. Of all values of all ports and buckets: mean, max, min, sum, p1, p50, p99, or the share of them above, below or outside the limits. Of the sums over ports: growth, the slope of a line fitted by least squares, times the end of the window, over their mean, or 0 if the line explains less than three quarters of their variance: 0 of what stays, and 1 to 2 of what grows along a line from time 0 on (1 in a window that is short beside its age). Of the ports' totals: spread, the difference of the largest and smallest over the mean; imbalance, the largest over the mean less 1. Part, the share of all that is of the ports under part. A time in µs after the beginning of the window: last, the end of the last bucket with a value above the limit (0 if there is none); settled, the end of the last bucket that is above, below or outside the limits." enum:"mean,max,min,sum,p1,p50,p99,growth,share_above,share_below,share_outside,spread,imbalance,part,last,settled_below,settled_above,settled_within"`
	Part    []string `yaml:"part" default:"[]" doc:"Of part: the ports whose share is taken, by patterns."`
	Per     float64  `yaml:"per" default:"1" doc:"What values are divided by, after in: what they are a share of."`
	Limit   float64  `yaml:"limit" default:"0" doc:"Limit of shares and times, in the unit of the values."`
	Within  float64  `yaml:"within" default:"0" doc:"Distance from the limit to either side, for share_outside and settled_within."`
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
	Kind    string `yaml:"kind" doc:"What is drawn: bars of a metric, grouped along one axis and coloured by another; lines of a metric along an axis; a curve of one metric against another, led along an axis; the distribution of completion times (cdf), or of what switches buffer (buffers); timelines of ports, or of where credit is (credit); a figure of a model; tables of message sizes; the rows of a table, each by the mean and the extremes of its columns; or the plots that an analysis comes with." enum:"bars,lines,curve,cdf,buffers,ports,credit,model,sizes,table,plots"`
	Name    string `yaml:"name" default:"" doc:"Name of the figure's file; the study's id when absent."`
	Caption string `yaml:"caption" default:"" doc:"What one sees."`

	At     *config.Node `yaml:"at" doc:"Levels that are drawn: a mapping of axes to labels or lists of labels; all when absent."`
	Metric string       `yaml:"metric" default:"runtime_us" doc:"Metric or measure of bars, lines and curves."`

	Metrics []string `yaml:"metrics" default:"[]" doc:"Of bars: several metrics of one unit, a group each, in place of metric."`
	Against string   `yaml:"against" default:"" doc:"Of curves: the metric on the horizontal axis."`
	Along   string   `yaml:"along" default:"" doc:"Of curves: the axis whose levels are the points, in their order."`
	Figure  string   `yaml:"figure" default:"" doc:"Figure of the paper that it belongs to, if that is not the study's."`
	Marks   []Mark   `yaml:"marks" default:"[]" doc:"Of buffers: horizontal lines, numbers of models in MB."`

	X     string       `yaml:"x" default:"" doc:"Axis of the groups of bars, or along which lines lead; chosen when absent."`
	Color string       `yaml:"color" default:"variant" doc:"Axis that colours tell apart."`
	Over  *config.Node `yaml:"over" doc:"Bars and lines show the ratio to this level, as in {variant: ARCANE}; or of this level to each, with inverse."`
	Best  bool         `yaml:"best" default:"false" doc:"Bars show the ratio to the best of the group."`
	Log   bool         `yaml:"log" default:"false" doc:"The vertical axis is logarithmic, and bars are points, since a bar on it begins nowhere."`

	Inverse bool         `yaml:"inverse" default:"false" doc:"With over: how many times the level in over is better (its value over each)."`
	Group   string       `yaml:"group" default:"" doc:"Of completion times: the group of traffic whose messages count; all, a plot each, when absent."`
	Ports   []string     `yaml:"ports" default:"[]" doc:"Of timelines of ports: those that are drawn, by patterns; all that were recorded when empty."`
	To      *unit.Time   `yaml:"to" doc:"Of timelines of ports: the time at which they end; that of the longest run when absent."`
	Seed    uint64       `yaml:"seed" default:"0" doc:"Of timelines and distributions: the seed whose run is drawn; the first when 0."`
	Model   string       `yaml:"model" default:"" doc:"Of a model: its name."`
	Params  *config.Node `yaml:"params" doc:"Of a model: its parameters."`
	Files   []string     `yaml:"files" default:"[]" doc:"Of sizes: tables of message sizes, beside this file."`
	Table   string       `yaml:"table" default:"" doc:"Of a table: its id."`
	Of      string       `yaml:"of" default:"" doc:"Of plots: those whose horizontal axis begins like that; all when absent."`
}

// Mark is a number of a model that a figure shows as a line.
type Mark struct {
	Model   string       `yaml:"model" doc:"Name of the model; weft theory lists them."`
	Params  *config.Node `yaml:"params" doc:"Its parameters; those that are absent have their defaults."`
	Measure string       `yaml:"measure" doc:"The number."`
	Row     string       `yaml:"row" default:"" doc:"The row of the result that it is of, if it has several; its name in the figure."`
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
