package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"weft/config"
	"weft/internal/printable"
	"weft/internal/userfile"
	"weft/scenario"
)

func (p *program) schema() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "schema [SCENARIO ...]",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema of scenario files. Editors use it to complete and check them, without
a network. With scenarios, the schema goes to a file, and each scenario gets a line that names
that file for the YAML language server, as editors such as VS Code have it:

  # yaml-language-server: $schema=weft.schema.json

Write the schema again after an update of weft.`,
		Example: "  weft schema > weft.schema.json\n  weft schema *.yaml\n  weft schema studies/*.yaml --out weft.schema.json",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && !c.Flags().Changed("out") {
				return writeSchema(p.stdout, p.reg)
			}
			// Nothing is written before all is known to be a scenario.
			named := make([][]byte, len(args))
			for i, path := range args {
				text, err := namingSchema(path, out)
				if err != nil {
					return badInput(err)
				}
				named[i] = text
			}
			if err := writeFile(out, func(w io.Writer) error { return writeSchema(w, p.reg) }); err != nil {
				return err
			}
			for i, path := range args {
				if err := writeFile(path, func(w io.Writer) error { _, err := w.Write(named[i]); return err }); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&out, "out", "weft.schema.json", "file to write the schema to")
	return c
}

// writeSchema writes a line for each definition, so that two schemas can be compared.
func writeSchema(w io.Writer, reg *scenario.Registry) error {
	text, err := json.Marshal(scenario.Schema(reg))
	if err != nil {
		return err
	}
	_, err = w.Write(printable.JSON(breakLines(text, 2)))
	return err
}

// breakLines writes each member of the outer levels of a JSON text on a line of its own.
func breakLines(text []byte, levels int) []byte {
	var b bytes.Buffer
	level, quoted := 0, false
	newLine := func() {
		b.WriteByte('\n')
		b.Write(bytes.Repeat([]byte(" "), level))
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quoted && c == '\\':
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			b.WriteByte(c)
			if level++; level <= levels {
				newLine()
			}
			continue
		case c == '}' || c == ']':
			if level--; level < levels {
				newLine()
			}
		case c == ',' && level <= levels:
			b.WriteByte(c)
			newLine()
			continue
		}
		b.WriteByte(c)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

var schemaLine = regexp.MustCompile(`(?m)^# yaml-language-server: \$schema=[^\r\n]*`)

// namingSchema returns the text of a scenario with a line that names a schema.
func namingSchema(path, schema string) ([]byte, error) {
	text, err := userfile.Read(path, config.MaxText)
	if err != nil {
		return nil, err
	}
	root, err := config.Parse(path, text)
	if err != nil {
		return nil, err
	}
	if root.Get("weft") == nil {
		return nil, fmt.Errorf("%s is not a scenario; it has no key weft, as in weft: 1", path)
	}
	place := schema
	if rel, err := filepath.Rel(absolute(filepath.Dir(path)), absolute(schema)); err == nil {
		place = rel
	}
	line := []byte("# yaml-language-server: $schema=" + filepath.ToSlash(place))
	if at := schemaLine.FindIndex(text); at != nil {
		return append(append(bytes.Clone(text[:at[0]]), line...), text[at[1]:]...), nil
	}
	mark := []byte("\ufeff")
	rest, marked := bytes.CutPrefix(text, mark)
	if !marked {
		mark = nil
	}
	end := "\n"
	if n := bytes.IndexByte(rest, '\n'); n > 0 && rest[n-1] == '\r' {
		end = "\r\n"
	}
	return append(append(append(bytes.Clone(mark), line...), end...), rest...), nil
}
