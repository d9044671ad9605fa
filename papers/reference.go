package papers

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"strings"

	"weft/catalog"
)

// WriteReference writes how ledgers are read and written, as Markdown.
func WriteReference(w io.Writer) error {
	b := bufio.NewWriter(w)
	text := func(format string, args ...any) { _, _ = fmt.Fprintf(b, format, args...) }
	text("%s", referenceHead)
	for _, part := range []struct {
		title string
		of    reflect.Type
	}{
		{"`paper.yaml`", reflect.TypeFor[Paper]()}, {"`sections[]`", reflect.TypeFor[Section]()}, {"`tables[]`", reflect.TypeFor[Table]()}, {"`unstable`", reflect.TypeFor[Instability]()}, {"`studies[]`", reflect.TypeFor[Study]()}, {"`studies[].quick`, `studies[].full`", reflect.TypeFor[Scale]()},
		{"`studies[].analyze`", reflect.TypeFor[Analysis]()},
		{"`studies[].measures[]`", reflect.TypeFor[Measure]()}, {"`studies[].draw[]`", reflect.TypeFor[Draw]()},
		{"`studies[].draw[].marks[]`", reflect.TypeFor[Mark]()},
		{"`claims[]` in `claims.yaml`", reflect.TypeFor[Claim]()}, {"`explanations[]`", reflect.TypeFor[Explanation]()}, {"`checks[]`", reflect.TypeFor[Check]()},
		{"`value`", reflect.TypeFor[ValueCheck]()}, {"`ratio`", reflect.TypeFor[RatioCheck]()}, {"`order`", reflect.TypeFor[OrderCheck]()},
		{"`similar`", reflect.TypeFor[SimilarCheck]()}, {"`trend`", reflect.TypeFor[TrendCheck]()}, {"`theory`", reflect.TypeFor[TheoryCheck]()}, {"`table`", reflect.TypeFor[TableCheck]()}, {"`table.instead[]`", reflect.TypeFor[Replacement]()}, {"`table.and[]`", reflect.TypeFor[TablePairs]()},
		{"`from_model`", reflect.TypeFor[ModelBound]()},
	} {
		text("\n### %s\n\n| key | | default | |\n| --- | --- | --- | --- |\n", part.title)
		for _, p := range catalog.Params(part.of) {
			given := "`" + p.Default + "`"
			switch {
			case p.Required:
				given = "required"
			case p.Default == "":
				given = "–"
			}
			words := p.Doc
			if bounds := strings.TrimPrefix(p.Bounds(), " | "); bounds != "" {
				words += " " + bounds + "."
			}
			text("| `%s` | %s | %s | %s |\n", p.Name, p.Type, given, strings.ReplaceAll(words, "|", "\\|"))
		}
	}
	return b.Flush()
}

