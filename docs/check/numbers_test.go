// Package check holds the documents to what their commands print: numbers.yaml lists
// commands, the pages that quote them, and the sentences or lines that do.
package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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
