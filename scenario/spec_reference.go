package scenario

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"weft/catalog"
	"weft/protocol"
)

// WriteReference writes the reference of the file format, and of everything that the
// registry holds, as Markdown.
func WriteReference(w io.Writer, reg *Registry) error {
	r := reference{Writer: bufio.NewWriter(w)}
	r.text(referenceHead)
	r.keys(specType, "", nil)
	r.conflicts()
	r.text(referenceSections)
	for _, s := range reg.Sections() {
		r.section(reg, s)
	}
	return r.Flush()
}

type reference struct {
	*bufio.Writer
}

// text and printf write to a bufio.Writer, whose Flush returns the first error.
func (r *reference) text(s string) { _, _ = r.WriteString(s) }

func (r *reference) printf(format string, args ...any) { _, _ = fmt.Fprintf(r, format, args...) }

// keys writes a table of the keys of a struct, followed by the tables of the structs in it.
func (r *reference) keys(t reflect.Type, path string, within []reflect.Type) {
	fields, err := catalog.Fields(t)
	if err != nil {
		return
	}
	if path != "" {
		r.printf("\n### `%s`\n\n", path)
	}
	r.table(catalog.Params(t))
	for _, f := range fields {
		inner, list := f.Type, ""
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				list = "[]"
			}
			inner = inner.Elem()
		}
		// A group's transport has the same keys as the scenario's transport, so they are
		// listed once.
		if len(catalog.Params(inner)) == 0 || slices.Contains(within, inner) || inner == reflect.TypeFor[Transport]() && path != "" {
			continue
		}
		key := f.Name + list
		if path != "" {
			key = path + "." + key
		}
		r.keys(inner, key, append(within, inner))
	}
}

func (r *reference) table(params []catalog.Param) {
	r.text("| Key | Value | Default | Meaning |\n| --- | --- | --- | --- |\n")
	for _, p := range params {
		value := p.Type
		if bounds := p.Bounds(); bounds != "" && len(p.Enum) > 0 {
			value = "`" + strings.Join(p.Enum, "`, `") + "`"
		} else if bounds != "" {
			value += ", " + bounds
		}
		standard := "—"
		switch {
		case p.Required:
			standard = "*required*"
		case p.Default == "{}":
			standard = "those below"
		case p.Default == "[]":
			standard = "none"
		case p.Default != "":
			standard = "`" + p.Default + "`"
		}
		meaning := p.Doc
		if p.Source != "" {
			meaning += " *" + p.Source + "*"
		}
		r.printf("| `%s` | %s | %s | %s |\n", p.Name, cell(value), cell(standard), cell(meaning))
	}
}

// cell escapes characters that would end a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// conflicts lists the features that exclude each other.
func (r *reference) conflicts() {
	r.text("\n## What does not go together\n\n" +
		"`weft validate` refuses these pairs, but for those with `weft explain`, which refuses them itself. What a control, a balancer or a rule needs stands in its section below.\n\n" +
		"| Feature | Not with | Why |\n| --- | --- | --- |\n")
	for _, c := range Conflicts() {
		r.printf("| %s | %s | %s |\n", cell(c.Feature), cell(c.With), cell(c.Why))
	}
}

func (r *reference) section(reg *Registry, s Section) {
	r.printf("\n### %s%s: `%s`\n", strings.ToUpper(s.Title[:1]), s.Title[1:], s.Key)
	for _, name := range s.Entries.Names() {
		info, _ := s.Entries.Find(name)
		r.printf("\n#### `%s`\n\n%s%s.", name, strings.ToUpper(info.Summary[:1]), info.Summary[1:])
		if info.Source != "" {
			r.printf(" *%s*", info.Source)
		}
		r.text("\n")
		if _, control := s.Entries.(*catalog.Set[protocol.CongestionControl]); control {
			r.setup(ControlSetup(reg, name))
		}
		params := info.Params()
		if len(params) == 0 {
			continue
		}
		r.text("\n")
		r.table(params)
		for _, p := range params {
			if len(p.Params) > 0 {
				r.printf("\n`%s`:\n\n", p.Name)
				r.table(p.Params)
			}
		}
	}
}

// setup lists the defaults that a control brings.
func (r *reference) setup(brings []Brought) {
	for i, d := range brings {
		if i == 0 {
			r.text("\nBrings:\n\n")
		}
		r.printf("- `%s: %s` *%s*\n", d.Path, d.Value, d.Source)
	}
}

