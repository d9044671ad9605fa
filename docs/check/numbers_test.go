// Package check holds the documents to what their commands print: numbers.yaml lists
// commands, the pages that quote them, and the sentences or lines that do.
package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"weft/record"
)

// all is set by ./test docs, to check the entries that take long as well.
var all = os.Getenv("WEFT_DOCS") == "all"

// entry is a command of the documents, and what pages say of it.
type entry struct {
	// Run is the command without the program's name, as in run scenarios/sird/family.yaml. Its
	// results go to a folder of their own.
	Run string `yaml:"run"`
	// Slow leaves the command to ./test docs: it takes longer than a few seconds.
	Slow bool `yaml:"slow"`
	// Exits is the command's exit code.
	Exits int `yaml:"exits"`
	// Pages are what quotes it.
	Pages []quotation `yaml:"pages"`
}

// quotation is what a page says.
type quotation struct {
	Page string `yaml:"page"`
	// Named is what the page says in place of the command, if that is not there word for word.
	Named string `yaml:"named"`
	// Behind is a text of the page behind which all below stands, where the page has the like twice.
	Behind string `yaml:"behind"`
	// Says are sentences, or rows of tables, of the page in which each {of|metric} is a number of the
	// command: of a variant of a run, or of the levels of a cell of a study, separated by slashes. A metric
	// may be followed by a factor, as in {OPS|runtime_us*0.001}. Of other commands {line|n} is the nth
	// number in a line that they print, behind the words with which it begins; intervals in brackets are no
	// numbers of it.
	Says []string `yaml:"says"`
	// Block says that the page shows what is printed in a block of code behind the command.
	Block bool `yaml:"block"`
	// Prints are lines of the page that the command prints on standard output, or the beginnings of
	// lines: pages leave out columns.
	Prints []string `yaml:"prints"`
}

// TestDocumentedNumbers runs the commands of numbers.yaml and compares the documents with
// what they print.
func TestDocumentedNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and runs scenarios")
	}
	text, err := os.ReadFile("numbers.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	if err := yaml.UnmarshalWithOptions(text, &entries, yaml.Strict()); err != nil {
		t.Fatal(yaml.FormatError(err, false, true))
	}
	weft := build(t)
	for _, e := range entries {
		t.Run(strings.ReplaceAll(e.Run, "/", "-"), func(t *testing.T) {
			// Pages are looked at for commands that take long, too: a sentence that was edited must be
			// edited here.
			for _, q := range e.Pages {
				q.find(t, e.Run)
			}
			if e.Slow && !all {
				t.Skip("takes long; ./test docs runs it")
			}
			printed, numbers := e.execute(t, weft)
			for _, q := range e.Pages {
				q.compare(t, e.Run, printed, numbers)
			}
		})
	}
}

// build builds the program.
func build(t *testing.T) string {
	t.Helper()
	weft := filepath.Join(t.TempDir(), "weft")
	if runtime.GOOS == "windows" {
		weft += ".exe"
	}
	c := exec.Command("go", "build", "-o", weft, "./cmd/weft")
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return weft
}

// root is the folder of the checkout.
var root = filepath.Join("..", "..")

// execute runs a command, and returns what it prints and its numbers: by variant or levels of a
// cell, and by metric.
func (e *entry) execute(t *testing.T, weft string) (printed string, numbers map[string]map[string]float64) {
	t.Helper()
	words := words(e.Run)
	out := t.TempDir()
	isRun, isStudy := words[0] == "run", words[0] == "study" && words[1] == "run"
	if isRun || isStudy {
		words = append(words, "--report=false", "--out", out)
	}
	if isRun {
		words = append(words, "--figures=false")
	}
	printed = command(t, weft, e.Exits, words...)
	numbers = ofText(printed)
	switch {
	case isRun:
		maps.Copy(numbers, ofRun(t, out))
	case isStudy:
		maps.Copy(numbers, ofStudy(t, command(t, weft, 0, "study", "table", out, "--json")))
	}
	return printed, numbers
}

