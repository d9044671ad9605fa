package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft"
)

// Distances of a sample are told as such.
func TestTopoReportOfASample(t *testing.T) {
	for _, test := range []struct {
		sources int
		want    string
	}{
		{100, "diameter D 3"},
		{64, "diameter D ≥ 3 from 64 of 100 switches; --exact uses all"},
	} {
		r := topoReport{Distances: topoDistances{Diameter: 3, Sources: test.sources, Of: 100, Pairs: []int64{0, 1, 2, 1}, Unreached: 7}}
		var b strings.Builder
		if err := r.write(&b); err != nil {
			t.Fatal(err)
		}
		found := false
		for line := range strings.Lines(b.String()) {
			found = found || strings.Join(strings.Fields(line), " ") == strings.Join(strings.Fields(test.want), " ")
		}
		if !found {
			t.Errorf("%q is not in\n%s", test.want, b.String())
		}
		if !strings.Contains(b.String(), "1: 25.0 %, 2: 50.0 %, 3: 25.0 %") {
			t.Errorf("the shares of distances are not in\n%s", b.String())
		}
	}
}

// TestTopoCost compares the price of a host with the model by hand, and has none where
// the prices do not suit.
func TestTopoCost(t *testing.T) {
	run := func(words ...string) (int, string) {
		var out bytes.Buffer
		p := &program{reg: weft.Builtin(), stdout: &out, stderr: &out}
		code := p.execute(t.Context(), append([]string{"topo"}, words...))
		return code, out.String()
	}
	// Four routers of four ports in one rack: 350.4·4 - 892.3 each; one host each,
	// and six links, all of 1 m copper at 40 Gb/s.
	want := (4*(350.4*4-892.3) + 10*40*(0.4079+0.5771)) / 4
	for _, rate := range []string{"rate=40Gbps", "rate=400Gbps"} {
		code, out := run("clique", "--set", "switches=4", "--set", "hosts_per_switch=1", "--set", rate)
		if line := fmt.Sprintf("cost per host            $%.0f ", want); code != 0 || !strings.Contains(out, line) {
			t.Errorf("%s: %d; %q is not in\n%s", rate, code, line, out)
		}
	}
	code, out := run("clique", "--set", "switches=2", "--set", "hosts_per_switch=1")
	if code != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), "cost per host none") {
		t.Errorf("%d\n%s", code, out)
	}
}

// TestTopologiesPage runs the commands of docs/topologies.md and compares what they
// print and draw with what the page shows.
func TestTopologiesPage(t *testing.T) {
	page, err := os.ReadFile("../docs/topologies.md")
	if err != nil {
		t.Fatal(err)
	}
	pictures, err := filepath.Abs("../docs/images/topologies")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	commands := regexp.MustCompile("(?m)^    weft (topo .*)\n(?:\n```\n((?:.*\n)*?)```\n)?").FindAllStringSubmatch(string(page), -1)
	shown, drawn := 0, 0
	for _, command := range commands {
		var out bytes.Buffer
		p := &program{reg: weft.Builtin(), stdout: &out, stderr: &out}
		p.execute(t.Context(), strings.Fields(command[1]))
		if command[2] != "" {
			shown++
			if got := out.String(); got != command[2] {
				t.Errorf("weft %s prints\n%sand the page shows\n%s", command[1], got, command[2])
			}
		}
		if _, file, draws := strings.Cut(command[1], "--svg "); draws {
			drawn++
			got, err := os.ReadFile(file)
			want, missing := os.ReadFile(filepath.Join(pictures, file))
			if err != nil || missing != nil || !bytes.Equal(got, want) {
				t.Errorf("weft %s draws another %s than that of the page (%v, %v); draw it again", command[1], file, err, missing)
			}
		}
	}
	if shown < 5 || drawn < 7 {
		t.Errorf("the page shows %d outputs and %d pictures", shown, drawn)
	}
}

// TestTopoExtension demands that a file of unknown extension is refused with those of graphs.
func TestTopoExtension(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.txt")
	if err := os.WriteFile(path, []byte("0 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := &program{reg: weft.Builtin(), stdout: &out, stderr: &out}
	if code := p.execute(t.Context(), []string{"topo", path}); code != wrong || !strings.Contains(out.String(), "--set format=csv") {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}
