package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"weft/study"
	"weft/study/remote"
	"weft/study/slurm"
)

// submitFlags are the flags of weft study submit.
type submitFlags struct {
	slurm       bool
	sets        []string
	out         string
	shards      int
	runsPerTask int
	connect     string
	auth        remote.Auth
	tasks       int
	retry       bool
	dry         bool
	wait        bool
	force       bool
	poll        time.Duration
	resources   slurm.Resources
}

const (
	// goodChunk is about how long a task should take: Slurm begins a few a second,
	// and much longer ones are many runs to repeat when a node is lost.
	goodChunk = 10 * time.Minute
	// standardChunk is how many runs a task has for each processor while it is not
	// known how long they take.
	standardChunk = 32
	// standardWorkers is how many tasks with workers there are.
	standardWorkers = 4
)

func (p *program) studySubmit() *cobra.Command {
	var f submitFlags
	c := &cobra.Command{
		Use:   "submit --slurm FILE|DIR",
		Short: "Submit a study, or the part of it that is missing, as an array job of Slurm",
		Long: `Write DIR/slurm/job.sh, an array job whose tasks each execute a shard of the study's
missing runs, and submit it. Given a study's folder instead of a file, submit what is
missing there. Submitting again is always safe: only missing runs are executed. The
folder must be on a file system that all nodes share.

A task should take minutes, since Slurm starts only a few per second. Once runs of the
study have ended, a task gets as many runs as take about 10 minutes; before that, 32
per processor of the task. --runs-per-task and --shards override this. The cluster's
limit on tasks always applies.

With --connect the tasks are workers of a NATS server, and weft-queue study resume DIR
--engine URL hands them the runs.`,
		Example: `  weft study submit --slurm study.yaml --out /shared/study --partition short --time 2:00:00
  weft study submit --slurm /shared/study --wait
  weft study submit --slurm study.yaml --cpus-per-task 8 --mem 16G --sbatch '--constraint=skylake --exclusive'
  weft-queue study submit --slurm study.yaml --connect nats://head-node:4222 --tasks 20 --cpus-per-task 16
  weft study submit --slurm study.yaml --dry-run`,
		Args: exactly("a scenario file or the folder of a study"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := f.check(c.Flags().Changed); err != nil {
				return badInput(err)
			}
			if f.connect != "" && p.queue == nil {
				return badInput(p.noQueue("--connect"))
			}
			return p.submit(c.Context(), args[0], &f)
		},
	}
	addSets(c, &f.sets)
	flags := c.Flags()
	flags.BoolVar(&f.slurm, "slurm", false, "submit to Slurm, the only supported system")
	flags.StringVar(&f.out, "out", "", "folder of the study (default out/NAME, after the scenario)")
	flags.IntVar(&f.shards, "shards", 0, "split the study into this many tasks")
	flags.IntVar(&f.runsPerTask, "runs-per-task", 0, "approximate number of runs per task")
	flags.StringVar(&f.connect, "connect", "", "URL of a NATS server; the tasks become its workers; needs weft-queue")
	addAuth(c, &f.auth)
	flags.IntVar(&f.tasks, "tasks", standardWorkers, "with --connect: number of tasks with workers, each with --cpus-per-task of them")
	flags.BoolVar(&f.retry, "retry-failed", false, "also repeat failed runs")
	flags.BoolVar(&f.dry, "dry-run", false, "print script and command; write and submit nothing")
	flags.BoolVar(&f.wait, "wait", false, "wait for the job, show its progress, then gather the study")
	flags.DurationVar(&f.poll, "poll", 10*time.Second, "polling interval of --wait")
	flags.BoolVar(&f.force, "force", false, "submit even if an earlier job of the study has not ended")
	r := &f.resources
	flags.StringVarP(&r.Partition, "partition", "p", "", "partition")
	flags.StringVarP(&r.Account, "account", "A", "", "account")
	flags.StringVarP(&r.QOS, "qos", "q", "", "quality of service")
	flags.StringVarP(&r.Time, "time", "t", "", "time limit of each task, as in 30 or 2:00:00; tasks stop cleanly a minute before")
	flags.IntVarP(&r.CPUs, "cpus-per-task", "c", 1, "processors per task, and its parallel runs")
	flags.StringVar(&r.Memory, "mem", "", "memory per task, as in 8G")
	flags.IntVar(&r.AtOnce, "at-once", 0, "run at most this many tasks at a time")
	flags.StringVar(&r.Extra, "sbatch", "", "more options of sbatch, in one argument")
	c.MarkFlagsMutuallyExclusive("shards", "runs-per-task")
	c.MarkFlagsMutuallyExclusive("dry-run", "wait")
	return c
}

