package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/papers/page"
)

func (p *program) papersPage() *cobra.Command {
	var flags scaleFlags
	var docs string
	c := &cobra.Command{
		Use:   "page PAPER",
		Short: "Write a page about a paper's claims, with figures",
		Long: `Write what was found of a paper's claims as a page in Markdown: verdicts by
section, contradictions side by side, explanations, and our figure for each of the
paper's. The same results give the same page.`,
		Example: `  weft papers page arcane --scale full
  weft papers page --dir my-paper --docs my-paper`,
		RunE: func(c *cobra.Command, args []string) error {
			l, rest, done, err := p.begin(&flags, args, false)
			if err != nil {
				return err
			}
			defer done()
			if len(rest) > 0 {
				return badInput(fmt.Errorf("a page is of a whole paper, not of %s", strings.Join(rest, ", ")))
			}
			e, err := p.evaluator(l, &flags, false)
			if err != nil {
				return err
			}
			link := "images/" + l.Name
			o := page.Options{Images: filepath.Join(docs, filepath.FromSlash(link)), Link: link, Ledger: flags.whose(l.Name)}
			const guide = "../papers.md"
			if _, err := os.Stat(filepath.Join(docs, filepath.FromSlash(guide))); err == nil {
				o.Guide = guide
			}
			if err := os.MkdirAll(docs, 0o777); err != nil {
				return badInput(fmt.Errorf("%s: cannot write a page there: %w", docs, err))
			}
			file := filepath.Join(docs, l.Name+".md")
			err = writeFile(file, func(w io.Writer) error {
				notices, err := page.Write(c.Context(), w, e, o)
				p.notices(notices)
				return err
			})
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(p.stdout, "page: %s\n", file); err != nil {
				return err
			}
			return e.Problems().Err()
		},
	}
	flags.add(c)
	c.Flags().StringVar(&docs, "docs", filepath.Join("docs", "papers"), "folder of the page; its figures go to images/ and the paper's name below it")
	return c
}
