package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
)

// flagError says of a flag's value that cannot be read what it must be.
func flagError(err error) error {
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
	if !known {
		return err
	}
	return fmt.Errorf("%s %q: it takes %s (%s)", name, invalid.GetValue(), wants, flag.Usage)
}