// command runs a command, which exits as it should, and returns what it prints. Of one that fails
// that is an error, too.
func command(t *testing.T, weft string, exits int, words ...string) string {
	t.Helper()
	c := exec.Command(weft, words...)
	c.Dir = root
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); c.ProcessState == nil || c.ProcessState.ExitCode() != exits {
		t.Fatalf("weft %s: %v\n%s", strings.Join(words, " "), err, stderr.String())
	}
	if exits != 0 {
		return stdout.String() + stderr.String()
	}
	return stdout.String()
}

// words splits a command line at its spaces, but for those within single quotes.
func words(line string) []string {
	var list []string
	for _, w := range regexp.MustCompile(`(?:'[^']*'|[^\s'])+`).FindAllString(line, -1) {
		list = append(list, strings.ReplaceAll(w, "'", ""))
	}
	return list
}

var (
	inBrackets = regexp.MustCompile(`\[[^\]]*\]`)
	inText     = regexp.MustCompile(`(?:^|[ ($])(-?[0-9]+(?:\.[0-9]+)?)`)
)

// ofText returns the numbers of what a command prints: by the words with which a line begins, and by
// place behind them.
func ofText(printed string) map[string]map[string]float64 {
	numbers := map[string]map[string]float64{}
	for line := range strings.Lines(printed) {
		line = squeezed(inBrackets.ReplaceAllString(line, " "))
		for end, r := range line {
			if r != ' ' {
				continue
			}
			begin, of := line[:end], map[string]float64{}
			for i, found := range inText.FindAllStringSubmatch(line[end:], -1) {
				if v, err := strconv.ParseFloat(found[1], 64); err == nil {
					of[strconv.Itoa(i+1)] = v
				}
			}
			if _, taken := numbers[begin]; !taken && len(of) > 0 {
				numbers[begin] = of
			}
		}
	}
	return numbers
}

// ofRun returns the metrics of the variants of a run.
func ofRun(t *testing.T, folder string) map[string]map[string]float64 {
	t.Helper()
	variants, err := record.Variants(folder)
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[string]map[string]float64{}
	for _, v := range variants {
		_, s, err := record.ReadManifest(v.Folder)
		if err != nil {
			t.Fatal(err)
		}
		numbers[v.Name] = map[string]float64{}
		for _, m := range s.Metrics() {
			numbers[v.Name][m.Name] = m.Value
		}
	}
	return numbers
}

// ofStudy returns the means of the cells of a study.
func ofStudy(t *testing.T, text string) map[string]map[string]float64 {
	t.Helper()
	var table struct {
		Axes []struct {
			Levels []string `json:"levels"`
		} `json:"axes"`
		Metrics []struct {
			Name string `json:"name"`
		} `json:"metrics"`
		Cells []struct {
			Levels    []int `json:"levels"`
			Estimates []struct {
				Mean *float64 `json:"mean"`
			} `json:"estimates"`
		} `json:"cells"`
	}
	if err := json.Unmarshal([]byte(text), &table); err != nil {
		t.Fatal(err)
	}
	numbers := map[string]map[string]float64{}
	for _, c := range table.Cells {
		var levels []string
		for axis, l := range c.Levels {
			levels = append(levels, table.Axes[axis].Levels[l])
		}
		of := map[string]float64{}
		for i, e := range c.Estimates {
			if e.Mean != nil {
				of[table.Metrics[i].Name] = *e.Mean
			}
		}
		numbers[strings.Join(levels, "/")] = of
	}
	return numbers
}

// placeholder is {of|metric} or {of|metric*factor}.
var placeholder = regexp.MustCompile(`\{([^{}|]*)\|([^{}*]+)(?:\*([0-9.e-]+))?\}`)

