package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"weft/scenario"
	"weft/study/slurm"
)

// accepts tells whether the command line has a command with these flags and this
// number of arguments. Nothing is executed.
func accepts(t *testing.T, args []string) {
	t.Helper()
	root := (&program{reg: new(scenario.Registry), stdout: io.Discard, stderr: io.Discard}).root()
	c, rest, err := root.Find(args)
	if err == nil {
		err = c.ParseFlags(rest)
	}
	if err == nil {
		err = c.ValidateArgs(c.Flags().Args())
	}
	if err != nil || c == root || !c.Runnable() {
		t.Errorf("weft %s: no such command: %v", strings.Join(args, " "), err)
	}
}

// TestKubernetesCommands holds the examples for Kubernetes to the commands there are.
func TestKubernetesCommands(t *testing.T) {
	paths, err := filepath.Glob("../examples/kubernetes/*.yaml")
	if err != nil || len(paths) == 0 {
		t.Fatalf("found %v, %v", paths, err)
	}
	found := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
			var object struct {
				Spec struct {
					Template struct {
						Spec struct {
							Containers []struct{ Args []string }
						}
					}
				}
			}
			if err := yaml.Unmarshal(document, &object); err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for _, c := range object.Spec.Template.Spec.Containers {
				found++
				accepts(t, c.Args)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d containers were found", found)
	}
}

// TestJobCommands does so for the scripts of jobs.
func TestJobCommands(t *testing.T) {
	j := slurm.Job{
		Study: "small", Dir: "/shared/small", Logs: "/shared/small/slurm", Program: "/weft", Plan: "1234", Retry: true,
		Split: slurm.Split{Shards: 4, Tasks: []int{0}, Most: 3}, Resources: slurm.Resources{CPUs: 2},
	}
	workers := j
	workers.Connect, workers.Workers = "nats://head:4222", 3
	workers.Arguments = []string{"--creds", "/a", "--nkey", "/b", "--tls-ca", "/c", "--tls-cert", "/d", "--tls-key", "/e"}
	for _, j := range []slurm.Job{j, workers} {
		script, err := slurm.Script(j)
		if err != nil {
			t.Fatal(err)
		}
		_, command, ok := strings.Cut(string(script), "\nexec \"$weft\" ")
		if !ok {
			t.Fatalf("no command in\n%s", script)
		}
		command = strings.NewReplacer("\\\n", " ", `"`, "", "'", "", "${SLURM_CPUS_PER_TASK:-1}", "1").Replace(command)
		accepts(t, strings.Fields(command))
	}
}

// TestAnalyzeCommands does so for the page about weft analyze.
func TestAnalyzeCommands(t *testing.T) {
	text, err := os.ReadFile("../docs/analyze.md")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if command, ok := strings.CutPrefix(line, "    weft "); ok && !strings.Contains(line, "--help") {
			found++
			accepts(t, strings.Fields(command))
		}
	}
	if found < 10 {
		t.Errorf("only %d commands were found", found)
	}
}
