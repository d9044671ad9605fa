package reading

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/config"
	"weft/papers"
)

// tiny is a ledger of two studies of one scenario, without its readings.
var tiny = map[string]string{
	"sizes.yaml": `weft: 1
name: sizes
topology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4}
fabric: {host_jitter: none}
transport: {congestion: mprdma}
traffic: [{name: flows, pattern: tornado, size: 64KiB}]
compare: [{name: ECMP, set: {transport.balancer: ecmp}}, {name: OPS, set: {transport.balancer: ops}}]
seeds: 3
`,
	"paper.yaml": `ledger: 1
title: Tiny
short: Tiny
studies:
  - {id: one, about: One., scenario: sizes.yaml}
  - {id: two, about: Two., scenario: sizes.yaml, full: {skip: true}}
  - {id: three, about: Three., scenario: sizes.yaml}
`,
	"claims.yaml": `ledger: 1
claims:
  - {id: first, where: §1, claim: a, claimed: b, study: one, checks: [{order: {less: {variant: OPS}, than: {variant: ECMP}}}, {name: far, ratio: {of: {variant: ECMP}, over: {variant: OPS}, take: largest, at_least: 2}}]}
  - {id: both, where: §1, claim: a, claimed: b, study: two, checks: [{order: {less: {variant: OPS}, than: {study: three, variant: ECMP}}}]}
  - {id: other, where: §2, claim: a, claimed: b, study: three, checks: [{value: {of: {variant: OPS}, at_least: 0}}]}
  - {id: chip, where: §3, claim: a, claimed: b, kind: hardware, reason: It is a chip.}
`,
}

const tinyReadings = `readings: 1
settings:
  - id: size
    about: How large messages are.
    values:
      - {is: small, first: true, source: text, why: It says small.}
      - {is: large, source: figure, why: It draws large ones., set: {traffic.flows.size: 1MiB}}
      - {is: huge, source: cited, why: Others do., in: {one: {traffic.flows.size: 4MiB}}}
  - id: spines
    about: How many spines.
    values:
      - {is: four, first: true, source: text, why: a}
      - {is: two, source: code, why: a, set: {topology.spines: 2}}
combinations:
  - {id: large-two, with: {size: large, spines: two}, why: a}
studies:
  - {id: one, settings: [size, spines], quick: {seeds: 2}}
  - {id: two, settings: [size]}
mechanism:
  - {about: a, test: papers/reading.TestReadings}
claims:
  - {id: first, headline: far, up_to: {reach: 3}, expects: {size=large: holds}}
`

// ledger writes the tiny ledger with its readings, and loads it.
func ledger(t testing.TB, readings string) *papers.Ledger {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tiny")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range tiny {
		write(t, filepath.Join(dir, name), text)
	}
	if readings != "" {
		write(t, filepath.Join(dir, fileName), readings)
	}
	l, err := papers.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestReadings lists the readings of a file, and what each changes.
func TestReadings(t *testing.T) {
	f, err := Load(ledger(t, tinyReadings))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range f.Readings() {
		names = append(names, r.Name)
	}
	if want := []string{firstReading, "size=large", "size=huge", "spines=two", "large-two"}; !slices.Equal(names, want) {
		t.Fatalf("readings %v, want %v", names, want)
	}
	for i, want := range []struct {
		stored, studies, claims string
		sets                    []string
	}{
		{},
		{"one@size=large", "one two", "first both", []string{`traffic.flows.size="1MiB"`, `seeds="2"`}},
		{"one@size=huge", "one", "first", []string{`traffic.flows.size="4MiB"`, `seeds="2"`}},
		{"one@spines=two", "one", "first", []string{`topology.spines="2"`, `seeds="2"`}},
		{"one@size=large,spines=two", "one two", "first both", []string{`traffic.flows.size="1MiB"`, `topology.spines="2"`, `seeds="2"`}},
	} {
		r := &f.Readings()[i]
		l, claims := f.Under(r, papers.Quick)
		if got := strings.Join(claims, " "); got != want.claims {
			t.Errorf("%s bears on %q, want %q", r.Name, got, want.claims)
		}
		if got := strings.Join(f.StudiesOf(r, papers.Quick), " "); got != want.studies {
			t.Errorf("%s changes %q, want %q", r.Name, got, want.studies)
		}
		if want.stored == "" {
			continue
		}
		s, _ := l.Study("one")
		sets, err := s.Sets(papers.Quick)
		if err != nil || s.Stored() != want.stored || strings.ReplaceAll(strings.Join(sets, " "), `"`, "") != strings.ReplaceAll(strings.Join(want.sets, " "), `"`, "") {
			t.Errorf("%s: study one is stored as %s with %q (%v), want %s with %q", r.Name, s.Stored(), sets, err, want.stored, want.sets)
		}
		if two, _ := l.Study("two"); strings.Contains(want.studies, "two") != (two.Stored() == "two@size=large") {
			t.Errorf("%s: study two is stored as %s", r.Name, two.Stored())
		}
		if three, _ := l.Study("three"); three.Runs(papers.Quick) != strings.Contains(want.claims, "both") {
			t.Errorf("%s: study three runs: %v", r.Name, three.Runs(papers.Quick))
		}
	}
	if got := f.StudiesOf(&f.Readings()[1], papers.Full); !slices.Equal(got, []string{"one"}) {
		t.Errorf("at scale full it changes %v", got)
	}
}

// TestWithoutReadings: a ledger without the file has the first reading alone.
func TestWithoutReadings(t *testing.T) {
	f, err := Load(ledger(t, ""))
	if err != nil || len(f.Readings()) != 1 || f.Readings()[0].Name != firstReading {
		t.Errorf("%v, %v", f, err)
	}
}