// number is a number as pages write it, with spaces between thousands.
const number = `(-?[0-9]+(?: [0-9]{3})*(?:\.[0-9]+)?)`

// pattern returns what finds a sentence in a page, whatever its numbers are and wherever its
// lines end.
func pattern(sentence string) *regexp.Regexp {
	var b strings.Builder
	last := 0
	quote := func(text string) {
		fields := regexp.MustCompile(`\s+`).Split(text, -1)
		for i := range fields {
			fields[i] = regexp.QuoteMeta(fields[i])
		}
		b.WriteString(strings.Join(fields, `\s+`))
	}
	for _, at := range placeholder.FindAllStringIndex(sentence, -1) {
		quote(sentence[last:at[0]])
		b.WriteString(number)
		last = at[1]
	}
	quote(sentence[last:])
	return regexp.MustCompile(b.String())
}

// read reads the page.
func (q *quotation) read(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(q.Page)))
	if err != nil {
		t.Fatal(err)
	}
	_, behind, found := strings.Cut(string(text), q.Behind)
	if !found {
		t.Errorf("%s has no %q; edit docs/check/numbers.yaml or the page", q.Page, q.Behind)
	}
	return behind
}

// find finds what the page says, and the command in it.
func (q *quotation) find(t *testing.T, command string) {
	t.Helper()
	page, whole := q.read(t), quotation{Page: q.Page}
	if name := cmp.Or(q.Named, "weft "+command); !strings.Contains(squeezed(whole.read(t)), name) {
		t.Errorf("%s does not name %s; edit docs/check/numbers.yaml or the page", q.Page, name)
	}
	if q.Block && len(block(page, command)) == 0 {
		t.Errorf("%s has no block of code behind weft %s; edit docs/check/numbers.yaml or the page", q.Page, command)
	}
	for _, s := range q.Says {
		if !pattern(s).MatchString(page) {
			t.Errorf("%s does not say %q; edit docs/check/numbers.yaml or the page", q.Page, s)
		}
	}
	lines := strings.Split(page, "\n")
	for _, want := range q.Prints {
		if !slices.ContainsFunc(lines, func(line string) bool { return squeezed(line) == squeezed(want) }) {
			t.Errorf("%s has no line %q; edit docs/check/numbers.yaml or the page", q.Page, want)
		}
	}
}

// compare compares what the page says with what the command came to.
func (q *quotation) compare(t *testing.T, command, stdout string, numbers map[string]map[string]float64) {
	t.Helper()
	page := q.read(t)
	for _, s := range q.Says {
		found := pattern(s).FindStringSubmatch(page)
		if found == nil {
			continue // find has told
		}
		for i, p := range placeholder.FindAllStringSubmatch(s, -1) {
			got, err := lookUp(numbers, p[1], p[2], p[3])
			if err != nil {
				t.Fatalf("%s: %v", p[0], err)
			}
			if said := found[i+1]; !agrees(said, got) {
				t.Errorf("%s says %s in %q, and the command comes to %s", q.Page, said, found[0], strconv.FormatFloat(got, 'g', 6, 64))
			}
		}
	}
	printed := strings.Split(stdout, "\n")
	lines := q.Prints
	if q.Block {
		lines = append(lines, block(page, command)...)
	}
	for _, want := range lines {
		begin := squeezed(strings.TrimSuffix(want, "…")) + " "
		if !slices.ContainsFunc(printed, func(line string) bool { return strings.HasPrefix(squeezed(line)+" ", begin) }) {
			t.Errorf("%s has the line %q, which the command does not print:\n%s", q.Page, want, stdout)
		}
	}
}

// block returns the lines of the block of code in a page that follows a command.
func block(page, command string) []string {
	const fence = "\n```"
	_, behind, _ := strings.Cut(page, "weft "+command)
	_, behind, _ = strings.Cut(behind, fence)
	inside, _, _ := strings.Cut(behind, fence)
	_, inside, _ = strings.Cut(inside, "\n")
	var lines []string
	for line := range strings.Lines(inside) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\n"))
		}
	}
	return lines
}

