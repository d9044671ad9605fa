package traffic_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/record/section/jobs"
	"weft/scenario"
	"weft/unit"
)

// TestChakra: a folder of Chakra's form whose collective is lowered sends the messages of the pattern, by a
// ring and by halving and doubling.
func TestChakra(t *testing.T) {
	for pattern, algorithm := range map[string]string{"ring-allreduce": "ring", "butterfly-allreduce": "halving-doubling"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "app"), 0o700); err != nil {
			t.Fatal(err)
		}
		for rank := range 8 {
			text := `{"workload_graph": [{"Id": 1, "Name": "sum", "NodeType": 7, "comm_type": 0, "comm_size": 1000003}]}`
			if err := os.WriteFile(filepath.Join(dir, "app", fmt.Sprintf("app.%d.json", rank)), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		scenario := strings.Replace(star, "file: app.goal", `file: app, collectives: ["all-reduce=`+algorithm+`"]`, 1)
		if err := os.WriteFile(filepath.Join(dir, "scenario.yaml"), []byte(scenario), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := weft.Load(filepath.Join(dir, "scenario.yaml"), weft.Builtin())
		if err != nil {
			t.Fatal(err)
		}
		lowered, err := weft.Run(context.Background(), file.Variants[0])
		if err != nil {
			t.Fatal(err)
		}
		own, err := run(t, "", strings.Replace(star, "pattern: {kind: trace, file: app.goal}", "pattern: "+pattern+", size: 1000003B", 1))
		if err != nil {
			t.Fatal(err)
		}
		if lowered.Summary.ResultHash != own.Summary.ResultHash {
			t.Errorf("%s: the trace ends after %v, the pattern after %v", algorithm, lowered.Summary.Runtime, own.Summary.Runtime)
		}
	}
}

// chakraScenario writes the files of a trace of 8 ranks in JSON, as app/t.RANK.json, and others. It loads star with
// a pattern that reads them.
func chakraScenario(t *testing.T, pattern, nodes string, others map[string]string) (*scenario.Scenario, string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for rank := range 8 {
		write(fmt.Sprintf("app/t.%d.json", rank), `{"workload_graph": [`+strings.ReplaceAll(nodes, "HALF", fmt.Sprint(rank/4))+`]}`)
	}
	for name, text := range others {
		write(name, text)
	}
	write("s.yaml", strings.Replace(star, "file: app.goal", pattern, 1))
	file, err := weft.Load(filepath.Join(dir, "s.yaml"), weft.Builtin())
	if err != nil {
		t.Fatal(err)
	}
	return file.Variants[0], dir
}

// chakraRun runs it.
func chakraRun(t *testing.T, pattern, nodes string, others map[string]string) (*record.Result, error) {
	t.Helper()
	s, _ := chakraScenario(t, pattern, nodes, others)
	return weft.Run(context.Background(), s)
}

// TestChakraGroups: groups in a file that the scenario names, and along dimensions, are those of a file in the
// folder.
func TestChakraGroups(t *testing.T) {
	const groups = `{"0": [0, 1, 2, 3], "1": [4, 5, 6, 7]}`
	const named = `{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 100003, "pg_name": "HALF"}`
	const along = `{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 100003, "involved_dim": [true, false]}`
	hashes := map[string]bool{}
	for _, c := range []struct {
		pattern, nodes string
		others         map[string]string
	}{
		{"file: app", named, map[string]string{"app/groups.json": groups}},
		{"file: app, chakra: {groups: sets/groups.json}", named, map[string]string{"sets/groups.json": groups}},
		{"file: app/t, chakra: {groups: sets/groups.json}", named, map[string]string{"sets/groups.json": groups}},
		{"file: app/t.0.json, chakra: {dims: [4, 2]}", along, nil},
	} {
		res, err := chakraRun(t, c.pattern, c.nodes, c.others)
		if err != nil {
			t.Fatal(c.pattern, err)
		}
		hashes[res.Summary.ResultHash] = true
		if got := len(res.Flows); got != 2*4*6 && got != 2*4*4 {
			t.Errorf("%s: %d messages", c.pattern, got)
		}
	}
	if len(hashes) != 1 {
		t.Errorf("results differ: %v", hashes)
	}
	for _, c := range []struct{ pattern, nodes, place, want string }{
		{"file: app", strings.Replace(named, "HALF", "x", 1), ":7:26: ", `its process group "x" is not defined; put a JSON file such as {"x": [0, 1]} into the folder of the trace, or name one (read as Chakra); the key is chakra.groups`},
		{"file: app", along, ":7:26: ", "say how many ranks each dimension has, as ASTRA-sim's npus_count does (read as Chakra); the key is chakra.dims"},
		{"file: app, chakra: {dims: [4, 4]}", along, ":7:66: ", "give as many dimensions with 8 ranks in all, and not [4 4]"},
		{"file: app, chakra: {groups: none.json}", named, ":7:68: ", "none.json: there is no such file (read as Chakra); the key is chakra.groups"},
	} {
		_, err := chakraRun(t, c.pattern, c.nodes, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.place) {
			t.Errorf("%s: %v", c.pattern, err)
		}
	}
}

// TestChakraRoofline: computations without a duration take it from operations and memory.
func TestChakraRoofline(t *testing.T) {
	const nodes = `{"Id": 1, "NodeType": 4, "num_ops": 6240000000, "tensor_size": 1000}, {"Id": 2, "NodeType": 2, "data_deps": [1], "tensor_size": 5000000}`
	res, err := chakraRun(t, "file: app, chakra: {operations: 312T, memory: 2TB/s}", nodes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := jobOf(t, res).Time; got != 22500*unit.Nanosecond {
		t.Errorf("the job takes %v", got)
	}
	_, err = chakraRun(t, "file: app, chakra: {memory: 2TB/s}", nodes, nil)
	if err == nil || !strings.Contains(err.Error(), "it has num_ops or tensor_size and no duration; say how many operations per second the accelerator does, and how fast its memory is (read as Chakra); the keys are chakra.operations and chakra.memory") {
		t.Error(err)
	}
	_, err = chakraRun(t, "file: app", strings.Replace(nodes, `"num_ops": 6240000000, "tensor_size": 1000`, `"runtime": 3`, 1), nil)
	if err == nil || !strings.Contains(err.Error(), "say how fast memory is (read as Chakra); the key is chakra.memory") {
		t.Error(err)
	}
}

// TestReduction: a rank computes for each part that it reduces, 7 of a ring of 8.
func TestReduction(t *testing.T) {
	const nodes = `{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 8000}`
	const pattern = "file: app, collectives: [any=ring]"
	var jobs [2]jobs.Job
	for i, more := range []string{"", ", reduction: 1GB/s"} {
		res, err := chakraRun(t, pattern+more, nodes, nil)
		if err != nil {
			t.Fatal(err)
		}
		jobs[i] = jobOf(t, res)
	}
	if jobs[0].Computing != 0 || jobs[1].Computing != 7*unit.Microsecond || jobs[1].Time < jobs[0].Time+6*unit.Microsecond {
		t.Errorf("%+v", jobs)
	}
}

// TestChakraIdentity: a run is known by all files that it reads.
func TestChakraIdentity(t *testing.T) {
	const nodes = `{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 8000}`
	for _, name := range []string{"app", "app/t", "app/t.0.json"} {
		s, dir := chakraScenario(t, "file: "+name+", chakra: {groups: sets.json}", nodes, map[string]string{"sets.json": `{"1": [0, 1]}`})
		hash := func() string {
			t.Helper()
			sum, err := s.Hash()
			if err != nil {
				t.Fatal(err)
			}
			return sum
		}
		seen := map[string]bool{hash(): true}
		for i, change := range []string{"app/t.7.json", "app/t.0.json", "sets.json"} {
			path := filepath.Join(dir, change)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, append(text, ' '), 0o600); err != nil {
				t.Fatal(err)
			}
			if seen[hash()] = true; len(seen) != i+2 {
				t.Errorf("file: %s: the hash is the same with another %s", name, change)
			}
		}
	}
}

// TestChakraUnused: a note says that options have no effect on another format.
func TestChakraUnused(t *testing.T) {
	res, err := run(t, pingPong, strings.Replace(star, "file: app.goal", "file: app.goal, chakra: {dims: [2]}", 1))
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.Join(res.Manifest.Notices, "\n"); !strings.Contains(text, "app.goal: it is no trace of Chakra, so process groups, dimensions and speeds of accelerators have no effect") {
		t.Error(text)
	}
}
