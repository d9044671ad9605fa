package slurm

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"text/template"
	"time"

	"mvdan.cc/sh/v3/shell"
	"mvdan.cc/sh/v3/syntax"
)

// Job describes the job of a script.
type Job struct {
	// Study is the name of the study. Dir is its folder, Logs the folder of logs, and
	// Program the executable. All paths are absolute.
	Study, Dir, Logs, Program string
	// Plan is the hash of the plan that tasks must find in the folder.
	Plan string
	// Split lists the tasks. With Connect, Workers is the number of tasks instead.
	Split Split
	// Retry makes tasks repeat runs that failed.
	Retry bool

	// Connect is the URL of a NATS server. The tasks are then its workers. Workers is the
	// number of tasks; Arguments are further arguments of the workers.
	Connect   string
	Workers   int
	Arguments []string

	Resources
}

// Tasks counts the tasks of the job.
func (j Job) Tasks() int {
	if j.Connect != "" {
		return j.Workers
	}
	return len(j.Split.Tasks)
}

// Resources are the resources requested from the cluster. Empty fields use the cluster's
// defaults.
type Resources struct {
	Partition, Account, QOS string
	// Time limits each task, in a format of sbatch.
	Time string
	// CPUs is per task, at least 1. Memory is per node, as in 4G.
	CPUs   int
	Memory string
	// AtOnce limits the number of tasks that run at a time; 0 means no limit.
	AtOnce int
	// Extra holds further options of sbatch, as in a shell.
	Extra string
}

// grace is how long before its time limit a task is asked to stop. Slurm checks once a
// minute.
const grace = time.Minute

// leastTime is the shortest time limit that leaves a task time to do something.
const leastTime = 3 * time.Minute

