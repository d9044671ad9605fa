package slurm

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

func TestParseID(t *testing.T) {
	for out, want := range map[string]ID{
		"4711\n":             {4711, ""},
		"4711":               {4711, ""},
		"4711;north-2.hpc\n": {4711, "north-2.hpc"},
	} {
		if got, err := parseID(out); err != nil || got != want {
			t.Errorf("parseID(%q) = %v, %v; want %v", out, got, err, want)
		}
	}
	for _, out := range []string{
		"", "\n", "0\n", "-1\n", "4711 \n", "4711;\n", "4711;a b\n", "4711;a;b\n", "Submitted batch job 4711\n",
		"welcome\n4711\n", "4711\n4712\n", "99999999999999999999\n",
	} {
		if got, err := parseID(out); err == nil {
			t.Errorf("parseID(%q) = %v, and should be an error", out, got)
		}
	}
}

func TestParseLimits(t *testing.T) {
	const config = "Configuration data as of 2026-01-01T00:00:00\nMaxArraySize            = 1001\nMaxDBDMsgs = 20004\n"
	for out, want := range map[string]int{
		config: 1001,
		config + "SchedulerParameters     = sched_interval=2,max_array_tasks=200\n":   200,
		config + "SchedulerParameters     = max_array_tasks=20000,sched_interval=2\n": 1001,
		"SchedulerParameters = (null)\nMaxArraySize = 0\n":                            0,
	} {
		if got, err := parseLimits(out); err != nil || got.Tasks != want {
			t.Errorf("parseLimits(%q) = %v, %v; want %d", out, got, err, want)
		}
	}
	for _, out := range []string{"", "MaxArraySize = many\n", "MaxArraySize = -1\n", config + "SchedulerParameters = max_array_tasks=x\n"} {
		if got, err := parseLimits(out); err == nil {
			t.Errorf("parseLimits(%q) = %v, and should be an error", out, got)
		}
	}
}

func TestParseQueue(t *testing.T) {
	id := ID{Job: 12}
	for out, want := range map[string]Queue{
		"": {},
		"12_0|COMPLETED|None\n12_1|FAILED|NonZeroExitCode\n": {},
		"12_0|RUNNING|None\n12_1|COMPLETING|None\n":          {Running: 2},
		"12|PENDING|Resources\n":                             {Pending: 1, Reasons: []string{"Resources"}},
		"12_3|PENDING|Priority\n12_4|PENDING|Dependency, or so\n12_5|PENDING|Priority\n12_0|RUNNING|None\n": {
			Pending: 3, Running: 1, Reasons: []string{"Priority", "Dependency, or so"},
		},
	} {
		if got, err := parseQueue(out, id); err != nil || !cmp.Equal(got, want) {
			t.Errorf("parseQueue(%q) = %+v, %v; want %+v", out, got, err, want)
		}
	}
	for _, out := range []string{"12_0|RUNNING\n", "13_0|RUNNING|None\n", "12_[0-3]|PENDING|None\n", "12_0|DANCING|None\n", "CLUSTER: north\n"} {
		if got, err := parseQueue(out, id); err == nil {
			t.Errorf("parseQueue(%q) = %+v, and should be an error", out, got)
		}
	}
	if q, err := parseQueue("CLUSTER: north\n12_0|RUNNING|None\n", ID{12, "north"}); err != nil || q.Running != 1 {
		t.Errorf("of another cluster: %+v, %v", q, err)
	}
}

func TestParseEnds(t *testing.T) {
	got, err := parseEnds("12_0|COMPLETED\n12_1|CANCELLED by 1000\n12_2|TIMEOUT\n12_3|TIMEOUT\n12_4|RUNNING\n", ID{Job: 12})
	want := map[string]int{"COMPLETED": 1, "CANCELLED": 1, "TIMEOUT": 2}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if got, err := parseEnds("Slurm accounting storage is disabled\n", ID{Job: 12}); err == nil {
		t.Errorf("got %v from a message", got)
	}
}

func TestArrayOf(t *testing.T) {
	for _, c := range []struct {
		tasks []int
		want  string
	}{{[]int{0}, "0"}, {[]int{0, 1}, "0-1"}, {[]int{7, 0, 1, 2, 5, 8}, "0-2,5,7-8"}} {
		if got := arrayOf(c.tasks); got != c.want {
			t.Errorf("arrayOf(%v) = %s, want %s", c.tasks, got, c.want)
		}
	}
}

// rotating is how studies assign runs to shards.
func rotating(place, n int) int { return (place + place/n) % n }

func TestSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 500).Draw(t, "total")
		perTask := rapid.IntRange(1, 60).Draw(t, "per task")
		most := rapid.IntRange(1, 40).Draw(t, "most")
		var places []int
		// What is missing: everything, or what some shards of a job left.
		before := rapid.IntRange(1, 30).Draw(t, "before")
		left := rapid.SliceOfNDistinct(rapid.IntRange(0, before-1), 1, before, rapid.ID[int]).Draw(t, "left")
		for i := range total {
			if slices.Contains(left, rotating(i, before)) {
				places = append(places, i)
			}
		}
		s := SplitEvenly(places, rotating, perTask, most)
		if s.Shards < 1 || s.Shards > most || len(s.Tasks) > s.Shards {
			t.Fatalf("%d tasks of %d shards where %d are allowed", len(s.Tasks), s.Shards, most)
		}
		counts := map[int]int{}
		for _, p := range places {
			counts[rotating(p, s.Shards)]++
		}
		if !slices.Equal(slices.Sorted(maps.Keys(counts)), s.Tasks) {
			t.Fatalf("the tasks %v are not the shards with runs %v", s.Tasks, counts)
		}
		for _, n := range counts {
			if n > s.Most {
				t.Fatalf("a task has %d runs, and %d are said to be the most", n, s.Most)
			}
		}
		if len(places) == total && s.Shards < most && s.Most > perTask {
			t.Fatalf("a task of a whole study has %d runs instead of %d", s.Most, perTask)
		}
	})
}

// TestSplitSpreadsWhatIsLeft: two of twenty tasks were lost; what they left must not
// become a single task.
func TestSplitSpreadsWhatIsLeft(t *testing.T) {
	modulo := func(place, n int) int { return place % n }
	var places []int
	for i := range 1000 {
		if i%20 == 3 || i%20 == 7 {
			places = append(places, i)
		}
	}
	if s := SplitEvenly(places, modulo, 50, 1000); s.Most > 63 || len(s.Tasks) < 2 {
		t.Errorf("100 runs of which a task should have 50 became %+v", s)
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30": 30 * time.Minute, "5:30": 5*time.Minute + 30*time.Second, "2:00:00": 2 * time.Hour,
		"1-12": 36 * time.Hour, "1-12:30": 36*time.Hour + 30*time.Minute, "1-00:00:05": 24*time.Hour + 5*time.Second,
		"UNLIMITED": forever, "infinite": forever,
	} {
		if got, err := parseTime(text); err != nil || got != want {
			t.Errorf("parseTime(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "2h", "1:2:3:4", "-5", "1-", "a-5", "1-2-3", "99999999999", "5 "} {
		if got, err := parseTime(text); err == nil {
			t.Errorf("parseTime(%q) = %v, and should be an error", text, got)
		}
	}
}

func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{"30", "2:00:00", "1-12:30:00", "UNLIMITED", "1-", ":"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if d, err := parseTime(text); err == nil && d < 0 {
			t.Errorf("%q is %v", text, d)
		}
	})
}

// FuzzAnswers: whatever commands print is understood or an error.
func FuzzAnswers(f *testing.F) {
	f.Add("4711;north\n")
	f.Add("12_0|PENDING|Resources\nCLUSTER: x\n")
	f.Add("MaxArraySize = 1001\nSchedulerParameters = max_array_tasks=3")
	f.Add("12_1|CANCELLED by 0")
	f.Add(`{"job":3,"tasks":1}`)
	f.Fuzz(func(t *testing.T, out string) {
		if id, err := parseID(out); err == nil && id.Job == 0 {
			t.Errorf("job 0 from %q", out)
		}
		if l, err := parseLimits(out); err == nil && l.Tasks < 0 {
			t.Errorf("%d tasks from %q", l.Tasks, out)
		}
		if q, err := parseQueue(out, ID{12, "x"}); err == nil && (q.Pending < 0 || q.Running < 0) {
			t.Errorf("%v from %q", q, out)
		}
		_, _ = parseEnds(out, ID{Job: 12})
		_, _ = parseJobs([]byte(out))
	})
}

func job() Job {
	return Job{
		Study: "small", Dir: "/shared/small", Logs: "/shared/small/slurm", Program: "/shared/small/slurm/program-1/weft",
		Plan: "0123456789abcdef", Split: Split{Shards: 4, Tasks: []int{0, 1, 3}, Most: 3}, Resources: Resources{CPUs: 2},
	}
}

