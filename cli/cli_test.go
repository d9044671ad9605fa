package cli_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"weft"
	"weft/cli"
	"weft/emulate"
	"weft/papers/ledgers"
	"weft/scenario"
	"weft/study"
	"weft/study/jetstream"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"weft":         func() { os.Exit(cli.Main(weft.Builtin(), cli.Ledgers(ledgers.All()))) },
		"weft-queue":   func() { os.Exit(cli.Main(weft.Builtin(), cli.Ledgers(ledgers.All()), cli.Queue(jetstream.Queue()))) },
		"weft-plain":   func() { os.Exit(cli.Main(weft.Builtin())) },
		"weft-stalled": func() { os.Exit(cli.Main(stalled())) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error { // for what comes with weft
			dir, err := filepath.Abs("../scenarios")
			e.Setenv("SCENARIOS", dir)
			return err
		},
		Condition: func(name string) (bool, error) {
			if name != "namespaces" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return emulate.Available() == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "unread": unread, "alter": alterProgram, "key": firstKey, "damage": damage, "appears": appears, "numbers": numbers},
	})
}

// exits is the command of scripts "exits CODE PROGRAM ARGUMENT...", which demands
// an exit code, or one of several as in 0,1.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENT...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if ended := new(exec.ExitError); errors.As(err, &ended) {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if !slices.Contains(strings.Split(args[0], ","), strconv.Itoa(code)) {
		ts.Fatalf("the exit code is %d, not %s", code, args[0])
	}
}

// unread is the command "unread PROGRAM ARGUMENT...", whose output has no reader from
// its beginning. It demands the exit code 0.
func unread(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: unread PROGRAM ARGUMENT...")
	}
	reader, writer, err := os.Pipe()
	ts.Check(err)
	ts.Check(reader.Close())
	defer writer.Close()
	var stderr strings.Builder
	bin := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, args[0])); err == nil {
			bin = filepath.Join(dir, args[0])
			break
		}
	}
	c := exec.Command(bin, args[1:]...)
	c.Dir, c.Stdout, c.Stderr = ts.MkAbs("."), writer, &stderr
	c.Env = append(os.Environ(), "HOME="+ts.Getenv("HOME"), "PATH="+ts.Getenv("PATH"))
	if err := c.Run(); err != nil {
		ts.Fatalf("%v\n%s", err, stderr.String())
	}
}

// alterProgram is the command "alter FILE", which makes a study that of another
// program.
func alterProgram(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, regexp.MustCompile(`"program": "[^"]*"`).ReplaceAll(text, []byte(`"program": "exe-0"`)), 0o666))
}

// firstKey is the command "key STUDY", which sets KEY to the key of its first run.
func firstKey(ts *testscript.TestScript, _ bool, args []string) {
	s, err := study.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Setenv("KEY", s.Plan.Runs()[0].Key[:10])
}

// damage is the command "damage PATTERN", which cuts off the first file of such a name.
func damage(ts *testscript.TestScript, _ bool, args []string) {
	paths, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(paths) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	ts.Check(os.Truncate(paths[0], 40))
}

// TestReferenceIsCurrent keeps the documentation from falling behind the program.
func TestReferenceIsCurrent(t *testing.T) {
	var want bytes.Buffer
	if err := scenario.WriteReference(&want, weft.Builtin()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("docs/scenarios.md is stale; write it again: go run ./cmd/weft docs scenarios > docs/scenarios.md\n%s", diff)
	}
}

// TestExampleOfTheReference runs the scenario that the documentation shows
// through its validation.
func TestExampleOfTheReference(t *testing.T) {
	var text bytes.Buffer
	if err := scenario.WriteReference(&text, weft.Builtin()); err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(text.String(), "```yaml\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatal("there is no example")
	}
	f, err := scenario.Parse("example.yaml", []byte(example), weft.Builtin(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Variants {
		if _, err := s.Verify(); err != nil {
			t.Error(err)
		}
	}
}

// TestScenariosAreValid validates every scenario of the repository. Folders with a ledger have other files, too, which the script controls validates.
func TestScenariosAreValid(t *testing.T) {
	reg := weft.Builtin()
	found := 0
	err := filepath.WalkDir("../scenarios", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" || slices.Contains([]string{"paper.yaml", "claims.yaml"}, filepath.Base(path)) || filepath.Base(filepath.Dir(path)) == "models" {
			return err
		}
		found++
		f, err := scenario.Load(path, reg, nil)
		if err != nil {
			t.Error(err)
			return nil
		}
		for _, s := range f.Variants {
			if f.Name == "80k" || f.Name == "million" {
				break // building these takes long, and is tested with smaller ones
			}
			if _, err := s.Verify(); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no scenario was found")
	}
}
