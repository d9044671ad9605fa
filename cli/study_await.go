package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"weft/internal/readable"
	"weft/study/slurm"
)

// await waits until no task of a job is left, showing how the study fares, and
// gathers it.
func (p *program) await(ctx context.Context, s *submission, id slurm.ID) error {
	view := &awaitView{program: p, onTerminal: isTerminal(p.stderr)}
	for {
		q, err := slurm.ReadQueue(ctx, id)
		var failed *slurm.CommandError
		switch {
		case ctx.Err() != nil:
		case errors.As(err, &failed) && failed.Passing():
			view.say("Slurm does not answer, trying again: " + failed.Error())
		case err != nil:
			return fmt.Errorf("job %s is still running, but its state is unknown; weft study gather %s collects it: %w", id, shellWord(s.dir), err)
		default:
			if err := s.study.Refresh(); err != nil {
				return err
			}
			all, _ := s.study.Count()
			view.say(fmt.Sprintf("%s: %s; tasks: %s", s.plan.Name, countsText(all), q))
			if q.Over() {
				view.end()
				p.notices(p.ends(ctx, s, id))
				return p.collectStudy(ctx, s.study)
			}
		}
		select {
		case <-ctx.Done():
			view.end()
			return fmt.Errorf("no longer waiting; job %s is still running: weft study status %[2]s shows its progress, weft study gather %[2]s collects it, scancel %[1]s ends it", id, shellWord(s.dir))
		case <-time.After(s.poll):
		}
	}
}

// ends tells of tasks that did not end well, as far as the cluster keeps accounts.
func (p *program) ends(ctx context.Context, s *submission, id slurm.ID) []string {
	remedies := map[string]string{
		"TIMEOUT":       "raise --time, or lower --runs-per-task",
		"OUT_OF_MEMORY": "raise --mem",
		"FAILED":        "their logs are " + s.folder.Logs(id),
		"NODE_FAIL":     "submit again",
		"PREEMPTED":     "submit again",
	}
	counts, err := slurm.Ends(ctx, id)
	if err != nil {
		// Many clusters keep none. What counts is what the store has.
		return nil
	}
	var list []string
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		if state == "COMPLETED" {
			continue
		}
		text := fmt.Sprintf("%s ended as %s", readable.Count(counts[state], "task"), state)
		if r := remedies[state]; r != "" {
			text += "; " + r
		}
		list = append(list, text)
	}
	return list
}

// awaitView shows a line that is painted over on a terminal, and where there is none
// is written when it changes, if not too often.
type awaitView struct {
	*program
	onTerminal bool
	shown      string
	at         time.Time
}

func (v *awaitView) say(line string) {
	switch {
	case v.onTerminal:
		repaintLine(v.stderr, clip(line, 120))
	case line != v.shown && time.Since(v.at) >= sayEvery:
		fmt.Fprintln(v.stderr, strings.TrimSpace(line))
		v.at = time.Now()
	default:
		return
	}
	v.shown = line
}

func (v *awaitView) end() {
	if v.onTerminal && v.shown != "" {
		fmt.Fprintln(v.stderr)
	}
}