var (
	name   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.,:+/@=-]*$`)
	memory = regexp.MustCompile(`^[0-9]+[KMGT]?$`)
	// dayTime and clockTime match the formats of sbatch's --time.
	dayTime   = regexp.MustCompile(`^([0-9]+)-([0-9]+)(?::([0-9]+)(?::([0-9]+))?)?$`)
	clockTime = regexp.MustCompile(`^(?:(?:([0-9]+):)?([0-9]+):([0-9]+)|([0-9]+))$`)
)

// Validate finds values that sbatch would refuse or misread. Errors begin with the flag of
// weft study submit.
func (r *Resources) Validate() error {
	var errs []error
	for _, f := range []struct{ flag, value string }{{"partition", r.Partition}, {"account", r.Account}, {"qos", r.QOS}} {
		if f.value != "" && !name.MatchString(f.value) {
			errs = append(errs, fmt.Errorf("--%s %q: not a valid name in Slurm", f.flag, f.value))
		}
	}
	if r.Time != "" {
		if limit, err := parseTime(r.Time); err != nil {
			errs = append(errs, fmt.Errorf("--time %w", err))
		} else if limit < leastTime {
			errs = append(errs, fmt.Errorf("--time %s: tasks stop a minute before their limit, so it must be at least %v", r.Time, leastTime))
		}
	}
	if r.Memory != "" && !memory.MatchString(r.Memory) {
		errs = append(errs, fmt.Errorf("--mem %q: write a whole number and K, M, G or T, as in 4G", r.Memory))
	}
	if r.CPUs < 1 {
		errs = append(errs, fmt.Errorf("--cpus-per-task %d: must be at least 1", r.CPUs))
	}
	if r.AtOnce < 0 {
		errs = append(errs, fmt.Errorf("--at-once %d: must not be negative", r.AtOnce))
	}
	if _, err := r.extra(); err != nil {
		errs = append(errs, fmt.Errorf("--sbatch %w", err))
	}
	return errors.Join(errs...)
}

// forever stands for no time limit.
const forever = time.Duration(1<<63 - 1)

// parseTime parses a time limit: minutes, minutes:seconds, hours:minutes:seconds,
// days-hours, days-hours:minutes, days-hours:minutes:seconds, or UNLIMITED.
func parseTime(text string) (time.Duration, error) {
	switch strings.ToUpper(text) {
	case "UNLIMITED", "INFINITE":
		return forever, nil
	}
	var days, hours, minutes, seconds string
	if m := dayTime.FindStringSubmatch(text); m != nil {
		days, hours, minutes, seconds = m[1], m[2], m[3], m[4]
	} else if m := clockTime.FindStringSubmatch(text); m != nil {
		hours, minutes, seconds = m[1], m[2]+m[4], m[3]
	} else {
		return 0, fmt.Errorf("%q: write minutes, hours:minutes:seconds or days-hours:minutes:seconds, as in 30, 2:00:00 or 1-12:00:00", text)
	}
	var sum time.Duration
	for _, p := range []struct {
		text string
		unit time.Duration
	}{{days, 24 * time.Hour}, {hours, time.Hour}, {minutes, time.Minute}, {seconds, time.Second}} {
		if p.text == "" {
			continue
		}
		n, err := strconv.ParseInt(p.text, 10, 32)
		if err != nil || n > 100_000 {
			return 0, fmt.Errorf("%q: too long; UNLIMITED has no limit", text)
		}
		sum += time.Duration(n) * p.unit
	}
	return sum, nil
}

// ours lists the options that the script sets itself.
var ours = []string{"--array", "-a", "--output", "-o", "--signal", "--wrap", "--wait", "-W", "--parsable", "--ntasks", "-n", "--nodes", "-N"}

// extra splits the further options into words, and expands $VARIABLES.
func (r *Resources) extra() ([]string, error) {
	words, err := shell.Fields(r.Extra, nil)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", r.Extra, err)
	}
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		return nil, fmt.Errorf("%q: does not begin with an option; as in --sbatch '--constraint=skylake --exclusive'", r.Extra)
	}
	for _, w := range words {
		option, _, _ := strings.Cut(w, "=")
		for _, o := range ours {
			if option == o || len(o) == 2 && strings.HasPrefix(w, o) && !strings.HasPrefix(w, "--") {
				return nil, fmt.Errorf("%q: weft study submit sets %s itself; see its flags", r.Extra, o)
			}
		}
		if _, err := directive(w); err != nil {
			return nil, err
		}
	}
	return words, nil
}

// directive quotes a word for a line of #SBATCH, where shell quoting does not apply.
func directive(word string) (string, error) {
	for _, r := range word {
		if r < ' ' || r == '"' || r == '\\' || r == 0x7f {
			return "", fmt.Errorf("%q: Slurm's scripts cannot have control characters, \\ or \" in an option", word)
		}
	}
	if strings.ContainsAny(word, " '#") {
		return `"` + word + `"`, nil
	}
	return word, nil
}

//go:embed job.sh.tmpl
var scriptText string

// Script returns the job's script.
func Script(j Job) ([]byte, error) {
	if err := j.Validate(); err != nil {
		return nil, err
	}
	array := arrayOf(j.Split.Tasks)
	if j.Connect != "" {
		array = fmt.Sprintf("0-%d", j.Workers-1)
	}
	if j.AtOnce > 0 {
		array += "%" + strconv.Itoa(j.AtOnce)
	}
	extra, err := j.extra()
	if err != nil {
		return nil, err
	}
	directives := []string{
		"--job-name=weft-" + comment(j.Study), "--array=" + array,
		"--output=" + strings.ReplaceAll(j.Logs, "%", "%%") + "/%A_%a.log",
		"--open-mode=append", "--requeue", "--nodes=1", "--ntasks=1",
		"--cpus-per-task=" + strconv.Itoa(j.CPUs),
		fmt.Sprintf("--signal=B:TERM@%d", int(grace.Seconds())),
	}
	for _, f := range []struct{ option, value string }{
		{"partition", j.Partition}, {"account", j.Account}, {"qos", j.QOS}, {"time", j.Time}, {"mem", j.Memory},
	} {
		if f.value != "" {
			directives = append(directives, "--"+f.option+"="+f.value)
		}
	}
	for i, d := range directives {
		if directives[i], err = directive(d); err != nil {
			return nil, err
		}
	}
	for i, w := range extra {
		if extra[i], err = directive(w); err != nil {
			return nil, err
		}
	}
	if len(extra) > 0 {
		directives = append(directives, strings.Join(extra, " "))
	}
	t, err := template.New("job.sh").Funcs(template.FuncMap{"quote": Quote, "comment": comment}).Parse(scriptText)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, struct {
		Job
		Directives []string
		Last       int
	}{j, directives, j.Split.Shards - 1})
	return b.Bytes(), err
}

// comment makes text harmless in a comment or the name of a job.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '"' || r == '\\' || r == 0x7f {
			return '_'
		}
		return r
	}, text)
}

// Quote quotes a word for the shell.
func Quote(word string) (string, error) { return syntax.Quote(word, syntax.LangBash) }