// TestScriptIsShell parses scripts as bash does, and holds hostile names to being
// words.
func TestScriptIsShell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab $`'\"\\;|&()#!*%\n\té")), 1, 20, -1)
		j := job()
		j.Study = text.Draw(t, "study")
		j.Dir = "/" + text.Draw(t, "folder")
		j.Program = j.Dir + "/weft"
		j.Logs = "/logs"
		if rapid.Bool().Draw(t, "connect") {
			j.Connect, j.Workers, j.Arguments = text.Draw(t, "url"), 2, []string{"--creds", j.Dir}
		}
		script, err := Script(j)
		if err != nil {
			t.Fatalf("%v", err)
		}
		f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(string(script)), "job.sh")
		if err != nil {
			t.Fatalf("%v\n%s", err, script)
		}
		// set, :, weft=, study=, if, echo, exec
		want := 7
		if j.Connect != "" {
			want = 6
		}
		if len(f.Stmts) != want {
			t.Fatalf("the script has %d statements, not %d:\n%s", len(f.Stmts), want, script)
		}
	})
}

func TestScriptRefuses(t *testing.T) {
	for what, change := range map[string]func(*Job){
		"a folder of logs with a quote":      func(j *Job) { j.Logs = `/a"b` },
		"a folder of logs with a line break": func(j *Job) { j.Logs = "/a\nb" },
		"no processor":                       func(j *Job) { j.CPUs = 0 },
		"a partition of two words":           func(j *Job) { j.Partition = "a b" },
		"an account that is an option":       func(j *Job) { j.Account = "-x" },
		"a time in words":                    func(j *Job) { j.Time = "soon" },
		"a time that leaves none":            func(j *Job) { j.Time = "1:30" },
		"half a byte":                        func(j *Job) { j.Memory = "0.5G" },
		"a limit below none":                 func(j *Job) { j.AtOnce = -1 },
		"an open quote":                      func(j *Job) { j.Extra = `--comment="a` },
		"a substitution":                     func(j *Job) { j.Extra = "--comment=$(reboot)" },
		"no option":                          func(j *Job) { j.Extra = "script.sh" },
		"an array of one's own":              func(j *Job) { j.Extra = "--exclusive -a0-9" },
		"a signal of one's own":              func(j *Job) { j.Extra = "--signal=USR1" },
		"a line break":                       func(j *Job) { j.Extra = "--comment='a\n#SBATCH --wrap=b'" },
	} {
		j := job()
		change(&j)
		if script, err := Script(j); err == nil {
			t.Errorf("%s is accepted:\n%s", what, script)
		}
	}
}

func TestScriptSays(t *testing.T) {
	j := job()
	j.Logs = "/shared/100% sure/slurm"
	j.Retry = true
	j.AtOnce = 5
	j.Extra = `-C skylake --comment='for you'`
	script, err := Script(j)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"#SBATCH --array=0-1,3%5\n",
		"#SBATCH \"--output=/shared/100%% sure/slurm/%A_%a.log\"\n",
		"#SBATCH -C skylake \"--comment=for you\"\n",
		"--shard \"$SLURM_ARRAY_TASK_ID/4\"",
		"--plan 0123456789abcdef ",
		"--retry-failed\n",
	} {
		if !strings.Contains(string(script), want) {
			t.Errorf("the script lacks %q:\n%s", want, script)
		}
	}
}

func TestNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if err := Installed(); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Installed: %v", err)
	}
	if _, err := Submit(t.Context(), "job.sh"); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("Submit: %v", err)
	}
	if l, err := ReadLimits(t.Context()); !errors.Is(err, ErrNotInstalled) || l.Tasks != standardTasks {
		t.Errorf("ReadLimits: %v, %v", l, err)
	}
}

func TestPassing(t *testing.T) {
	for text, want := range map[string]bool{
		"sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)":       true,
		"slurm_load_jobs error: Socket timed out on send/recv operation":                                         true,
		"sbatch: error: invalid partition specified: nope":                                                       false,
		"sbatch: error: Batch job submission failed: Invalid account or account/partition combination specified": false,
	} {
		if got := (&CommandError{Text: text}).Passing(); got != want {
			t.Errorf("%q: passing %v, want %v", text, got, want)
		}
	}
}

func TestFolder(t *testing.T) {
	f, err := FolderOf(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	executable := filepath.Join(t.TempDir(), "weft")
	if err := os.WriteFile(executable, []byte("one"), 0o700); err != nil {
		t.Fatal(err)
	}
	install := func() string {
		t.Helper()
		content, err := Content(executable)
		if err != nil {
			t.Fatal(err)
		}
		place := f.Program(content, "weft")
		if err := f.Install(executable, place); err != nil {
			t.Fatal(err)
		}
		return place
	}
	first := install()
	if err := os.WriteFile(executable, []byte("two"), 0o700); err != nil {
		t.Fatal(err)
	}
	second := install()
	if text, err := os.ReadFile(first); err != nil || string(text) != "one" {
		t.Errorf("the copy for the first job is now %q, %v", text, err)
	}
	if info, err := os.Stat(second); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("the copy cannot be executed: %v, %v", info, err)
	}
	if err := f.RemovePrograms(second); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(first); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first copy is still there: %v", err)
	}
	if _, err := os.Stat(second); err != nil {
		t.Error(err)
	}

	want := []Submitted{
		{ID: ID{7, "north"}, Plan: "x", Tasks: 3, Runs: 9, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{ID: ID{Job: 8}, Tasks: 1, At: time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)},
	}
	for _, s := range want {
		if err := f.Note(s); err != nil {
			t.Fatal(err)
		}
	}
	got, err := f.Jobs()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
