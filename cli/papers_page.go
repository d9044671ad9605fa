package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/papers"
	"weft/papers/page"
	"weft/unit"
)

func (p *program) papersPage() *cobra.Command {
	var flags scaleFlags
	var docs string
	var replace, figures, details bool
	c := &cobra.Command{
		Use:   "page PAPER",
		Short: "Write a page about a paper's claims, with figures",
		Long: `Write a page in Markdown about a paper, for its readers: three sentences, a figure of
the paper's numbers beside weft's, the main table, and what is not reproduced and why.
With --details the page has every claim, explanation, table and figure.

The same results give the same page. A page of another scale, or one that lacks fewer
claims, is replaced only with --replace. Where nothing was run, a note says so.`,
		Example: `  weft papers page arcane --scale full --published --docs mine
  weft papers page sird --published --prefer full --details
  weft papers page --dir my-paper --docs my-paper`,
		ValidArgsFunction: argument(p.paperNames),
		RunE: func(c *cobra.Command, args []string) error {
			l, rest, done, err := p.begin(&flags, args, false)
			if err != nil {
				return err
			}
			defer done()
			if len(rest) > 0 {
				return badInput(fmt.Errorf("a page covers a whole paper, not %s", strings.Join(rest, ", ")))
			}
			e, err := p.evaluator(l, &flags, false)
			if err != nil {
				return err
			}
			if details && !c.Flags().Changed("docs") {
				docs = filepath.Join("out", "papers", "pages")
			}
			link := "images/" + l.Name
			o := page.Options{Link: link, Ledger: flags.whose(l.Name), Details: details}
			if figures {
				o.Images = filepath.Join(docs, filepath.FromSlash(link))
			}
			const guide = "../papers.md"
			if _, err := os.Stat(filepath.Join(docs, filepath.FromSlash(guide))); err == nil {
				o.Guide = guide
			}
			if err := os.MkdirAll(docs, 0o777); err != nil {
				return badInput(fmt.Errorf("%s: cannot write a page there (%w); choose another folder with --docs", docs, err))
			}
			file := filepath.Join(docs, l.Name+".md")
			o.Accept = func(r *papers.Result) error {
				if r.Empty() {
					p.notices([]string{fmt.Sprintf("nothing of %s was run at scale %s in %s, so the page has no verdicts; run it with weft papers run %s --scale %s, or add --published for what comes with the ledger",
						r.Paper, r.Scale, e.Out, flags.whose(l.Name), r.Scale)})
				}
				if replace {
					return nil
				}
				return keepBetter(file, r)
			}
			if !details {
				first, err := e.Evaluate(c.Context())
				if err != nil {
					return err
				}
				if o.Readings, err = readingsOf(c.Context(), p, l, first, &flags); err != nil {
					return err
				}
			}
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
	flags.addPublished(c)
	flags.addPrefer(c)
	c.Flags().BoolVar(&replace, "replace", false, "replace a page of another scale, or that lacks fewer claims")
	c.Flags().BoolVar(&figures, "figures", true, "draw the figures; without, the page links to those that are there")
	c.Flags().BoolVar(&details, "details", false, "write every claim, explanation, table and figure; into out/papers/pages unless --docs is given")
	c.Flags().StringVar(&docs, "docs", filepath.Join("docs", "papers"), "folder of the page; its figures go to images/PAPER below it")
	return c
}

// maxPage is how large a page about a paper is at most.
const maxPage = 64 * unit.MiB

// keepBetter refuses to replace a page that has more than a result, or is of another scale.
func keepBetter(file string, r *papers.Result) error {
	text, err := userfile.Read(file, maxPage)
	if err != nil {
		return nil // nothing is replaced, or writing will tell what is wrong
	}
	scale, missing, ok := page.Shown(text)
	if !ok || scale == r.Scale && missing >= r.Missing() {
		return nil
	}
	return badInput(fmt.Errorf("the page there is of scale %s and lacks %s; this one would be of scale %s and lack %d. Write it elsewhere with --docs, as in --docs %s, or overwrite it with --replace",
		scale, readable.Count(missing, "claim"), r.Scale, r.Missing(), shellWord(filepath.Join("out", "papers"))))
}
