package cli

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"weft/record"
	"weft/report/page"
)

func (p *program) report() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "report DIR...",
		Short: "Write one HTML file that shows runs, comparisons or studies",
		Long: `Write a report of the results in the folders: one HTML file that holds its data
and the libraries that draw it, and needs neither network nor server. It begins
with which variant is best, where, by how much and how sure. Several folders are
shown side by side, in a report.html of the working folder. A study need not be
complete.`,
		Example: `  weft report out/slow-uplink
  weft report out/before out/after --out compared.html`,
		Args: atLeast("a folder of results"),
		RunE: func(_ *cobra.Command, dirs []string) error {
			here := out == "" && len(dirs) > 1
			switch {
			case out != "":
			case here: // the first folder has a report of its own
				out = record.ReportFile
			default:
				out = filepath.Join(dirs[0], record.ReportFile)
			}
			r, err := p.gather(dirs)
			if err != nil {
				return badInput(err)
			}
			if err := writeFile(out, func(w io.Writer) error { return page.Write(w, r) }); err != nil {
				return err
			}
			if here {
				place, err := filepath.Abs(out)
				if err != nil {
					return err
				}
				p.notices([]string{fmt.Sprintf("the report of several folders is in %s; --out writes it elsewhere", place)})
			}
			_, err = fmt.Fprintln(p.stdout, out)
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default report.html in the folder, or here if there are several)")
	return c
}

// writeReport writes the report of a folder into it and returns its path.
func (p *program) writeReport(dir string) (string, error) {
	r, err := p.gather([]string{dir})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, record.ReportFile)
	return path, writeFile(path, func(w io.Writer) error { return page.Write(w, r) })
}
