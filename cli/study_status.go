package cli

import (
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"weft/internal/tabular"
	"weft/study"
)

func (p *program) studyPlan() *cobra.Command {
	var sets []string
	var out string
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Write the folder of a study for later shards, and run nothing",
		Long: `Write the plan of a study into its folder, or replace it there after an edit of the
file. Runs that are in both plans are kept. No part of the study may be running
meanwhile.`,
		Example: `  weft study plan study.yaml --out /shared/study
  weft study resume /shared/study --shard 0/4`,
		Args:              exactly("a scenario file"),
		ValidArgsFunction: argument(scenarioFiles),
		RunE: func(c *cobra.Command, args []string) error {
			plan, err := p.planStudy(args[0], sets)
			if err != nil {
				return err
			}
			if out == "" {
				out = filepath.Join("out", plan.Name)
			}
			if _, err := p.verifyPlan(c.Context(), plan); err != nil {
				return err
			}
			defer p.interrupts.hold()()
			s, err := study.Create(out, plan)
			if err != nil {
				return badInput(err)
			}
			return p.showStatus(s, false)
		},
	}
	addSets(c, &sets)
	c.Flags().StringVar(&out, "out", "", "folder of the study (default out/NAME, after the scenario)")
	return c
}

func (p *program) studyStatus() *cobra.Command {
	var byCell, asJSON bool
	c := &cobra.Command{
		Use:   "status DIR",
		Short: "Show how many runs of a study have ended, and who runs it",
		Example: `  weft study status out/uplink-faults
  weft study status out/uplink-faults --cells`,
		Args: exactly("the folder of a study"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := study.Open(args[0])
			if err != nil {
				return badInput(err)
			}
			p.notices(s.Warnings())
			if asJSON {
				return p.encodeStatus(s)
			}
			return p.showStatus(s, byCell)
		},
	}
	c.Flags().BoolVar(&byCell, "cells", false, "also count by cell")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, by cell")
	return c
}

// studyStatus is what weft study status --json prints.
type studyStatus struct {
	Name    string `json:"name"`
	Folder  string `json:"folder"`
	Program string `json:"program"`
	Plan    string `json:"plan"`
	study.Counts
	Cells []cellStatus `json:"cells"`
	// Executing are the processes that execute the study or shards of it.
	Executing []executing `json:"executing"`
}

type cellStatus struct {
	Name string `json:"name"`
	study.Counts
}

type executing struct {
	Process string `json:"process"`
	// Shard is as for --shard, empty if it is the whole study.
	Shard string `json:"shard,omitempty"`
}

func statusOf(s *study.Study) (studyStatus, error) {
	all, cells := s.Count()
	st := studyStatus{
		Name: s.Plan.Name, Folder: s.Dir, Program: s.Plan.Program, Plan: s.Plan.Hash(),
		Counts: all, Cells: []cellStatus{}, Executing: []executing{},
	}
	for i, c := range cells {
		st.Cells = append(st.Cells, cellStatus{s.Plan.Cells[i].Name, c})
	}
	holders, err := s.Holders()
	if err != nil {
		return st, err
	}
	for _, h := range holders {
		e := executing{Process: h.Process}
		if h.Shard.Of > 0 {
			e.Shard = fmt.Sprintf("%d/%d", h.Shard.Index, h.Shard.Of)
		}
		st.Executing = append(st.Executing, e)
	}
	return st, nil
}

func (p *program) encodeStatus(s *study.Study) error {
	st, err := statusOf(s)
	if err != nil {
		return err
	}
	return writeJSON(p.stdout, st)
}

// showStatus writes the status for people.
func (p *program) showStatus(s *study.Study, byCell bool) error {
	st, err := statusOf(s)
	if err != nil {
		return err
	}
	if byCell {
		rows := [][]string{{"cell", "runs", "done", "stuck", "failed", "dead", "missing"}}
		for _, c := range st.Cells {
			rows = append(rows, []string{
				c.Name, strconv.Itoa(c.Runs), strconv.Itoa(c.Done), strconv.Itoa(c.Partial),
				strconv.Itoa(c.Failed), strconv.Itoa(c.Dead), strconv.Itoa(c.Missing),
			})
		}
		if err := tabular.Write(p.stdout, rows, 1, 0); err != nil {
			return err
		}
	}
	fmt.Fprintf(p.stdout, "%s: %s\nplan %s, program %s\n", st.Name, countsText(st.Counts), st.Plan, st.Program)
	for _, e := range st.Executing {
		what := "all of it"
		if e.Shard != "" {
			what = "shard " + e.Shard
		}
		fmt.Fprintf(p.stdout, "%s executes %s\n", e.Process, what)
	}
	return nil
}

// countsText sums up counts in a line.
func countsText(c study.Counts) string {
	text := fmt.Sprintf("%d of %d done", c.Done, c.Runs)
	for _, part := range []struct {
		n    int
		what string
	}{{c.Partial, "stuck"}, {c.Failed, "failed"}, {c.Dead, "dead, to be repeated"}, {c.Missing, "missing"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text
}
