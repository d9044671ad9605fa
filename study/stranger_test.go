package study_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/record"
	"weft/study"
)

// tasksOf returns the tasks of a plan.
func tasksOf(t *testing.T, p *study.Plan) []study.Task {
	t.Helper()
	var cache study.TaskCache
	var list []study.Task
	for _, r := range p.Runs() {
		task, err := p.Task(r, &cache)
		do(t, err)
		list = append(list, task)
	}
	return list
}

// TestOutcomesOfOthersAreRefused hands over what is no result of the run.
func TestOutcomesOfOthersAreRefused(t *testing.T) {
	p := planOf(t, smallStudy, "p")
	list := tasksOf(t, p)
	run := study.NewRunner(weft.Builtin(), "p")
	result := func(task study.Task) []byte {
		t.Helper()
		packed, failure := run(t.Context(), task, func(float64) {})
		if failure != nil {
			t.Fatal(failure)
		}
		return packed
	}
	other := planOf(t, smallStudy, "other")
	ofOther, failure := study.NewRunner(weft.Builtin(), "other")(t.Context(), tasksOf(t, other)[0], func(float64) {})
	if failure != nil {
		t.Fatal(failure)
	}
	own := result(list[0])
	for name, packed := range map[string][]byte{
		"nothing":              nil,
		"nonsense":             []byte("PK, or not"),
		"cut off":              own[:len(own)-30],
		"another cell's":       result(list[1]),
		"another seed's":       result(list[len(p.Cells)]),
		"of another program's": ofOther,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			s, err := study.Create(dir, p)
			do(t, err)
			do(t, s.Execute(t.Context(), engineFunc(func(_ context.Context, _ []study.Task, w study.Watcher) error {
				if err := w.Ended(study.Outcome{Key: list[0].Key, Result: packed}); !errors.Is(err, study.ErrNotResult) {
					t.Errorf("it is kept: %v", err)
				}
				return w.Ended(study.Outcome{Key: list[2].Key, Result: result(list[2])})
			}), study.ExecuteOptions{}))
			if all, _ := s.Count(); all.Done != 1 || all.Missing != 11 {
				t.Errorf("%+v", all)
			}
		})
	}
}

// TestTextOfWorkersIsPrintable has a worker say what would drive a terminal.
func TestTextOfWorkersIsPrintable(t *testing.T) {
	const evil = "a\x1b[2J\u202eb"
	p := planOf(t, smallStudy, "p")
	dir := filepath.Join(t.TempDir(), "s")
	s, err := study.Create(dir, p)
	do(t, err)
	said := &everything{}
	do(t, s.Execute(t.Context(), engineFunc(func(_ context.Context, tasks []study.Task, w study.Watcher) error {
		w.Notice(evil + "\nforged")
		w.Began(tasks[0].Key, evil)
		w.Progressed(tasks[0].Key, 1e300)
		w.Lost(tasks[0].Key, evil, evil+"\nforged")
		return w.Ended(study.Outcome{Key: tasks[0].Key, Worker: evil, Failure: &study.Failure{Message: evil + "\nforged"}})
	}), study.ExecuteOptions{Watch: said}))
	opened, err := study.Open(dir)
	do(t, err)
	e, _ := opened.Entry(p.Runs()[0])
	for _, text := range append(said.texts, e.Worker, e.Message) {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nforged") && text != e.Message && !strings.HasPrefix(text, "ended") {
			t.Errorf("it says %q", text)
		}
	}
	if len(said.texts) != 5 || said.texts[2] != "1" || !strings.Contains(e.Message, "\nforged") {
		t.Errorf("%q, %q", said.texts, e.Message)
	}

	// The same for what a folder of others says.
	index := filepath.Join(dir, "index.jsonl")
	l := fmt.Sprintf(`{"key": %q, "name": "a\u001b[2J", "cell": "c", "seed": 7, "program": "q", "status": "done", "message": "\u202e", "worker": "w\n", "result_hash": "\u009b", "metrics": {"x\u001b.y": 1}}`, study.Key("q", "c", 7))
	do(t, os.WriteFile(index, []byte(l+"\n"), 0o666))
	do(t, put(dir, "runs/"+study.Key("q", "c", 7)[:2]+"/"+study.Key("q", "c", 7)+".failed.json"))
	opened, err = study.Open(dir)
	do(t, err)
	for _, e := range opened.Others() {
		b, err := json.Marshal(e)
		do(t, err)
		if strings.ContainsAny(string(b), "\x1b\u202e\u009b") || strings.Contains(string(b), `\u001b`) {
			t.Errorf("%s", b)
		}
	}
	for _, text := range opened.Warnings() {
		if strings.ContainsAny(text, "\x1b\u202e\n") {
			t.Errorf("%q", text)
		}
	}
}

// everything is a Watcher that keeps all text that it is told.
type everything struct{ texts []string }

