package check

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

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
