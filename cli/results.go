package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/report"
)

func (p *program) figures() *cobra.Command {
	var formats []string
	c := &cobra.Command{
		Use:   "figures DIR",
		Short: "Draw the results in a folder: port timelines, completion times, runtimes",
		Args:  exactly("a folder of results"),
		RunE: func(_ *cobra.Command, args []string) error {
			drawn, err := report.Figures(args[0], report.Options{Formats: formats})
			if err != nil {
				return badInput(err)
			}
			p.notices(drawn.Notices)
			for _, file := range drawn.Files {
				fmt.Fprintln(p.stdout, file)
			}
			return nil
		},
	}
	c.Flags().StringSliceVar(&formats, "format", nil, "formats among png, svg and pdf (default all)")
	return c
}

func (p *program) diff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff RUN RUN",
		Short: "Find the first difference between two results",
		Long: `Find the first difference between the results in two folders: two runs, or two
comparisons, of which variants of the same name are compared. The exit code is 0
if the results are the same and 1 if they differ.`,
		Args: exactly("a folder of results", "another"),
		RunE: func(_ *cobra.Command, args []string) error {
			pairs, err := pairRuns(args[0], args[1])
			if err != nil {
				return badInput(err)
			}
			differ := false
			for _, pair := range pairs {
				d, err := p.diffRuns(pair)
				if err != nil {
					return badInput(err)
				}
				differ = differ || d
			}
			if differ {
				return &exit{code: failed}
			}
			return nil
		},
	}
}

// runPair is the folders of two runs; Name is the variant's, if there are several.
type runPair struct{ name, a, b string }

// pairRuns finds the runs to compare in two folders.
func pairRuns(a, b string) ([]runPair, error) {
	as, err := record.Variants(a)
	if err != nil {
		return nil, err
	}
	bs, err := record.Variants(b)
	if err != nil {
		return nil, err
	}
	if len(as) == 1 && len(bs) == 1 {
		return []runPair{{a: as[0].Folder, b: bs[0].Folder}}, nil
	}
	folders := map[string]string{}
	var names []string
	for _, v := range bs {
		folders[v.Name] = v.Folder
		names = append(names, v.Name)
	}
	var pairs []runPair
	for _, v := range as {
		folder, ok := folders[v.Name]
		if !ok {
			return nil, fmt.Errorf("%s has no variant %q, which %s has; its variants: %s", b, v.Name, a, strings.Join(names, ", "))
		}
		delete(folders, v.Name)
		pairs = append(pairs, runPair{v.Name, v.Folder, folder})
	}
	for _, v := range bs {
		if _, left := folders[v.Name]; left {
			return nil, fmt.Errorf("%s has no variant %q, which %s has", a, v.Name, b)
		}
	}
	return pairs, nil
}

// diffRuns shows how two runs differ and tells whether they do.
func (p *program) diffRuns(pair runPair) (bool, error) {
	a, err := record.ReadFolder(pair.a)
	if err != nil {
		return false, err
	}
	b, err := record.ReadFolder(pair.b)
	if err != nil {
		return false, err
	}
	label := ""
	if pair.name != "" {
		label = pair.name + ": "
	}
	d := record.Diff(a, b)
	if d == nil {
		_, err = fmt.Fprintf(p.stdout, "%sthe same result, %s\n", label, a.Manifest.Hashes.Result)
		return false, err
	}
	_, err = fmt.Fprintf(p.stdout, "%s%v", label, d)
	return true, err
}