// TestMistakes changes the file in one place each, and looks for the place and the remedy.
func TestMistakes(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"readings: 1", "readings: 2", "1:11: this weft reads readings of format version 1; write readings: 1"},
		{"id: size\n", "id: Size\n", `"Size" cannot be the name of a setting; use lower-case letters`},
		{"id: spines", "id: size", `another setting is already called "size"`},
		{"is: huge", "is: large", `another value is already called "large"`},
		{"source: figure", "source: guess", "source"},
		{"is: small, first: true", "is: small", `setting "size" has 3 values, 0 of them first`},
		{"first: true, source: text, why: It says small.", "first: true, source: text, why: a, set: {a: 1}", `the first value of setting "size" changes something`},
		{", set: {topology.spines: 2}", "", `value "two" of setting "spines" changes nothing; write set`},
		{"set: {topology.spines: 2}", "set: [1]", "set is a list"},
		{"in: {one: ", "in: {nine: ", `there is no study under studies: "nine"`},
		{"with: {size: large, spines: two}", "with: {size: large}", `combination "large-two" changes 1 settings`},
		{"with: {size: large, spines: two}", "with: {size: small, spines: two}", `there is no further value of setting size "small"`},
		{"with: {size: large, spines: two}", "with: {sizes: large, spines: two}", `there is no setting "sizes"`},
		{"{id: two, settings: [size]}", "{id: twos, settings: [size]}", `there is no study of a scenario "twos"`},
		{"{id: two, settings: [size]}", "{id: two, settings: [sise]}", `there is no setting "sise"`},
		{"{id: two, settings: [size]}", "{id: one, settings: [size]}", `study "one" is there twice`},
		{"papers/reading.TestReadings", "TestReadings", `"TestReadings" is not the name of a test`},
		{"id: first, headline: far", "id: firs, headline: far", `there is no claim "firs"`},
		{"headline: far", "headline: near", `there is no named check of claim first "near"`},
		{"expects: {size=large: holds}", "expects: {size=larg: holds}", `there is no reading "size=larg"`},
		{"expects: {size=large: holds}", "expects: {size=large: maybe}", `"maybe" is not an expectation; write holds or fails`},
		{"up_to: {reach: 3}", "up_to: {reached: 3}", "reached"},
	} {
		if !strings.Contains(tinyReadings, tt.from) {
			t.Fatalf("the file has no %q", tt.from)
		}
		_, err := Load(ledger(t, strings.Replace(tinyReadings, tt.from, tt.to, 1)))
		var list *config.Error
		if !errors.As(err, &list) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), fileName+":") {
			t.Errorf("%s: %v, want %q with its place", tt.to, err, tt.want)
		}
	}
}

// FuzzLoad reads any file as the readings of a ledger.
func FuzzLoad(f *testing.F) {
	f.Add(tinyReadings)
	f.Add("readings: 1\n")
	f.Add("readings: 1\nsettings: [{id: a, about: b, values: [{is: x, first: true, source: text, why: c}, {is: y, source: code, why: d, in: {one: 3}}]}]\n")
	f.Add("readings: 1\ncombinations: [{id: a, with: 1, why: b}]\nstudies: [{id: one, settings: [a], quick: {seeds: x}}]\n")
	f.Add("claims: &a [*a]\n")
	l := ledger(f, "")
	path := filepath.Join(l.Dir, fileName)
	f.Fuzz(func(t *testing.T, text string) {
		write(t, path, text)
		file, err := Load(l)
		if err != nil {
			if !strings.Contains(err.Error(), fileName) {
				t.Errorf("%v does not name its file", err)
			}
			return
		}
		for i := range file.Readings() {
			for _, scale := range papers.ScaleNames() {
				_, _ = file.Under(&file.Readings()[i], scale)
			}
		}
	})
}

// TestLedgers plans every study under every reading of the ledgers that come with weft, and looks for the
// tests of their mechanisms.
func TestLedgers(t *testing.T) {
	files, err := filepath.Glob("../*/" + fileName)
	if err != nil || len(files) == 0 {
		t.Fatal("no ledger has readings", err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			l, err := papers.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Load(l)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range f.Mechanism {
				pkg, test, _ := strings.Cut(m.Test, ".")
				if !tested(t, filepath.Join("..", "..", filepath.FromSlash(pkg)), test) {
					t.Errorf("package %s has no test %s", pkg, test)
				}
			}
			for i := range f.Readings() {
				for _, id := range f.studyIDs() {
					acts(t, l, f, &f.Readings()[i], id)
				}
			}
		})
	}
}

// acts plans a study under a reading, which must change a cell at some scale.
func acts(t *testing.T, l *papers.Ledger, f *File, r *Reading, id string) {
	t.Helper()
	concerned, changed := false, false
	for _, scale := range papers.ScaleNames() {
		if !slices.Contains(f.StudiesOf(r, scale), id) {
			continue
		}
		concerned = true
		under, _ := f.Under(r, scale)
		var plans []*papers.Planned
		for _, of := range []*papers.Ledger{l, under} {
			s, _ := of.Study(id)
			p, err := of.Plan(s, scale, weft.Builtin(), "test")
			if err != nil {
				t.Errorf("reading %s: %v", r.Name, err)
				return
			}
			plans = append(plans, p)
		}
		for i, c := range plans[1].Cells {
			changed = changed || i >= len(plans[0].Cells) || c.Hash != plans[0].Cells[i].Hash
		}
	}
	if concerned && !changed {
		t.Errorf("reading %s changes nothing in study %s", r.Name, id)
	}
}

// tested tells whether the package in a folder has a test.
func tested(t *testing.T, dir, name string) bool {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "func "+name+"(t *testing.T)")
	})
}