// check finds flags that are wrong or do not go together.
func (f *submitFlags) check(given func(string) bool) error {
	switch {
	case !f.slurm:
		return errors.New("add --slurm, the only system that studies can be submitted to")
	case given("shards") && f.shards < 1, given("runs-per-task") && f.runsPerTask < 1, f.tasks < 1, f.poll <= 0:
		return errors.New("--shards, --runs-per-task, --tasks and --poll must be positive")
	}
	if f.connect == "" {
		for _, name := range []string{"tasks", "token-file", "creds", "nkey", "tls-ca", "tls-cert", "tls-key"} {
			if given(name) {
				return fmt.Errorf("--%s is for --connect", name)
			}
		}
	} else {
		if remote.HasSecrets(f.connect) {
			return errors.New("--connect: the job script would contain the secret in the URL; use --token-file, --creds or --nkey, or set NATS_TOKEN, or NATS_USER and NATS_PASSWORD, which sbatch passes on to the tasks")
		}
		for _, name := range []string{"shards", "runs-per-task", "retry-failed", "wait"} {
			if given(name) {
				return fmt.Errorf("--%s does not work with --connect: workers run what weft-queue study resume --engine hands out", name)
			}
		}
	}
	return f.resources.Validate()
}

// submission is what is about to be submitted.
type submission struct {
	*submitFlags
	study  *study.Study // nil if only its plan is there yet
	plan   *study.Plan
	dir    string // absolute
	folder slurm.Folder
	// places are those of the runs to execute.
	places []int
	job    slurm.Job
}

func (p *program) submit(ctx context.Context, arg string, f *submitFlags) error {
	if !f.dry {
		if err := slurm.Installed(); err != nil {
			return badInput(fmt.Errorf("%w: submit studies where Slurm's commands are, as on a login node; --dry-run prints the script anywhere", err))
		}
	}
	s, err := p.prepare(ctx, arg, f)
	if err != nil {
		return err
	}
	if len(s.places) == 0 && f.connect == "" {
		if f.wait {
			return p.collectStudy(ctx, s.study)
		}
		_, err := fmt.Fprintf(p.stdout, "nothing is missing; weft study gather %s\n", shellWord(s.dir))
		return err
	}
	defer p.interrupts.hold()()
	if !f.dry {
		if err := p.alone(ctx, s); err != nil {
			return err
		}
	}
	limits, err := slurm.ReadLimits(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		p.notices([]string{fmt.Sprintf("assuming Slurm's default for the largest number of tasks, %d: %s", limits.Tasks, firstLine(err))})
	}
	if limits.Tasks < 1 {
		return badInput(errors.New("this cluster allows no array jobs: its MaxArraySize is 0"))
	}
	p.split(s, limits.Tasks)
	return p.send(ctx, s)
}

