package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/internal/printable"
	"weft/internal/readable"
	"weft/record"
	"weft/report"
	"weft/study"
)

// executeStudy runs what is missing of a part of a study, and shows all that has ended.
func (p *program) executeStudy(ctx context.Context, s *study.Study, part study.Part, flags studyFlags) error {
	defer p.interrupts.hold()()
	if _, err := p.executeRuns(ctx, s, part, flags, s.Plan); err != nil {
		return err
	}
	if ctx.Err() != nil && !s.Begun() {
		return interruptedf(" before a run has ended, so there is nothing to show; %s", flags.goOn(s))
	}
	if part.Shard.Of > 0 {
		fmt.Fprintf(p.stderr, "shard %s: %s missing; weft study gather %s collects all shards\n", flags.shard, readable.Count(s.Missing(part), "run"), s.Dir)
		return p.studyVerdict(ctx, s, part, flags)
	}
	if ctx.Err() != nil {
		flags.report = false // who interrupts does not want to wait for figures
	}
	if err := p.showStudy(s, flags); err != nil {
		return err
	}
	return p.studyVerdict(ctx, s, part, flags)
}

// executeRuns runs what is missing of a part of a study, and shows how that fares; shown
// is the plan by the name that people read. Now is how many runs ended.
func (p *program) executeRuns(ctx context.Context, s *study.Study, part study.Part, flags studyFlags, shown *study.Plan) (now int, err error) {
	engine, err := p.engine(s, part.Shard, flags.engineFlags)
	if err != nil {
		return 0, badInput(err)
	}
	view := newLive(p.stderr, shown, part)
	view.around = flags.around
	showing, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		view.show(showing)
	}()
	err = s.Execute(ctx, engine, study.ExecuteOptions{Part: part, Retry: flags.retry, Watch: view, Planned: view.planned})
	stop()
	<-ended
	if errors.Is(err, study.ErrBusy) {
		return 0, badInput(err)
	}
	if err != nil && ctx.Err() == nil {
		return 0, p.connecting(fmt.Errorf("%w\nfinished runs are kept; %s", err, flags.goOn(s)))
	}
	return view.ended(), nil
}

// showStudy writes the table, and the report and figures.
func (p *program) showStudy(s *study.Study, flags studyFlags) error {
	for _, a := range s.Alike() {
		p.notices([]string{sameResult(a.Levels)})
	}
	t := s.Table()
	if flags.json {
		return writeJSON(p.stdout, t)
	}
	if err := p.writeStudyTable(t, s.Dir, nil, false); err != nil {
		return err
	}
	if !flags.report {
		_, err := fmt.Fprintf(p.stdout, "\nresults in %s; weft report %[1]s writes the report\n", s.Dir)
		return err
	}
	// Figures and report show the same runs, which are read once.
	var sizes report.StudySizes
	progress, done := p.share("reading results")
	gathered := gatherStudy(s, &sizes, progress)
	done()
	folder := filepath.Join(s.Dir, record.FiguresFolder)
	drawn, err := report.StudyFigures(t, folder, report.StudyOptions{Sizes: &sizes})
	if err != nil {
		return fmt.Errorf("the results are in %s, but cannot be drawn: %w", s.Dir, err)
	}
	p.notices(drawn.Notices)
	p.notices(gathered.told)
	page, err := writePage(s.Dir, gathered.Report)
	if err != nil {
		return fmt.Errorf("the results are in %s, but the report cannot be written: %w", s.Dir, err)
	}
	fmt.Fprintf(p.stdout, "\nresults in %s\n", s.Dir)
	if len(drawn.Files) > 0 {
		fmt.Fprintf(p.stdout, "%s in %s\n", figuresText(drawn.Files), folder)
	}
	_, err = fmt.Fprintf(p.stdout, "report: %s\n", page)
	return err
}

// studyVerdict tells what is missing or failed of a part of a study. That runs are missing
// which were not asked for is no failure.
func (p *program) studyVerdict(ctx context.Context, s *study.Study, part study.Part, flags studyFlags) error {
	missing, failed := s.Missing(part), s.Failures(part)
	if len(flags.where) > 0 {
		if n := s.Missing(study.Part{Shard: part.Shard}) - missing; n > 0 {
			p.notices([]string{fmt.Sprintf("%s missing because of --where", readable.Count(n, "run"))})
		}
	}
	var errs []error
	const shown = 5
	for i, e := range failed {
		if i == shown {
			errs = append(errs, fmt.Errorf("and %d more; weft runs %s --status partial,failed,dead lists them", len(failed)-shown, s.Dir))
			break
		}
		errs = append(errs, fmt.Errorf("%s, seed %d: %s: %s", e.Name, e.Seed, e.Status, printable.First(e.Message)))
	}
	switch {
	case ctx.Err() != nil:
		errs = append(errs, interruptedf(" with %s missing; %s", readable.Count(missing, "run"), flags.goOn(s)))
	case missing > 0:
		errs = append(errs, fmt.Errorf("%s missing; %s", readable.Count(missing, "run"), flags.goOn(s)))
	}
	return errors.Join(errs...)
}

func (p *program) studyGather() *cobra.Command {
	return &cobra.Command{
		Use:   "gather DIR",
		Short: "Collect the results of all shards into the study, and write its report",
		Args:  exactly("the folder of a study"),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := study.Open(args[0])
			if err != nil {
				return badInput(err)
			}
			return p.collectStudy(c.Context(), s)
		},
	}
}

// collectStudy collects what shards have added, and shows all.
func (p *program) collectStudy(ctx context.Context, s *study.Study) error {
	defer p.interrupts.hold()()
	if _, err := s.Gather(); err != nil {
		return err
	}
	p.notices(s.Warnings())
	if err := p.showStudy(s, studyFlags{report: true}); err != nil {
		return err
	}
	return p.studyVerdict(ctx, s, study.Part{}, studyFlags{})
}
