package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft/catalog"
)

// topologyExample returns options that make a small network of a kind; nil if there are none, as of a file.
func (p *program) topologyExample(kind string) []string {
	info, _ := p.reg.Topologies.Find(kind)
	return info.Example
}

// setWord quotes what a shell would not read as one word.
func setWord(set string) string {
	if strings.ContainsAny(set, "[] ") {
		return shellWord(set)
	}
	return set
}

// exampled adds a command line to the error of a kind of which nothing was set.
func (p *program) exampled(err error, kind string, sets []string) error {
	example := p.topologyExample(kind)
	if len(sets) > 0 || example == nil {
		return err
	}
	words := []string{"weft topo", kind}
	for _, set := range example {
		words = append(words, "--set", setWord(set))
	}
	return fmt.Errorf("%w; as in %s", err, strings.Join(words, " "))
}

// noSuchOption tells of a flag that is an option of a topology how options are written.
func (p *program) noSuchOption(c *cobra.Command, err error) error {
	var none *pflag.NotExistError
	if !errors.As(err, &none) {
		return flagError(c, err)
	}
	name := strings.ReplaceAll(none.GetSpecifiedName(), "-", "_")
	for _, e := range p.reg.Topologies.Entries() {
		if !slices.ContainsFunc(e.Info().Params(), func(o catalog.Param) bool { return o.Name == name }) {
			continue
		}
		example := name + "=VALUE"
		for _, set := range e.Example {
			if strings.HasPrefix(set, name+"=") {
				example = set
			}
		}
		return fmt.Errorf("%w; options of a topology are written with --set, as in weft topo %s --set %s", err, e.Name, setWord(example))
	}
	return err
}