// squeezed returns a line with one space for each run of them.
func squeezed(line string) string { return strings.Join(strings.Fields(line), " ") }

func lookUp(numbers map[string]map[string]float64, of, metric, factor string) (float64, error) {
	all, ok := numbers[of]
	if !ok {
		var names []string
		for name := range numbers {
			names = append(names, name)
		}
		slices.Sort(names)
		return 0, fmt.Errorf("no variant or cell %q among %q", of, names)
	}
	v, ok := all[metric]
	if !ok {
		return 0, fmt.Errorf("no metric %q of %q", metric, of)
	}
	if factor != "" {
		f, err := strconv.ParseFloat(factor, 64)
		if err != nil {
			return 0, err
		}
		v *= f
	}
	return v, nil
}

// agrees tells whether a number, rounded as it is written, is another. Half a digit is the most that
// rounding leaves, and a little more where binary fractions are.
func agrees(said string, got float64) bool {
	said = strings.ReplaceAll(said, " ", "")
	v, err := strconv.ParseFloat(said, 64)
	if err != nil {
		return false
	}
	_, decimals, _ := strings.Cut(said, ".")
	unit := math.Pow(10, -float64(len(decimals)))
	if len(decimals) == 0 {
		// 6550 may stand for 6548, and 105 000 for 104 600: zeros at the end of three digits or more are not significant.
		for len(said) > 3 && strings.HasSuffix(said, "0") && unit < math.Abs(v)/100 {
			said, unit = said[:len(said)-1], unit*10
		}
	}
	return math.Abs(v-got) <= unit*0.5000001
}

// TestAgreement compares numbers as they are written with others.
func TestAgreement(t *testing.T) {
	for _, c := range []struct {
		said string
		got  float64
		want bool
	}{
		{"1468", 1468.4, true}, {"1468", 1467.4, false}, {"763.8", 763.84, true}, {"763.8", 763.9, false},
		{"1 631", 1630.7, true}, {"6550", 6548.2, true}, {"6550", 6544, false}, {"0.96", 0.957, true}, {"0", 0.4, true}, {"30", 34, false},
	} {
		if got := agrees(c.said, c.got); got != c.want {
			t.Errorf("%s beside %v: %v, want %v", c.said, c.got, got, c.want)
		}
	}
	p := pattern("ends after {A|x} µs, or {B|y*0.5} %")
	if found := p.FindStringSubmatch("it ends after\n1 026 µs, or 3.5 % of"); len(found) != 3 || found[1] != "1 026" || found[2] != "3.5" {
		t.Errorf("found %q", found)
	}
}

func TestNumbersOfText(t *testing.T) {
	numbers := ofText("scheme  T  at most\nslim fly n=9  1.734 [1.6, 1.9]  1.750\ncost per host  $1150  routers 1012\nrow  -0.5\nrow 7\n")
	for _, c := range []struct {
		of, metric string
		want       float64
	}{{"slim fly n=9", "1", 1.734}, {"slim fly n=9", "2", 1.75}, {"slim", "1", 1.734}, {"cost per host", "1", 1150}, {"cost per host", "2", 1012}, {"row", "1", -0.5}} {
		if got, err := lookUp(numbers, c.of, c.metric, ""); err != nil || got != c.want {
			t.Errorf("{%s|%s} is %v, want %v: %v", c.of, c.metric, got, c.want, err)
		}
	}
	if got := words("run x.yaml --set 'a b=c' --set d='{e: f}'"); len(got) != 6 || got[3] != "a b=c" || got[5] != "d={e: f}" {
		t.Errorf("%q", got)
	}
	if got := block("weft topo x\n\n```\na  b\n\nc\n```\n", "topo x"); len(got) != 2 || got[1] != "c" {
		t.Errorf("%q", got)
	}
}