func (e *everything) Began(_, worker string) { e.texts = append(e.texts, worker) }
func (e *everything) Progressed(_ string, share float64) {
	e.texts = append(e.texts, fmt.Sprint(share))
}
func (e *everything) Lost(_, worker, why string) { e.texts = append(e.texts, worker+why) }
func (e *everything) Notice(text string)         { e.texts = append(e.texts, text) }
func (e *everything) Ended(o study.Outcome) error {
	e.texts = append(e.texts, "ended"+o.Worker+o.Failure.Message)
	return nil
}

// TestWorkersReadInputsOnly has tasks name other files of the worker's machine.
func TestWorkersReadInputsOnly(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	const sizes = "size_bytes,cdf\n1000,0.5\n2000,1\n"
	good, secret := write("sizes.csv", sizes), write("secret.csv", "root:hunter2:0:0\n")
	hosts := write("hosts.topology", "|V|=2\n|E|=2\nToRs=incl_range(0,1)\nServers=set()\nSwitches=set()\n0 1\n1 0\n")
	toSecret := write("run.properties", "scenario_topology_file="+secret+"\nlink_bandwidth_bit_per_ns=10\nlink_delay_ns=20\n")
	withFile := func(name string) string {
		text := strings.Replace(smallStudy, "size: 16KiB", "size: {cdf: "+name+"}", 1)
		return strings.Replace(text, "  - {path: traffic.flows.size, values: [16KiB, 64KiB]}\n", "", 1)
	}
	honest := tasksOf(t, planOf(t, withFile(good), "p"))[0]
	run := func(task study.Task) *study.Failure {
		_, failure := study.NewRunner(weft.Builtin(), "p")(t.Context(), task, func(float64) {})
		return failure
	}
	if f := run(honest); f != nil {
		t.Fatal(f)
	}
	with := func(change func(*study.Task)) study.Task {
		task := honest
		task.Inputs = append([]study.Input(nil), honest.Inputs...)
		change(&task)
		return task
	}
	naming := func(task *study.Task, path string) {
		task.Scenario = json.RawMessage(strings.ReplaceAll(string(task.Scenario), good, path))
	}
	graph := func(path string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"weft": 1, "name": "x", "topology": {"kind": "graph", "file": %q, "hosts_per_switch": 2}, "traffic": [{"name": "f", "pattern": "permutation", "size": "1KiB"}]}`, path))
	}
	for name, task := range map[string]study.Task{
		"no inputs":       with(func(task *study.Task) { task.Inputs = nil }),
		"another file":    with(func(task *study.Task) { naming(task, secret) }),
		"another content": with(func(task *study.Task) { naming(task, secret); task.Inputs[0].Path = secret }),
		"a guess":         with(func(task *study.Task) { naming(task, secret); task.Inputs[0] = study.Input{Path: secret} }),
		"none there":      with(func(task *study.Task) { naming(task, secret+"x"); task.Inputs[0].Path = secret + "x" }),
		"a device":        with(func(task *study.Task) { naming(task, "/dev/zero"); task.Inputs[0].Path = "/dev/zero" }),
		"a relative path": with(func(task *study.Task) { naming(task, "../../../../../../../"+secret) }),
		"a graph":         with(func(task *study.Task) { task.Scenario = graph(secret) }),
		"a graph in turn": with(func(task *study.Task) {
			task.Scenario = graph(toSecret)
			task.Inputs = []study.Input{sumOf(t, toSecret)}
		}),
		"in a variant": with(func(task *study.Task) {
			naming(task, secret)
			task.Scenario = json.RawMessage(strings.Replace(string(task.Scenario), "{", `{"compare": [{"name": "a", "set": {}}], `, 1))
		}),
		"another scenario": with(func(task *study.Task) {
			task.Scenario = json.RawMessage(strings.Replace(string(task.Scenario), "100Gbps", "200Gbps", 1))
		}),
		"another seed": with(func(task *study.Task) { task.Seed = 77 }),
		"another cell": with(func(task *study.Task) { task.Key = study.Key("p", strings.Repeat("0", 64), task.Seed) }),
	} {
		t.Run(name, func(t *testing.T) {
			f := run(task)
			if f == nil {
				t.Fatal("it is executed")
			}
			for _, leak := range []string{"hunter2", "no such file", "permission"} {
				if strings.Contains(f.Message, leak) {
					t.Errorf("it says %q", f.Message)
				}
			}
		})
	}
	// What a file names is an input, too.
	properties := write("good.properties", "scenario_topology_file=hosts.topology\nlink_bandwidth_bit_per_ns=10\nlink_delay_ns=20\n")
	text := strings.Replace(smallStudy, "{kind: star, hosts: 4, rate: 100Gbps}", "{kind: graph, file: "+properties+", hosts_per_switch: 2}", 1)
	nested := tasksOf(t, planOf(t, text, "p"))[0]
	if len(nested.Inputs) != 2 || nested.Inputs[1].Path != hosts {
		t.Fatalf("inputs: %+v", nested.Inputs)
	}
	if f := run(nested); f != nil {
		t.Errorf("a graph of netbench: %v", f)
	}
	// A prefix stands for the files of a trace, and for their content.
	do(t, os.Mkdir(filepath.Join(dir, "app"), 0o700))
	for rank := range 2 {
		write(fmt.Sprintf("app/t.%d.json", rank), `{"workload_graph": [{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 8000}]}`)
	}
	text = strings.Replace(withFile(good), "pattern: permutation, size: {cdf: "+good+"}", "pattern: {kind: trace, file: "+filepath.Join(dir, "app", "t")+"}", 1)
	prefixed := tasksOf(t, planOf(t, text, "p"))[0]
	if len(prefixed.Inputs) != 1 {
		t.Fatalf("inputs: %+v", prefixed.Inputs)
	}
	if f := run(prefixed); f != nil {
		t.Errorf("a prefix: %v", f)
	}
	write("app/t.1.json", `{"workload_graph": [{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 9000}]}`)
	if f := run(prefixed); f == nil || !strings.Contains(f.Message, "not among the inputs") {
		t.Errorf("a prefix with other content: %v", f)
	}
	// One worker runs an honest task after a forged one of the same cell.
	both := study.NewRunner(weft.Builtin(), "p")
	forged := with(func(task *study.Task) {
		task.Scenario = json.RawMessage(strings.Replace(string(task.Scenario), `"seed"`, `"about": "x", "seed"`, 1))
	})
	_, _ = both(t.Context(), forged, func(float64) {})
	if _, f := both(t.Context(), honest, func(float64) {}); f != nil {
		t.Error(f)
	}
}

func sumOf(t *testing.T, path string) study.Input {
	t.Helper()
	return study.Input{Path: path, SHA256: fmt.Sprintf("%x", sha256.Sum256(content(t, path)))}
}

// TestEditedManifestsAreRefused changes what a manifest says of its run, in an outcome and in the
// store of a study.
func TestEditedManifestsAreRefused(t *testing.T) {
	p := planOf(t, smallStudy, "p")
	list := tasksOf(t, p)
	packed, failure := study.NewRunner(weft.Builtin(), "p")(t.Context(), list[0], func(float64) {})
	if failure != nil {
		t.Fatal(failure)
	}
	edited := func(old, new string, edit func(*record.Result)) []byte {
		t.Helper()
		r, err := record.Unpack("x", packed)
		do(t, err)
		if old != "" {
			text := strings.ReplaceAll(string(r.Manifest.Scenario), old, new)
			if text == string(r.Manifest.Scenario) {
				t.Fatalf("no %s in %s", old, text)
			}
			r.Manifest.Scenario = json.RawMessage(text)
		}
		if edit != nil {
			edit(r)
		}
		var packer record.Packer
		out, err := packer.Pack(r)
		do(t, err)
		return out
	}
	for name, c := range map[string]struct {
		packed []byte
		says   string
	}{
		"as it was":         {packed, ""},
		"another release":   {edited(`"about":`, `"option of tomorrow": 3, "about":`, nil), ""},
		"another rate":      {edited("100Gbps", "200Gbps", nil), "its manifest has another scenario than cell"},
		"another seed":      {edited(fmt.Sprintf(`"seed":%d`, list[0].Seed), `"seed":77`, nil), "and its scenario seed 77"},
		"no scenario":       {edited("", "", func(r *record.Result) { r.Manifest.Scenario = json.RawMessage("[]") }), "no scenario that can be read"},
		"another hash":      {edited("", "", func(r *record.Result) { r.Manifest.Hashes.Result = strings.Repeat("0", 64) }), "different hashes of the result"},
		"another manifest":  {edited("", "", func(r *record.Result) { r.Manifest.Seed++ }), "the result of another run"},
		"another cell":      {edited("", "", func(r *record.Result) { r.Manifest.Study.Cell = p.Cells[1].Hash }), "the result of another run"},
		"without the study": {edited("", "", func(r *record.Result) { r.Manifest.Study = nil }), "names no run of a study"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "s")
			s, err := study.Create(dir, p)
			do(t, err)
			ends := func(o study.Outcome) (got error) {
				do(t, s.Execute(t.Context(), engineFunc(func(_ context.Context, _ []study.Task, w study.Watcher) error {
					got = w.Ended(o)
					return nil
				}), study.ExecuteOptions{}))
				return got
			}
			err = ends(study.Outcome{Key: list[0].Key, Result: c.packed})
			if c.says == "" {
				do(t, err)
			} else if !errors.Is(err, study.ErrNotResult) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			// The same in the store, where the index does not know it.
			dir = filepath.Join(t.TempDir(), "s")
			s, err = study.Create(dir, p)
			do(t, err)
			path := filepath.Join(dir, "runs", list[0].Key[:2], list[0].Key+".zip")
			do(t, os.MkdirAll(filepath.Dir(path), 0o777))
			do(t, os.WriteFile(path, c.packed, 0o666))
			do(t, ends(study.Outcome{Key: "none"}))
			if all, _ := s.Count(); all.Done != 1 && c.says == "" || all.Done != 0 && c.says != "" {
				t.Errorf("%+v", all)
			}
		})
	}
}
