package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/config"
	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/scenario"
	"weft/study"
	"weft/study/remote"
)

func (p *program) study() *cobra.Command {
	c := &cobra.Command{
		Use:   "study",
		Short: "Run a scenario's whole matrix, on one machine or many",
		Long: `A study is every combination of the axes under matrix: in a scenario file, with
every variant of compare: and every seed. Its folder keeps each finished run under a
hash of scenario, seed and program. A run is never repeated. After an edit, only the
runs that it changes are repeated. An interrupted study always continues where it
stopped.`,
		Example: `  weft study run scenarios/studies/uplink-faults.yaml
  weft study resume out/uplink-faults
  weft study table out/uplink-faults --csv > table.csv`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.studyRun(), p.studyResume(), p.studyTable(), p.studyGather(), p.studyStatus(), p.studyPlan(), p.studySubmit())
	return c
}

// studyFlags are the flags of the commands that execute runs.
type studyFlags struct {
	engineFlags
	sets   []string
	out    string
	shard  string
	where  []string
	plan   string
	retry  bool
	json   bool
	dry    bool
	report bool
	around func(ended int) string // shown beside how the study fares; or nil
	again  string                 // how to go on with what is missing, if not by weft study resume
}

// goOn says how to go on with a study.
func (f *studyFlags) goOn(s *study.Study) string {
	if f.again != "" {
		return f.again
	}
	if f.url != "" {
		hint := fmt.Sprintf("continue with weft-queue study resume %s --engine %s", shellWord(s.Dir), shellWord(remote.WithoutSecrets(f.url)))
		if remote.HasSecrets(f.url) {
			hint += ", and the secret that is in its URL"
		}
		return hint
	}
	return "continue with weft study resume " + shellWord(s.Dir)
}

func (f *studyFlags) add(c *cobra.Command) {
	f.engineFlags.add(c)
	c.Flags().BoolVar(&f.retry, "retry-failed", false, "also repeat failed runs")
	f.addWhere(c)
	c.Flags().StringVar(&f.shard, "shard", "", "execute only part i of n equal parts, as in 0/4; weft study gather collects them")
	c.Flags().BoolVar(&f.json, "json", false, "print the table as JSON, and nothing else on standard output")
	c.Flags().BoolVar(&f.report, "report", true, "write the report and figures at the end")
}

// addWhere adds the flag that chooses runs.
func (f *studyFlags) addWhere(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.where, "where", nil, "execute only runs that match: labels of an axis, as in variant=ARCANE,OPS, or seed=3 (repeatable)")
}

func (p *program) studyRun() *cobra.Command {
	var flags studyFlags
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run a study, or the part of it that is missing",
		Long: `Run every combination of the scenario's axes, variants and seeds that the study's
folder does not have yet, one run per core. Table, report and figures show all runs
that have ended, also after an interruption.

The exit code is 0 if every run has a complete result, 1 if some failed or got
stuck, 2 if the scenario or a flag is wrong, and 130 if it was interrupted.`,
		Example: `  weft study run scenarios/studies/uplink-faults.yaml
  weft study run study.yaml --set traffic.flows.size=1MiB --out out/small
  weft-queue study run study.yaml --engine nats://head-node:4222 --creds study.creds
  weft study run study.yaml --out /shared/study --shard 0/4
  weft study run study.yaml --where variant=ARCANE,OPS --where seed=1`,
		Args:              exactly("a scenario file"),
		ValidArgsFunction: argument(scenarioFiles),
		RunE: func(c *cobra.Command, args []string) error {
			if _, err := flags.parseShard(); err != nil {
				return err
			}
			if err := p.checkEngine(flags.engineFlags); err != nil {
				return badInput(err)
			}
			plan, err := p.planStudy(args[0], flags.sets)
			if err != nil {
				return err
			}
			part, err := flags.part(plan)
			if err != nil {
				return err
			}
			if _, err := p.verifyPlan(c.Context(), plan); err != nil {
				return err
			}
			if flags.dry {
				return p.showPlan(plan, part)
			}
			if flags.out == "" {
				flags.out = filepath.Join("out", plan.Name)
			}
			defer p.interrupts.hold()()
			var s *study.Study
			if part.Shard.Of > 0 {
				s, err = study.Join(flags.out, plan, part.Shard)
			} else {
				s, err = study.Create(flags.out, plan)
			}
			if err != nil {
				return badInput(err)
			}
			return p.executeStudy(c.Context(), s, part, flags)
		},
	}
	addSets(c, &flags.sets)
	flags.add(c)
	c.Flags().StringVar(&flags.out, "out", "", "folder of the study (default out/NAME, after the scenario)")
	c.Flags().BoolVar(&flags.dry, "dry-run", false, "list the cells and run nothing")
	return c
}

