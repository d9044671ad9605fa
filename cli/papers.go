package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"weft/internal/nearest"
	"weft/papers"
)

func (p *program) papers() *cobra.Command {
	c := &cobra.Command{
		Use:   "papers",
		Short: "Run a paper's experiments and check which of its claims are reproduced",
		Long: `A ledger records a paper's claims as data: studies that run its experiments, and
checks that decide each claim. weft comes with ledgers of published papers. For your
own, name its folder with --dir.`,
		Example: `  weft papers list arcane
  weft papers run arcane fig3 --scale quick
  weft papers check arcane`,
		Args: noSuchCommand,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(p.papersList(), p.papersRun(), p.papersCheck(), p.papersPage(), p.papersValidate(), p.papersPublish(), p.papersReadings())
	return c
}

// ledgerFlags say where a ledger is read.
type ledgerFlags struct {
	dir string
}

func (f *ledgerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.dir, "dir", "", "folder of your own ledger, instead of one that comes with weft")
}

// whose writes the ledger as an argument of a command.
func (f *ledgerFlags) whose(name string) string {
	if f.dir != "" {
		return "--dir " + shellWord(f.dir)
	}
	return name
}

// ledger opens a ledger by its name, or that of --dir. Embedded ones are unpacked
// below into; if that is empty, for as long as the command runs, which ends with
// the function that is returned.
func (p *program) ledger(f ledgerFlags, name, into string) (l *papers.Ledger, done func(), err error) {
	done = func() {}
	dir := f.dir
	if dir == "" {
		if into == "" {
			if into, err = os.MkdirTemp("", "weft-papers-"); err != nil {
				return nil, done, err
			}
			done = p.interrupts.atEnd(func() { _ = os.RemoveAll(into) })
		}
		if dir, err = p.library.Extract(name, into); err != nil {
			done()
			if errors.As(err, new(*fs.PathError)) {
				err = fmt.Errorf("%w; choose another folder with --out, or another TMPDIR where nothing is run", err)
			}
			return nil, func() {}, badInput(err)
		}
	}
	l, err = papers.Load(dir)
	if err == nil && f.dir != "" && name != "" && name != l.Name {
		err = badInput(fmt.Errorf("the ledger in %s is called %s, not %s like its folder", f.dir, l.Name, name))
	}
	if err != nil {
		done()
		return nil, func() {}, err
	}
	return l, done, nil
}

// paperName takes the name of the paper from arguments; --dir makes up for it.
func paperName(f ledgerFlags, args []string) (name string, rest []string, err error) {
	switch {
	case len(args) > 0 && (f.dir == "" || args[0] == folderName(f.dir)):
		return args[0], args[1:], nil
	case f.dir != "":
		return folderName(f.dir), args, nil
	}
	return "", nil, badInput(errors.New("name a paper; weft papers list shows the papers"))
}

func folderName(dir string) string {
	return filepath.Base(absolute(dir))
}

// chosenStudies finds the studies that arguments name, by id or by figure; all that
// run at the scale if there are none. Passed says why others that they name are not
// among them. List is the command that shows all.
func chosenStudies(l *papers.Ledger, names []string, scale, list string) (chosen []*papers.Study, passed []string, err error) {
	used := make([]bool, len(names))
	for i := range l.Studies {
		s := &l.Studies[i]
		named := false
		for j, name := range names {
			if name == s.ID || s.Figure != "" && name == "fig"+s.Figure {
				used[j], named = true, true
			}
		}
		switch {
		case s.Runs(scale):
			if named || len(names) == 0 {
				chosen = append(chosen, s)
			}
		case named && s.Scenario == "" && s.Analyze == nil:
			passed = append(passed, s.ID+" is drawn without runs, by weft papers page; there is nothing to run for it")
		case named:
			passed = append(passed, fmt.Sprintf("%s is not run at scale %s", s.ID, scale))
		}
	}
	if j := slices.Index(used, false); j >= 0 {
		return nil, nil, badInput(fmt.Errorf("%s has no study %q; %s", l.Name, names[j], nearOrListed(names[j], l.StudyIDs(), list)))
	}
	return chosen, passed, nil
}

// list writes the command that lists the studies and claims of a ledger.
func (f *ledgerFlags) list(name string) string { return "weft papers list " + f.whose(name) }

// nearOrListed offers the name that a wrong word may have meant, and how to see all.
func nearOrListed(word string, names []string, list string) string {
	text := list + " shows them"
	if near, ok := nearest.Name(word, names); ok {
		return fmt.Sprintf("did you mean %q? %s", near, text)
	}
	return text
}
