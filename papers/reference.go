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
		{"`paper.yaml`", reflect.TypeFor[Paper]()}, {"`sections[]`", reflect.TypeFor[Section]()}, {"`page`", reflect.TypeFor[Page]()}, {"`tables[]`", reflect.TypeFor[Table]()}, {"`unstable`", reflect.TypeFor[Instability]()}, {"`studies[]`", reflect.TypeFor[Study]()}, {"`studies[].quick`, `studies[].full`", reflect.TypeFor[Scale]()},
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
			if len(p.Enum) > 0 && p.Enum[0] == "" {
				p.Enum = p.Enum[1:] // nothing, which is the default, too
			}
			if bounds := p.Bounds(); bounds != "" {
				words += " " + bounds + "."
			}
			text("| `%s` | %s | %s | %s |\n", p.Name, p.Type, given, strings.ReplaceAll(words, "|", "\\|"))
		}
	}
	return b.Flush()
}

const referenceHead = "# Papers and their claims\n" + `
A *ledger* records a paper's claims as data that a program checks: studies that run its experiments, and checks that decide each
claim. The ledgers of ARCANE, Dart, FatPaths, FNCC and SIRD come with weft. Your own ledger, of any paper, is a folder with two files and some scenarios.

    weft papers list arcane                          # its studies and claims
    weft papers run arcane fig3                      # runs the missing part of a study; without a name, of all
    weft papers check arcane                         # which claims are reproduced, and what has not been run
    weft papers check arcane fig3 --details          # every check with its numbers
    weft papers page arcane --docs mine              # mine/arcane.md with figures

| command | |
| --- | --- |
| ` + "`weft papers list [PAPER]`" + ` | papers; or studies and claims of one; ` + "`--json`" + ` |
| ` + "`weft papers run PAPER [STUDY…]`" + ` | executes studies, named by their ids or as in fig3; ` + "`--scale`, `--workers`, `--where`, `--out`, `--engine`, `--dry-run`" + ` |
| ` + "`weft papers check PAPER [CLAIM…]`" + ` | verdicts, all or those of claims or studies; ` + "`--prefer full`" + ` prefers cells of that scale where they were run; ` + "`--json`, `--details`, `--require 85%`" + ` |
| ` + "`weft papers page PAPER`" + ` | the short page: what holds, what does not and why; ` + "`--details`" + ` for every claim, table and figure; ` + "`--docs DIR`" + `, ` + "`--figures=false`" + ` for the text alone; a page of another scale, or one that lacks fewer claims, only with ` + "`--replace`" + ` |
| ` + "`weft papers validate PAPER`" + ` | every mistake of a ledger with its place |
| ` + "`weft papers publish --dir DIR [STUDY…]`" + ` | publishes runs in the ledger's folder |
| ` + "`weft papers readings PAPER`" + ` | what the paper leaves open, and which claims hold under every reading: [readings](readings.md) |

All take ` + "`--dir DIR`" + ` for a ledger of your own, and all except ` + "`list`" + ` take ` + "`--scale quick|full`" + `. Results are in ` + "`out/papers/PAPER/SCALE/STUDY`" + `, each the folder of a study
([studies](studies.md)): a finished run is never repeated, an interrupted study continues, and ` + "`weft study table`, `weft report` and `weft runs`" + ` read it.

Runs of scale full take long. Collect them little by little, as with ` + "`weft papers run sird wka --scale full --where load=50%`" + `. With
` + "`--prefer full`" + `, check and page use a cell at that scale once all of its runs have ended there, and at ` + "`--scale`" + ` before. A check
that compares cells takes all of them at one scale; one of tables does so column by column. A check for one scale stays at that scale. A ledger whose
scales differ in more than the length of runs does not allow mixing. On the page, bold numbers are of the preferred scale; italics mark sums over both scales.
A figure shows one scale, the preferred one if everything in it was run there, and names it; figures of tables do so column by
column. A run that is the same at both scales belongs to neither.

## Published results

A ledger's folder may hold the results of its runs: ` + "`results/SCALE/STUDY.csv`" + `, one row per run.

| column | |
| --- | --- |
| ` + "`cell`, `seed`" + ` | which run it is; no cell: that of the row above, with its hash |
| ` + "`status`, `message`" + ` | ` + "`done`, or `partial`" + ` with the reason |
| ` + "`program`, `version`, `revision`, `go`" + ` | the build that ran it; the revision has 12 digits. Empty: that of the row above |
| ` + "`took_s`" + ` | how long it took |
| ` + "`result_hash`, `scenario_hash`" + ` | the first 16 digits (64 bits), enough to compare runs |
| metrics | those that claims, tables and figures read, here or in another study of the same scenario file: such studies share runs |
| measures | the name ends in a digest of the definition |

Numbers are exact: reading one gives the same value. An empty field means that the run has no such number, ` + "`?`" + ` that the number was not published.
The result hash stands for all other metrics. A claim about a metric that is not published is missing until its runs are made. weft still reads tables of earlier
versions, with all metrics and whole hashes. Packed results are not published: a figure of runs over time needs the runs, and the page gives the command that makes them.

    weft papers check sird --published               # verdicts from published results, without running anything
    weft papers run sird fig9 --published            # runs what is neither here nor published
    weft papers run sird fig3 && weft papers check sird    # reports how many runs made here have the published hash
    weft papers publish --dir papers/sird --scale quick    # adds what out/papers/sird has

Studies overlap: weft takes a run from any study that it is published with, if that has the measures and metrics of the other. Your own runs take precedence
over published ones. Any program can check published runs. One table holds runs of one program, and ` + "`publish`" + ` refuses others. A release goes by its
revision of results, so releases of the same revision continue and extend each other's runs; those of ARCANE and SIRD are such runs. Other builds
go by the hash of the executable, and only the same binary can add to what it published. A release is a binary built from a clean checkout of a commit with
a version tag: ` + "`git tag v1.2.3 && go build -buildvcs=true -o out/weft ./cmd/weft`" + `; ` + "`out/weft version`" + ` then shows the tag. ` + "`publish`" + ` also refuses a run that is published with another hash. SIRD: quick is complete, full is partial. FatPaths: full has all analyses.
ARCANE: full is partial.

## Verdicts

| verdict | |
| --- | --- |
| reproduced | all checks of the claim are met; *by order or bound* if none of them demands a number within a tolerance |
| partly | some are met, or one is met at some of its points |
| not | none is met |
| not simulable | it is about hardware or proprietary parts, a fact of others, or the paper has no scenario for it; the reason is given |
| missing | runs that it needs are missing at this scale |

- **Numbers** are means over seeds with their 95 % bootstrap interval, as in ` + "`1.83× [1.80, 1.87], n=3`" + `. Up to four seeds, the interval is the extremes.
- **Ratios** are paired: the mean over seeds of the ratio of two runs with the same seed, which have the same workload.
- **Orderings** need disjoint intervals. So does an advantage: a ratio that must be at least something above 1 must also have an interval above 1.
  One seed has no interval and orders nothing.
- **Runs without a complete result** (stuck, failed) have no number. A check of a cell without any complete run is not met, and reports it.
- **Explanations** are named changes with checks of their own. They are tested like any check, and shown beside a claim that is not reproduced. With ` + "`of`" + ` they name the part of the claim that they explain; by default it is every miss. A claim counts as explained if its met explanations cover all its misses; the
  page lists the others. An explanation that was tried at fewer points, cells or pairs than it covers explains none of them: a run in one cell does not explain a claim that is missed in four. Only a reading
  that names its part with ` + "`of`" + ` is exempt, since it may show that the claim is not about them. Of a check with ` + "`hold`" + ` as many points need an explanation as it falls short of. In the output of
  ` + "`--json`" + `, ` + "`of`" + ` lists the misses that an explanation covers (none if it covers what is not missed), ` + "`explains`" + ` whether it counts, and ` + "`reason`" + ` why not although it is met.
  One with ` + "`known: true`" + ` was written when its numbers were known, not before it was run; the headline counts the claims that only such explanations explain.
- **Causes and readings.** A cause changes the run (the simulation, its parameters, its length or its seeds) and keeps the claim.
  One with ` + "`reading: true`" + ` rereads the claim: by another criterion (that an interval reaches a bound, too), another count, another load, or another or narrower part of it, whatever it changes
  besides. A parameter that must differ from cell to cell is no cause, and none is tried only in cells that suit it. A claim is explained by a changed experiment if met causes cover each of its misses; others are explained only by rereading the claim.
- **Contradictions** are claims that cannot all be true. Each is checked by itself, and the page shows them side by side.

` + "`weft papers check --json`" + ` prints
` + "`{\"paper\": …, \"scale\": …, \"claims\": [{\"id\", \"where\", \"claimed\", \"measured\", \"verdict\", \"reason\", …}]}`" + `.
Points of checks have ` + "`mean`, `low` and `high`" + ` of the compared quantity, in ` + "`unit`" + `: ` + "`×`" + ` for a ratio, and also for an ordering, which compares the first cell over the
second; ` + "`measured`" + ` is for people. ` + "`by`" + ` reports whether a number or an ordering reproduces a claim, ` + "`explained_by_reading`" + ` that it is explained but no cause
is known; ` + "`explained`" + ` beside ` + "`claims`" + ` counts both, and ` + "`studies`" + ` name the ` + "`presets`" + ` of their cells.

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

**Cells.** A check names cells by labels of axes: ` + "`{variant: OPS, size: 1MiB}`" + `. Axes have their names, or the paths that they change. An axis that
neither side of a check names is *free*: the check is tried at each of its levels, and ` + "`hold`" + ` sets at how many it must hold. ` + "`at:`" + ` of the claim or the check
fixes an axis, or narrows it with a list. ` + "`others`" + ` stands for the labels that the other side does not name. The keys ` + "`study` and `metric`" + ` in a cell choose those.

**Numbers** that checks compare are the metrics of ` + "`weft study table`" + ` (those of a group of traffic as ` + "`group.fct_p99_us`" + `), and measures, which a study
computes from its recorded series and its ports.

**Analyses.** A study may run a command of ` + "[`weft analyze`](analyze.md)" + ` instead of a scenario, once for each of several fabrics; its numbers are
metrics, with the interval that the analysis gives them. Results are kept one by one in the study's folder, named by the command. A result of the same
program is not computed again.

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

**Tables** of a paper are data: a CSV file with its numbers, and in ` + "`paper.yaml`" + ` the study and level of each of them. A check sets a bound on the distance
of ours, on the share of pairs in the paper's order (of several tables together with ` + "`and`" + `), or on rows beside each other; the page shows both. An explanation can take cells from other
studies with a change. A row that the paper has but no study
runs is shown as not run, and claims that name it are missing until a variant has its name.

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

**Before you run it**, commit what you expect. Mistakes (an axis, label, metric or model that does not exist) are reported with file, line and column
by every command, and ` + "`weft papers validate`" + ` lists all.

## Keys
`