func (p *program) studyResume() *cobra.Command {
	var flags studyFlags
	c := &cobra.Command{
		Use:   "resume DIR",
		Short: "Continue a study that was interrupted",
		Args:  exactly("the folder of a study"),
		RunE: func(c *cobra.Command, args []string) error {
			shard, err := flags.parseShard()
			if err != nil {
				return err
			}
			if err := p.checkEngine(flags.engineFlags); err != nil {
				return badInput(err)
			}
			s, err := p.reload(args[0], shard, flags.plan)
			if err != nil {
				return err
			}
			part, err := flags.part(s.Plan)
			if err != nil {
				return err
			}
			return p.executeStudy(c.Context(), s, part, flags)
		},
	}
	flags.add(c)
	c.Flags().StringVar(&flags.plan, "plan", "", "do nothing unless the folder holds this plan (see weft study status); jobs use it")
	return c
}

// planStudy reads a scenario file and plans its study.
func (p *program) planStudy(path string, sets []string) (*study.Plan, error) {
	if err := readAgain(path); err != nil {
		return nil, err
	}
	text, err := userfile.Read(path, config.MaxText)
	if err != nil {
		text = nil // Load tells what is wrong
	}
	f, err := scenario.Load(path, p.reg, sets)
	if err != nil {
		return nil, err
	}
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	f.Path = absolute(path)
	plan, err := study.NewPlan(f, text, sets, identity)
	if err != nil {
		return nil, err
	}
	p.notices(plan.Notices)
	return plan, nil
}

// parseShard reads --shard.
func (f *studyFlags) parseShard() (study.Shard, error) {
	if f.shard == "" {
		return study.Shard{}, nil
	}
	shard, err := study.ParseShard(f.shard)
	if err != nil {
		return shard, badInput(fmt.Errorf("--shard %w", err))
	}
	return shard, nil
}

// part reads --shard and --where.
func (f *studyFlags) part(p *study.Plan) (study.Part, error) {
	shard, err := f.parseShard()
	if err != nil {
		return study.Part{}, err
	}
	where, err := p.Where(f.where)
	return study.Part{Shard: shard, Where: where}, badInput(err)
}

// reload opens a study to execute more of it, or of a shard of it. If a plan is
// given the study must have that.
func (p *program) reload(dir string, shard study.Shard, plan string) (*study.Study, error) {
	s, err := study.OpenShard(dir, shard)
	if err != nil {
		return nil, badInput(err)
	}
	if has := s.Plan.Hash(); plan != "" && plan != has {
		return nil, badInput(fmt.Errorf("%s: holds plan %s, not %s: the study was changed after this part was submitted; submit it again", dir, has, plan))
	}
	identity, err := study.Program()
	if err != nil {
		return nil, err
	}
	return s, badInput(s.Reload(p.reg, identity))
}

// showPlan lists what a study, or a part of it, would run.
func (p *program) showPlan(plan *study.Plan, part study.Part) error {
	runs := plan.In(part)
	shown := map[int]bool{}
	for _, r := range runs {
		if shown[r.Cell] {
			continue
		}
		shown[r.Cell] = true
		if _, err := fmt.Fprintln(p.stdout, plan.Cells[r.Cell].Name); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(p.stdout, product(plan, len(runs)))
	return err
}

// product says how many runs of a plan are meant: all, cells times seeds, or some.
func product(plan *study.Plan, runs int) string {
	cells := fmt.Sprintf("%s × %s", readable.Count(len(plan.Cells), "cell"), readable.Count(len(plan.Seeds), "seed"))
	if all := len(plan.Cells) * len(plan.Seeds); runs < all {
		return fmt.Sprintf("%d of %d runs (%s)", runs, all, cells)
	}
	return fmt.Sprintf("%s = %s", cells, readable.Count(runs, "run"))
}
