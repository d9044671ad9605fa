package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError says of a flag's value that cannot be read what it must be, and of a flag of weft study run that weft run
// does not have where it belongs.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && c.CommandPath() == "weft run" {
		if other, _, found := c.Root().Find([]string{"study", "run"}); found == nil && other.Flags().Lookup(unknown.GetSpecifiedName()) != nil {
			return fmt.Errorf("%w; weft study run has it, and runs all of matrix, compare and seeds", err)
		}
	}
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	flag := invalid.GetFlag()
	name := "--" + flag.Name
	if given := flag.Shorthand; given != "" {
		name = "-" + given + ", " + name
	}
	wants, known := map[string]string{
		"uint64":   "a whole number from 0 on, as in 7",
		"int":      "a whole number, as in 7",
		"float64":  "a number, as in 0.5",
		"duration": "a time, as in 90s or 1h30m",
		"bool":     "true or false, or nothing for true",
	}[flag.Value.Type()]
	if b, ok := flag.Value.(*boundedInt); ok {
		wants = b.wants()
	}
	if !known {
		return err
	}
	return fmt.Errorf("%s %q: it takes %s (%s)", name, invalid.GetValue(), wants, flag.Usage)
}
