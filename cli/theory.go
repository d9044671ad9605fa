package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/catalog"
	"weft/papers/page"
	"weft/report"
)

func (p *program) theory() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "theory",
		Short: "Evaluate closed forms and models without packets, and draw papers' figures",
		Long: `Evaluate closed forms and Monte-Carlo models of load balancing, losses, buffers and
credit. Without a model, list them. Each model takes its parameters as flags. weft
theory figure draws figures of papers.`,
		Example: `  weft theory
  weft theory balls-into-bins --bins 32 --recycled --rounds 2000
  weft theory imbalance --uplinks 32 --flows 32 --entropies 32,256,65536 --out imbalance.png
  weft theory figure arcane-13`,
		Args: noSuchCommand,
		RunE: func(*cobra.Command, []string) error { return p.listModels(asJSON) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the parameters of each model")
	for _, m := range analysis.Models() {
		c.AddCommand(p.model(m))
	}
	c.AddCommand(p.theoryFigure())
	return c
}

// listedModel is a model as it is listed.
type listedModel struct {
	Name   string          `json:"name"`
	About  string          `json:"about"`
	Source string          `json:"source"`
	Params []catalog.Param `json:"params"`
}

func (p *program) listModels(asJSON bool) error {
	var list []listedModel
	for _, m := range analysis.Models() {
		list = append(list, listedModel{m.Name, m.About, m.Source, m.Params})
	}
	if asJSON {
		return writeJSON(p.stdout, list)
	}
	var b strings.Builder
	for _, m := range list {
		fmt.Fprintf(&b, "%s: %s [%s]\n", m.Name, m.About, m.Source)
	}
	b.WriteString("\nFigures (weft theory figure NAME):\n")
	for _, f := range analysis.Figures() {
		fmt.Fprintf(&b, "  %s: %s\n", f.Name, f.About)
	}
	b.WriteString("\nweft theory MODEL --help shows the parameters of a model.\n")
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// model returns the command of a model, whose flags are its parameters.
func (p *program) model(m analysis.Model) *cobra.Command {
	var asJSON bool
	var out string
	c := &cobra.Command{
		Use:   m.Name,
		Short: upperFirst(m.About),
		Long:  fmt.Sprintf("%s.\n\nSource: %s", upperFirst(m.About), m.Source),
		Args:  cobra.NoArgs,
	}
	flags := map[string]string{} // from the flag to the parameter
	for _, param := range m.Params {
		flag := strings.ReplaceAll(param.Name, "_", "-")
		flags[flag] = param.Name
		c.Flags().String(flag, strings.Trim(param.Default, "[]"), paramUsage(param))
		if param.Type == "boolean" {
			c.Flags().Lookup(flag).NoOptDefVal = "true"
		}
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the points of the plot")
	c.Flags().StringVar(&out, "out", "", "draw the plot into this `file`, which ends in .png, .svg or .pdf")
	c.RunE = func(c *cobra.Command, _ []string) error {
		params := map[string]string{}
		for flag, name := range flags {
			if f := c.Flags().Lookup(flag); f.Changed {
				params[name] = f.Value.String()
			}
		}
		if err := errors.Join(checkChart(out), m.Check(params)); err != nil {
			return badInput(err)
		}
		defer p.interrupts.hold()()
		progress, done := p.share(m.Name)
		r, err := m.Run(c.Context(), params, progress)
		done()
		if err != nil {
			return theoryError(c.Context(), err)
		}
		if err := p.write(r, asJSON); err != nil || out == "" {
			return err
		}
		return p.drawChart(out, r.Plots, asJSON)
	}
	return c
}

func (p *program) theoryFigure() *cobra.Command {
	var asJSON bool
	var out string
	c := &cobra.Command{
		Use:   "figure [NAME]",
		Short: "Draw a paper's figure from models; without a name, list them",
		Long: `Draw a paper's figure from models, and print its numbers. The figure is NAME.png, or
the file of --out. Without a name, list the figures and the commands that compute
them.`,
		Example: `  weft theory figure
  weft theory figure arcane-13
  weft theory figure arcane-16 --out imbalance.pdf`,
		Args:              atMost("one name of a figure"),
		ValidArgsFunction: argument(modelledFigures),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.listFigures()
			}
			figure, err := analysis.FindFigure(args[0])
			if err == nil {
				err = checkChart(out)
			}
			if err != nil {
				return badInput(err)
			}
			defer p.interrupts.hold()()
			progress, done := p.share(figure.Name)
			drawing, err := figure.Run(c.Context(), progress)
			done()
			if err != nil {
				return theoryError(c.Context(), err)
			}
			if asJSON {
				if err := writeJSON(p.stdout, drawing); err != nil || out == "" {
					return err
				}
			}
			for i, r := range drawing.Results {
				if asJSON {
					break
				}
				if i > 0 {
					fmt.Fprintln(p.stdout)
				}
				fmt.Fprintf(p.stdout, "weft theory %s\n\n", figure.Commands()[i])
				if err := writeResult(p.stdout, r); err != nil {
					return err
				}
			}
			if out == "" {
				out = figure.Name + ".png"
			}
			return p.drawChart(out, drawing.Panels, asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, with the points of the plots; draw only if --out is given")
	c.Flags().StringVar(&out, "out", "", "draw into this `file`, which ends in .png, .svg or .pdf (default NAME.png)")
	return c
}

func (p *program) listFigures() error {
	var b strings.Builder
	for i, f := range analysis.Figures() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.About)
		for _, command := range f.Commands() {
			fmt.Fprintf(&b, "  weft theory %s\n", command)
		}
	}
	_, err := io.WriteString(p.stdout, b.String())
	return err
}

// theoryError takes what models refuse for bad input, and an interrupt for none.
func theoryError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return interruptedf(" before anything was finished; nothing is stored, and the same command starts over")
	}
	return badInput(err)
}

// checkChart tells before anything is computed that a drawing could not be written.
func checkChart(path string) error {
	if path == "" {
		return nil
	}
	if _, err := os.Stat(filepath.Dir(path)); err != nil {
		return unwritable(path, err)
	}
	_, err := report.ChartFormat(path)
	return err
}

// drawChart draws plots, and tells the file unless JSON was printed: it comes after numbers and
// legends, where a name alone would read as one of them.
func (p *program) drawChart(path string, plots []analysis.Plot, quiet bool) error {
	if err := page.Chart(plots).Save(path); err != nil {
		return badInput(err)
	}
	if !quiet {
		fmt.Fprintf(p.stdout, "figure: %s\n", path)
	}
	return nil
}

// paramUsage describes a parameter in the help of its flag.
func paramUsage(param catalog.Param) string {
	text := strings.TrimSuffix(param.Doc, ".")
	text = strings.ToLower(text[:1]) + text[1:]
	if strings.HasPrefix(param.Doc, "ARCANE") {
		text = strings.TrimSuffix(param.Doc, ".")
	}
	var more []string
	if bounds := param.Bounds(); bounds != "" {
		more = append(more, bounds)
	}
	if param.Source != "" {
		more = append(more, param.Source)
	}
	if len(more) > 0 {
		text += " [" + strings.Join(more, "; ") + "]"
	}
	return text
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