const referenceHead = "# Papers and their claims\n" + `
A *ledger* holds what a paper claims as data that a program checks: studies that run its experiments, and checks that decide on each
claim. The ledgers of ARCANE, FatPaths and SIRD come with weft; one of your own paper, or of any other, is a folder with two files and some scenarios.

    weft papers list arcane                          # its studies and claims
    weft papers run arcane fig3                      # runs a study, or what is missing of it; without a name all of them
    weft papers check arcane                         # which claims hold, and what has not been run
    weft papers check arcane fig3 --details          # every check with its numbers
    weft papers page arcane --docs mine              # mine/arcane.md with figures

| command | |
| --- | --- |
| ` + "`weft papers list [PAPER]`" + ` | papers; or studies and claims of one; ` + "`--json`" + ` |
| ` + "`weft papers run PAPER [STUDY…]`" + ` | executes studies, which are named by their ids or as in fig3; ` + "`--scale`, `--workers`, `--where`, `--out`, `--engine`, `--dry-run`" + ` |
| ` + "`weft papers check PAPER [CLAIM…]`" + ` | verdicts, all or those of claims or studies; ` + "`--prefer full`" + ` has cells count at that scale where it was run; ` + "`--json`, `--details`, `--require 85%`" + ` |
| ` + "`weft papers page PAPER`" + ` | the page and its figures; ` + "`--docs DIR`" + `, ` + "`--figures=false`" + ` for the text alone; a page of another scale or with fewer claims missing only with ` + "`--replace`" + ` |
| ` + "`weft papers validate PAPER`" + ` | every mistake of a ledger with its place |
| ` + "`weft papers publish --dir DIR [STUDY…]`" + ` | puts what was run into the ledger's folder |

All take ` + "`--dir DIR`" + ` for a ledger of your own, and all but ` + "`list`" + ` take ` + "`--scale quick|full`" + `. Results are in ` + "`out/papers/PAPER/SCALE/STUDY`" + `, each the folder of a study
([studies](studies.md)): a finished run is never repeated, an interrupted study goes on, and ` + "`weft study table`, `weft report` and `weft runs`" + ` read it.

Runs of scale full take long, and are collected little by little, as with ` + "`weft papers run sird wka --scale full --where load=50%`" + `. With
` + "`--prefer full`" + `, check and page take a cell at that scale once all of its runs have ended there, and at ` + "`--scale`" + ` before; a check
that compares cells takes all of them at one scale, one of tables column by column, and what a check asks of one scale stays with that. A ledger whose scales differ in
more than how long runs are does not let them be mixed. On the page numbers of the scale that is preferred are in bold, sums over cells of both in italics.
A figure is of one scale, the preferred one if all that it shows was run there, and says of which; those of tables are so column by
column. What is the same run at both scales is of neither.

## Published results

A ledger's folder may hold the results of its runs: ` + "`results/SCALE/STUDY.csv`" + `, one row per run.

| column | |
| --- | --- |
| ` + "`cell`, `seed`" + ` | which run it is |
| ` + "`status`, `message`" + ` | ` + "`done`, or `partial`" + ` with the reason |
| ` + "`program`, `version`, `revision`, `go`" + ` | the build that ran it; the revision has 12 digits |
| ` + "`took_s`" + ` | how long it took |
| ` + "`result_hash`, `scenario_hash`" + ` | the first 16 digits (64 bits), enough to compare runs |
| metrics | those that claims, tables and figures read, here or in another study of the same scenario file: such studies share runs |
| measures | the name ends in a digest of the definition |

Numbers are exact: reading one gives the same value. An empty field means that the run has no such number, ` + "`?`" + ` that the number was not published.
The result hash stands for all other metrics. A claim about a metric that is not published is missing until its runs are made. weft still reads tables of earlier
versions, with all metrics and whole hashes. Packed results are not published: a figure of runs over time needs the runs, and the page gives the command that makes them.

    weft papers check sird --published               # verdicts by what is published, without running anything
    weft papers run sird fig9 --published            # runs what is neither here nor published
    weft papers run sird fig3 && weft papers check sird    # of runs made here, says how many have the published hash
    weft papers publish --dir papers/sird --scale quick    # adds what out/papers/sird has

Studies overlap: a run is taken from whichever study it is published with, if that has the measures and metrics of the other. What is run here goes
before what is published. To go on with published runs takes a weft with the same revision of its results, a release
or built from its source; to check them, any program. Publishing refuses a run that is published with another hash. Of SIRD scale quick is published, and what
there is of full; of ARCANE what there is of full.

## Verdicts

| verdict | |
| --- | --- |
| reproduced | all checks of the claim are met; *by order or bound* if none of them demands a number within a tolerance |
| partly | some are, or one is at some of the points at which it is tried |
| not | nothing of it |
| not simulable | it is about hardware or proprietary parts, a fact of others, or the paper has no scenario for it; the reason is given |
| missing | what it needs was not run at this scale |

- **Numbers** are means over seeds with their 95 % bootstrap interval, as in ` + "`1.83× [1.80, 1.87], n=3`" + `. Of up to four seeds the interval is the extremes.
- **Ratios** are paired: the mean over seeds of the ratio of two runs with the same seed, which have the same workload.
- **Orderings** need disjoint intervals. So does an advantage: a ratio that must be at least something above 1 must also have an interval above 1.
  One seed has no interval and orders nothing.
- **Runs without a whole result** (stuck, failed) have no number. A check of a cell of which no run has one is not met, and says so.
- **Explanations** are named changes with checks of their own. They are tested like any check, and shown beside a claim that is not reproduced. What
  of the claim they are about they say with ` + "`of`" + `, or else it is all that the claim misses; a claim counts as explained if those that are met are about all that it misses, and the
  page lists the rest. One that was tried at fewer points, cells or pairs than it is about explains none of them, as a run in one cell for a claim that is missed in four; only a reading
  that says ` + "`of`" + ` what it is may be, since it may be that the claim is not about them. Of a check with ` + "`hold`" + ` as many points need an explanation as it is short of. In what
  ` + "`--json`" + ` prints, ` + "`of`" + ` lists what is missed that an explanation is about (nothing when it is of what is not missed), ` + "`explains`" + ` whether it counts, and ` + "`reason`" + ` why not although it is met.
  One with ` + "`known: true`" + ` was written when its numbers were known, rather than before it was run; the headline counts the claims that only such explain.
- **Causes and readings.** An explanation is a cause if it changes what is run, in the simulation, its parameters, its length or its seeds, and holds to the claim.
  One with ` + "`reading: true`" + ` reads the claim otherwise: by another criterion (that an interval reaches a bound, too), counted otherwise, at another load, or of another or a narrower part of it, whatever it changes
  beside that. A parameter that has to be another one in each cell is no cause, and none is tried in the cells that it suits only. A claim is explained by a change if causes that are met are about each of its misses; others are counted as explained only with another reading.
- **Contradictions** are claims that cannot all be true; each is checked by itself, and the page shows them side by side.

` + "`weft papers check --json`" + ` prints
` + "`{\"paper\": …, \"scale\": …, \"claims\": [{\"id\", \"where\", \"claimed\", \"measured\", \"verdict\", \"reason\", …}]}`" + `.
Points of checks have ` + "`mean`, `low` and `high`" + ` of what is compared, in ` + "`unit`" + `: ` + "`×`" + ` of a ratio, and of an ordering, which compares the first cell over the
second; ` + "`measured`" + ` is for people. ` + "`by`" + ` says whether a number or an ordering reproduces a claim, ` + "`explained_by_reading`" + ` that it is explained and no cause
is known for it; ` + "`explained`" + ` beside ` + "`claims`" + ` counts both, and ` + "`studies`" + ` name the ` + "`presets`" + ` of their cells.

## A ledger of your own

The scenario is one that ` + "`weft study run`" + ` takes; its axes are what checks name.

` + "```yaml" + `
# my-paper/tornado.yaml
weft: 1
name: tornado
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4}
traffic:
  - {name: flows, pattern: tornado, size: 256KiB}
record: {ports: ["tor0->spine*"], interval: 1us}
compare:
  - {name: ECMP, set: {transport.balancer: ecmp}}
  - {name: OPS, set: {transport.balancer: ops}}
matrix:
  - {path: traffic.flows.size, values: [256KiB, 1MiB]}
` + "```" + `

` + "```yaml" + `
# my-paper/paper.yaml
ledger: 1
title: Spraying, revisited
short: Spraying
studies:
  - id: fig1
    figure: "1"
    about: A tornado under ECMP and spraying.
    scenario: tornado.yaml
    quick: {seeds: 3}
    full: {seeds: 10, set: {topology: {hosts_per_tor: 16, spines: 16}}}
    measures:
      - {name: fullest, about: fullest bucket of an uplink, series: accepted, ports: ["tor0->spine*"], take: max}
    draw:
      - {kind: bars, x: size, caption: Runtime of a tornado.}
` + "```" + `

` + "```yaml" + `
# my-paper/claims.yaml
ledger: 1
claims:
  - id: faster
    where: §4, Figure 1
    claim: Spraying finishes a tornado sooner than ECMP.
    claimed: up to 2×
    study: fig1
    checks:
      - {hold: most, order: {less: {variant: OPS}, than: {variant: ECMP}}}
      - ratio: {of: {variant: ECMP}, over: {variant: OPS}, take: largest, at_least: 1.5}
  - id: even
    where: §4
    claim: No uplink gets more than its line rate for long.
    claimed: below 1.5
    study: fig1
    checks:
      - value: {of: {variant: OPS}, metric: fullest, at_most: 1.5}
` + "```" + `

    weft papers validate --dir my-paper
    weft papers run --dir my-paper
    weft papers check --dir my-paper --details
    weft papers page --dir my-paper --docs my-paper

**Cells.** A check names cells by labels of axes: ` + "`{variant: OPS, size: 1MiB}`" + `. Axes are called by their names or by the paths that they change. An axis that
neither side of a check names is *free*: the check is tried at each of its levels, and ` + "`hold`" + ` says at how many it must hold. ` + "`at:`" + ` of the claim or the check
fixes an axis, or narrows it with a list. ` + "`others`" + ` are the labels that the other side does not name. The keys ` + "`study` and `metric`" + ` in a cell choose those.

**Numbers** that checks compare are the metrics of ` + "`weft study table`" + ` (those of a group of traffic as ` + "`group.fct_p99_us`" + `), and measures, which a study
computes of its recorded series and its ports.

**Analyses.** A study may run a command of ` + "[`weft analyze`](analyze.md)" + ` instead of a scenario, once for each of several fabrics; its numbers are
metrics, with the interval that the analysis gives them. Results are kept one by one in the study's folder, named by the command; one that is there
and was computed by the same program is not computed again.

` + "```yaml" + `
# in studies: of paper.yaml
  - id: disjoint
    about: Disjoint paths of up to three hops.
    analyze:
      command: disjoint
      flags: {seed: 1}
      fabrics: {Slim Fly: "slim-fly:size=1k@3", Jellyfish: "jellyfish:like=slim-fly,size=1k@3 --graphs 10"}
    quick: {flags: {samples: 500}}
    full: {flags: {samples: 10000}}
# in claims: of claims.yaml
  - id: more
    where: §4
    claim: Slim Fly has more of them than Jellyfish.
    claimed: 89 % of its links
    study: disjoint
    metric: cdp_mean
    checks:
      - value: {of: {fabric: Slim Fly}, about: 89, by: 3}
      - order: {less: {fabric: Jellyfish}, than: {fabric: Slim Fly}}
` + "```" + `

**Tables** of a paper are data: a CSV file with its numbers, and in ` + "`paper.yaml`" + ` which study and level each of them is of. A check demands a bound of how far
ours is away, of the share of pairs in the paper's order (of several tables together with ` + "`and`" + `), or of rows beside each other; the page shows both. An explanation can take cells from other
studies, in which something is changed. A row that the paper has and no study
runs is shown as not run, and what names it is missing; it comes with a variant of its name.

` + "```yaml" + `
# in paper.yaml
tables:
  - id: goodput
    title: Table 5, goodput (Gb/s)
    file: tables.csv                    # metric,config,workload,protocol,value
    where: {metric: goodput}
    cells: [config, workload]
    rows: protocol
    of: {Balanced WKa: wka, Core WKa: core-wka}
    metric: host_completed_gbps
    along: load                         # the largest over loads
    higher: true
# in checks: of a claim
  - table: {of: goodput, compare: deviation, rows: [SIRD], take: median, at_most: 5}
  - table: {of: goodput, compare: order, apart: 1.05, at_least: 90}
# in an explanation: the table with a change in one of its cells
  - table: {of: goodput, compare: order, apart: 1.05, at_least: 90, instead: [{row: SIRD, column: Core WKa, study: deeper-queues}]}
` + "```" + `

**Before it is run**, commit what you expect. Mistakes — an axis, label, metric or model that is not there — are told with file, line and column
by every command, and ` + "`weft papers validate`" + ` lists all.

## Keys
`