// prepare plans the study, and unless that is a rehearsal makes its folder.
func (p *program) prepare(ctx context.Context, arg string, f *submitFlags) (*submission, error) {
	s := &submission{submitFlags: f}
	if info, err := os.Stat(arg); err == nil && info.IsDir() {
		if len(f.sets) > 0 || f.out != "" {
			return nil, badInput(fmt.Errorf("%s is a folder: --set and --out are for a scenario file", arg))
		}
		if s.study, err = p.reload(arg, study.Shard{}, ""); err != nil {
			return nil, err
		}
		s.plan = s.study.Plan
	} else {
		if s.plan, err = p.planStudy(arg, f.sets); err != nil {
			return nil, err
		}
		if _, err := p.verifyPlan(ctx, s.plan); err != nil {
			return nil, err
		}
		if f.out == "" {
			f.out = filepath.Join("out", s.plan.Name)
		}
		arg = f.out
		if err := p.openPlanned(s, arg); err != nil {
			return nil, err
		}
	}
	var err error
	s.dir = absolute(arg)
	if s.folder, err = slurm.FolderOf(s.dir); err != nil {
		return nil, err
	}
	if s.study != nil {
		s.places = s.study.Remaining(f.retry)
	} else {
		for i := range s.plan.Runs() {
			s.places = append(s.places, i)
		}
	}
	return s, nil
}

// openPlanned opens the study in a folder if it is there, with the plan that it is to
// have. The folder itself is written when it is known that the job can be submitted.
func (p *program) openPlanned(s *submission, dir string) error {
	if !study.IsStudy(dir) {
		return badInput(study.Vacant(dir))
	}
	var err error
	s.study, err = study.OpenAs(dir, s.plan)
	return badInput(err)
}

// alone makes sure that nobody else executes the study.
func (p *program) alone(ctx context.Context, s *submission) error {
	if s.study == nil || s.force {
		return nil
	}
	jobs, err := s.folder.Jobs()
	if err != nil {
		return badInput(fmt.Errorf("%s: %w", s.folder.Dir, err))
	}
	for _, j := range jobs {
		q, err := slurm.ReadQueue(ctx, j.ID)
		if err != nil {
			return fmt.Errorf("cannot find out whether job %s of this study has ended (--force submits nevertheless): %w", j.ID, err)
		}
		if !q.Over() {
			return badInput(fmt.Errorf("%s: job %s of this study has not ended: %s. Wait for it, end it with scancel %[2]s, or submit nevertheless with --force", s.dir, j.ID, q))
		}
	}
	holders, err := s.study.Holders()
	if err != nil {
		return err
	}
	if len(holders) > 0 && s.connect == "" {
		return badInput(fmt.Errorf("%s: process %s is executing this study; weft study status shows how far it is; wait until it has finished, or submit nevertheless with --force", s.dir, holders[0].Process))
	}
	return nil
}

// split decides which task executes what.
func (p *program) split(s *submission, most int) {
	if s.connect != "" {
		if s.tasks > most {
			p.notices([]string{fmt.Sprintf("the cluster allows arrays of %d tasks; --tasks %d is reduced to that", most, s.tasks)})
			s.tasks = most
		}
		return
	}
	if s.shards > 0 {
		if s.shards > most {
			p.notices([]string{fmt.Sprintf("the cluster allows arrays of %d tasks; --shards %d is reduced to that", most, s.shards)})
		}
		s.job.Split = slurm.SplitInto(s.places, study.ShardOf, min(s.shards, most))
		return
	}
	perTask := s.runsPerTask
	if perTask == 0 {
		perTask = standardChunk * s.resources.CPUs
		if mean := s.meanTook(); mean > 0 {
			perTask = max(1, int(goodChunk*time.Duration(s.resources.CPUs)/mean))
		}
	}
	s.job.Split = slurm.SplitEvenly(s.places, study.ShardOf, perTask, most)
	if len(s.places) > perTask*most {
		p.notices([]string{fmt.Sprintf("the cluster allows arrays of %d tasks: they get up to %d runs each instead of %d", most, s.job.Split.Most, perTask)})
	}
}

// firstLine is what an error of another program says before it goes on about why.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (s *submission) meanTook() time.Duration {
	if s.study == nil {
		return 0
	}
	return s.study.MeanTook()
}
