package study_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft"
	"weft/catalog"
	"weft/protocol"
	"weft/scenario"
	"weft/study"
)

// TestTasksKeepTheIdentityOfTheirCells reads the scenarios of tasks as workers do, which
// refuse one whose identity is not that of its key.
func TestTasksKeepTheIdentityOfTheirCells(t *testing.T) {
	checked := 0
	err := filepath.WalkDir("../scenarios", func(path string, d fs.DirEntry, err error) error {
		if name := filepath.Base(path); err != nil || !strings.HasSuffix(path, ".yaml") || name == "paper.yaml" || name == "claims.yaml" || filepath.Base(filepath.Dir(path)) == "models" { // of a ledger, or of a generator
			return err
		}
		f, err := weft.Load(path, weft.Builtin())
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		plan, err := study.NewPlan(f, text, nil, "p")
		if err != nil {
			return err
		}
		const most = 3 // of a file
		var cache study.TaskCache
		for _, r := range plan.Runs()[:min(most, len(plan.Cells))] {
			task, err := plan.Task(r, &cache)
			if err != nil {
				return err
			}
			again, err := scenario.Parse(task.Name, task.Scenario, weft.Builtin(), nil)
			if err != nil {
				t.Errorf("%s: %v", path, err)
				continue
			}
			if got, err := again.Variants[0].Identity(nil); got != task.Cell {
				t.Errorf("%s: cell %s becomes %s, %v", path, task.Cell, got, err)
			}
			checked++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 20 {
		t.Errorf("only %d tasks were checked", checked)
	}
}

// The options of a balancer in three programs: as it came, with more of them, and with
// another default.
type (
	asItCame struct {
		Paths int `yaml:"paths" default:"8" doc:"Paths."`
	}
	withMore struct {
		Probe bool     `yaml:"probe" default:"false" doc:"Came later."`
		Paths int      `yaml:"paths" default:"8" doc:"Paths."`
		Skip  []string `yaml:"skip" default:"[a]" doc:"Came later."`
	}
	withAnother struct {
		Paths int `yaml:"paths" default:"16" introduced:"8" doc:"Paths."`
	}
)

// keysWith returns the keys of a study's runs in a program whose balancer mine has options O.
func keysWith[O any](t *testing.T, balancer string) []string {
	t.Helper()
	reg := weft.Builtin()
	mine := catalog.Define("mine", "a balancer of one's own", "", func(O) (protocol.Balancer, error) { return protocol.Balancer{}, nil })
	if err := reg.Balancers.Add(mine); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`weft: 1
topology: {kind: star, hosts: 4}
transport: {balancer: %s}
traffic: [{name: main, pattern: permutation, size: 8KB, transport: {ack: {every: 2}}}]
matrix: [{path: fabric.queue, values: [1BDP, 2BDP]}]
seeds: 2
`, balancer)
	f, err := scenario.Parse("test.yaml", []byte(text), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := study.NewPlan(f, []byte(text), nil, "results-7")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, r := range plan.Runs() {
		keys = append(keys, r.Key)
	}
	return keys
}

// TestKeysFollowDefaults: an option that is added leaves all keys as they were; a default that
// changes changes those of scenarios without the option, and no others. Whether a value is
// written or a default never matters.
func TestKeysFollowDefaults(t *testing.T) {
	const omits, eight, sixteen = "mine", "{kind: mine, paths: 8}", "{kind: mine, paths: 16}"
	came := map[string][]string{}
	for _, text := range []string{omits, eight, sixteen} {
		came[text] = keysWith[asItCame](t, text)
		if more := keysWith[withMore](t, text); !slices.Equal(more, came[text]) {
			t.Errorf("with more options the keys of %s are %v, and were %v", text, more, came[text])
		}
	}
	for _, test := range []struct{ text, before string }{
		{omits, sixteen}, {eight, eight}, {sixteen, sixteen},
	} {
		if got := keysWith[withAnother](t, test.text); !slices.Equal(got, came[test.before]) {
			t.Errorf("with another default the keys of %s are %v; those of %s were %v", test.text, got, test.before, came[test.before])
		}
	}
	if !slices.Equal(came[omits], came[eight]) {
		t.Errorf("the keys of %s are %v, but those of %s %v", omits, came[omits], eight, came[eight])
	}
	distinct := slices.Concat(came[omits], came[sixteen], keysWith[withMore](t, "{kind: mine, probe: true}"), keysWith[withMore](t, "{kind: mine, skip: []}"))
	slices.Sort(distinct)
	if n := len(slices.Compact(distinct)); n != 16 {
		t.Errorf("16 different runs have %d keys", n)
	}
}
