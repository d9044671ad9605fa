package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"weft/internal/readable"
	"weft/study"
	"weft/study/slurm"
)

// send writes what the job needs, submits it, and says how to go on.
func (p *program) send(ctx context.Context, s *submission) error {
	executable, err := os.Executable()
	if err != nil {
		return fmt.Errorf("this program cannot find its own executable, which jobs need: %w", err)
	}
	content, isHash := strings.CutPrefix(s.plan.Program, "exe-")
	if !isHash {
		// Releases whose results are the same are not the same program.
		if content, err = slurm.Content(executable); err != nil {
			return err
		}
	}
	place := s.folder.Program(content, filepath.Base(os.Args[0]))
	j := &s.job
	j.Study, j.Dir, j.Logs, j.Program, j.Plan = s.plan.Name, s.dir, s.folder.Dir, place, s.plan.Hash()
	j.Retry, j.Resources = s.retry, s.resources
	j.Connect, j.Workers = s.connect, s.tasks
	for _, a := range []struct{ flag, path string }{
		{"--token-file", s.auth.TokenFile}, {"--creds", s.auth.Creds}, {"--nkey", s.auth.NKey}, {"--tls-ca", s.auth.CA}, {"--tls-cert", s.auth.Cert}, {"--tls-key", s.auth.Key},
	} {
		if a.path == "" {
			continue
		}
		j.Arguments = append(j.Arguments, a.flag, absolute(a.path))
	}
	script, err := slurm.Script(*j)
	if err != nil {
		return badInput(err)
	}
	if s.dry {
		_, err := fmt.Fprintf(p.stdout, "%s\n# %s\n# would be submitted by:\nsbatch --parsable %s\n", script, s.extent(), shellWord(s.folder.Script()))
		return err
	}
	if s.study, err = study.Create(s.dir, s.plan); err != nil {
		return badInput(err)
	}
	if err := s.folder.Install(executable, place); err != nil {
		return fmt.Errorf("copying the program for the job: %w", err)
	}
	if err := s.folder.WriteScript(script); err != nil {
		return err
	}
	id, err := slurm.Submit(ctx, s.folder.Script())
	if err != nil {
		return p.refused(s, err)
	}
	note := slurm.Submitted{ID: id, Tasks: j.Tasks(), Runs: len(s.places), At: time.Now().UTC().Truncate(time.Second)}
	if s.connect == "" {
		note.Plan = j.Plan
	} else {
		note.Runs = 0
	}
	if err := s.folder.Note(note); err != nil {
		p.notices([]string{fmt.Sprintf("job %s is submitted, but its number cannot be saved: %v", id, err)})
	}
	if !s.force {
		// Only copies that no job waits for.
		if err := s.folder.RemovePrograms(place); err != nil {
			p.notices([]string{fmt.Sprintf("old copies of the program remain: %v", err)})
		}
	}
	return p.submitted(ctx, s, id)
}

// refused words an error of sbatch's.
func (p *program) refused(s *submission, err error) error {
	var e *slurm.CommandError
	if !errors.As(err, &e) {
		return err
	}
	if e.Passing() {
		return fmt.Errorf("no answer from Slurm; submit again later:\n%w", err)
	}
	return badInput(fmt.Errorf("sbatch refuses the job; change the flags and submit again (sinfo lists partitions; the script is %s):\n%w", s.folder.Script(), err))
}

// extent says how much is submitted.
func (s *submission) extent() string {
	if s.connect != "" {
		return fmt.Sprintf("%s with %s each", readable.Count(s.tasks, "task"), readable.Count(s.resources.CPUs, "worker"))
	}
	text := fmt.Sprintf("%s in %s of up to %s", readable.Count(len(s.places), "run"), readable.Count(len(s.job.Split.Tasks), "task"), readable.Count(s.job.Split.Most, "run"))
	if mean := s.meanTook(); mean > 0 {
		text += fmt.Sprintf(", about %s each", clock(mean*time.Duration(s.job.Split.Most)/time.Duration(s.resources.CPUs)))
	}
	return text
}

// submitted says how to go on, or waits.
func (p *program) submitted(ctx context.Context, s *submission, id slurm.ID) error {
	fmt.Fprintf(p.stdout, "job %s submitted: %s\n", id, s.extent())
	dir := shellWord(s.dir)
	if s.wait {
		return p.await(ctx, s, id)
	}
	command := func(words ...string) {
		fmt.Fprintf(p.stdout, "  %s\n", strings.Join(words, " "))
	}
	cluster := ""
	if id.Cluster != "" {
		cluster = " -M " + id.Cluster
	}
	if s.connect != "" {
		token := ""
		if s.auth.TokenFile != "" {
			token = " --token-file " + shellWord(s.auth.TokenFile)
		}
		command("weft-queue study resume", dir, "--engine", shellWord(s.connect)+token, "   # hands out the runs")
		command("squeue -j", id.String()+cluster, "   # progress of the workers")
		command("scancel", id.String()+cluster, "   # when the study is done")
		return nil
	}
	command("weft study status", dir, "   # progress of the study")
	command("squeue -j", id.String()+cluster, "   # state of its tasks")
	command("weft study gather", dir, "   # when it is done: table and report")
	command("weft study submit --slurm", dir, "   # submits what is still missing")
	return nil
}

// shellWord quotes a word that people may paste into a shell.
func shellWord(word string) string {
	q, err := slurm.Quote(word)
	if err != nil {
		return word
	}
	return q
}
