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
		Short: "Write an HTML report of runs, comparisons or studies",
		Long: `Write one HTML file that shows the results in the folders. It holds its data and the
libraries that draw it, so it needs neither network nor server. It begins with the
best variant, by how much and how sure.

Several folders are shown side by side; their report is report.html in the working
folder. A study may be incomplete. Progress shows on a terminal.`,
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
				p.notices([]string{fmt.Sprintf("the report of several folders is in %s; --out writes it elsewhere", absolute(out))})
			}
			_, err = fmt.Fprintln(p.stdout, out)
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default report.html in the folder; in the working folder for several)")
	return c
}

// writeReport writes the report of a folder into it and returns its path.
func (p *program) writeReport(dir string) (string, error) {
	r, err := p.gather([]string{dir})
	if err != nil {
		return "", err
	}
	return writePage(dir, r)
}

// writePage writes a report into a folder and returns its path.
func writePage(dir string, r *page.Report) (string, error) {
	path := filepath.Join(dir, record.ReportFile)
	return path, writeFile(path, func(w io.Writer) error { return page.Write(w, r) })
}