const referenceHead = `# Scenario files

<!-- Written by "weft docs scenarios" from the program; change the program, not this file. -->

A scenario file is YAML and describes a whole run: the network, the queues, the
transport, who sends what to whom, what fails, and what to record. ` + "`weft run FILE`" + `
runs it, ` + "`weft validate FILE`" + ` only checks it, and ` + "`weft validate --resolved FILE`" + ` prints it
with every default filled in.

Editors with the YAML language server, such as VS Code, complete and check scenarios by a
JSON Schema. ` + "`weft schema FILE.yaml …`" + ` writes it to ` + "`weft.schema.json`" + ` and names it in the first
line of each file. No network is needed. Scenarios that come with weft name ` + "`scenarios/weft.schema.json`" + `.

` + "```yaml" + `
weft: 1
about: Eight flows over eight uplinks, one at half its rate.
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8}
transport: {congestion: mprdma}
traffic:
  - {name: main, pattern: tornado, size: 32MiB, hosts: host0..host7}
faults:
  - {kind: degrade, links: tor0->spine0, rate: 50%}
compare:
  - {name: ECMP, transport: {balancer: ecmp}}
  - {name: OPS, transport: {balancer: ops}}
  - {name: ARCANE, transport: {balancer: arcane}}
` + "```" + `

## How values are written

* **Quantities have units.** A time is ` + "`500ns`" + `, ` + "`1.5us`" + `, ` + "`10ms`" + ` (ps, ns, us, ms, s); a rate
  ` + "`400Gbps`" + ` (bps, kbps, Mbps, Gbps, Tbps, in powers of 1000); a size ` + "`4096B`" + `, ` + "`64KiB`" + `,
  ` + "`1.5MB`" + ` (KB, MB, GB, TB in powers of 1000, KiB, MiB, GiB, TiB in powers of 1024); a ratio
  ` + "`20%`" + ` or ` + "`0.2`" + `; an amount a size, bandwidth-delay products (` + "`1.5BDP`" + `) or a share (` + "`20%`" + `)
  of what its meaning names. Only 0 needs no unit.
* **A choice** names one of several kinds, alone (` + "`balancer: arcane`" + `) or with options
  (` + "`balancer: {kind: arcane, buffer: 8}`" + `). ` + "`weft list`" + ` names the kinds, and ` + "`weft list KIND`" + ` shows the options of one.
* **A list with one text** may be written as that text.
* **File names** start from the directory of the scenario.
* A key may be left out if it has a default. "—" below means that its value is then derived,
  or that there is none, as its meaning explains; ` + "`null`" + ` says the same explicitly.
* **No text has control characters** or marks of direction, since names go to terminals, pictures
  and tables. Names of variants, axes and their values stand on one line.
* Keys that do not exist, or are given twice, are errors. Anchors, aliases and merge keys
  (` + "`<<`" + `) of YAML work; tags and several documents in a file do not.

## Changing a scenario without editing it

` + "`--set path=value`" + ` changes one value: ` + "`--set transport.ack.every=4`" + `,
` + "`--set topology.spines=4`" + `. Items of a list are found by index or by their name:
` + "`--set traffic[0].size=1MiB`" + `, ` + "`--set traffic.main.size=1MiB`" + `. A value in brackets or
braces is YAML: ` + "`--set 'fabric.ecn={kind: threshold, k: 30KB}'`" + `. ` + "`null`" + ` goes back to the default.

` + "`compare:`" + ` lists variants that run side by side with the same seed, and so with the same
workload. Each has a name and changes values in the same way, with paths under ` + "`set:`" + ` or with
nested keys beside the name. ` + "`--set`" + ` changes the file before its variants do. To change a value that a variant sets
itself, use ` + "`--set compare.NAME.set.PATH=value`" + `, whether the file has a ` + "`set:`" + ` there or not.

In all of these, and where the ` + "`transport:`" + ` of a group of traffic overrides that of all traffic:

* in a mapping, only the named keys change;
* in a choice, another kind drops the options of the old one (a notice names rates and delays that so change), and options without
  a kind apply to the kind that is set;
* a list is replaced as a whole, except for items named by index or name.

## What a control brings

A congestion control, or a host transport, brings the balancer, marking, queue and loss recovery with which it was
published, where the file leaves them open. A file without a control gets DCTCP over ECMP. ` + "`weft run`" + ` prints each value
that was brought once, with its source; ` + "`weft list congestion`" + ` and the sections below show them all.

* **The file comes first**: any key that it sets stays. Then come needs, such as the classes of ` + "`homa`" + `, and then
  what the control brings.
* **A queue of the file** that is shorter than the control's makes its thresholds shrink with it: they become shares of the limit.
* **A balancer that sprays**, routes with detours, and trimming leave recovery at ` + "`selective`" + `; all other kinds
  but ` + "`order`" + ` take reordering for loss.
* **Lossless classes** (` + "`fabric.pfc`" + `) have no limit, so they get no queue. In a fabric that trims, only controls that need it bring one.
* **Several transports** share one fabric: it has the deepest queue that any of them brings, and the marking of the first one
  that brings a law which marks. A notice names each control whose law is another.

## Studies

A scenario becomes a study with ` + "`matrix:`" + `, a list of axes, and ` + "`seeds:`" + `. ` + "`weft study run FILE`" + ` runs every
combination of the variants of ` + "`compare:`" + ` and the values of the axes, each with every seed, and averages
over the seeds. ` + "`weft validate FILE`" + ` checks all combinations, and reports how many there are.

` + "```yaml" + `
weft: 1
about: Tail of small messages over load, with one uplink slow or healthy, under three balancers.
topology: {kind: leaf-spine, tors: 4, hosts_per_tor: 8, spines: 8}
until: 5ms
transport: {congestion: mprdma, connection: pair} # balancers learn over messages, not within each anew
traffic:
  - {name: rpc, pattern: permutation, size: 64KiB, arrival: {kind: poisson, load: 50%}}
compare:
  - {name: ECMP, transport: {balancer: ecmp}}
  - {name: OPS, transport: {balancer: ops}}
  - {name: ARCANE, transport: {balancer: arcane}}
matrix:
  - {path: traffic.rpc.arrival.load, range: {from: 20%, to: 80%, step: 20%}}
  - name: fault
    levels:
      healthy: {}
      slow uplink: {faults: [{kind: degrade, links: tor0->spine0, rate: 50%}]}
exclude:
  - {variant: ECMP, load: 80%}
seeds: 5
` + "```" + `

These are 3 × 4 × 2 combinations without 2, so 110 runs. Axes are written in these forms:

| Form | Axis | Labels |
| --- | --- | --- |
| ` + "`{path: transport.balancer, values: [ecmp, {kind: arcane, buffer: 4}]}`" + ` | a parameter | the values as text: ` + "`ecmp`, `arcane buffer=4`; `none` for `[]`, `default` for `null`, `#2` for what is longer" + ` |
| ` + "`{path: traffic.rpc.size, values: {small: 4KiB, large: 1MiB}}`" + ` | a parameter | your own |
| ` + "`{path: traffic.rpc.size, range: {from: 64KiB, to: 1024KiB, factor: 4}}`" + ` | a parameter, at equal distances (` + "`step`" + `) or in equal proportions (` + "`factor`" + `) | the values; of a factor, rounded to three decimals or four digits |
| ` + "`{zip: {transport.ack.every: [1, 4], transport.rto: [50us, 100us]}}`" + ` | parameters that change together | ` + "`1+50us`, `4+100us`" + ` |
| ` + "`{name: fault, levels: {healthy: {}, slow: {…}}}`" + ` | whatever each level sets, as in ` + "`compare:`" + ` | your own |

* **The name** of an axis is what tables, figures and ` + "`exclude:`" + ` call it: the last word of its path
  (` + "`load`" + `), unless ` + "`name:`" + ` gives another. The variants of ` + "`compare:`" + ` are the first axis, ` + "`variant`" + `.
* **Order.** Variants change the file first, then the axes in their order; the last change holds.
  ` + "`--set`" + ` changes the file before all of them, the axes too: ` + "`--set seeds=20`" + `,
  ` + "`--set matrix[0].range.step=30%`" + `. An axis is found by index, or by a name that the file gives it.
* **Excluded** is every combination that has one of the labels listed for each axis that an item of
  ` + "`exclude:`" + ` names. A combination that cannot be simulated must be excluded; it is never skipped silently.
* **Seeds** are a number, counted from ` + "`seed:`" + ` (` + "`seeds: 5`" + `), a range (` + "`seeds: 1..5`" + `) or a list of seeds and
  ranges (` + "`seeds: [1, 2, 10..12]`" + `). All combinations run with the same seeds, and so with the same workload
  where the axes don't change it. No axis and no variant of a study can change ` + "`seed:`" + `.

A study has at most 100 000 combinations and 1 000 000 runs.

## Keys

`

const referenceSections = `
## Kinds

What follows can be named where a scenario chooses; ` + "`weft list --all`" + ` prints the same.
`
