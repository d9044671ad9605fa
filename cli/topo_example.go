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

// topologyExamples are options that make a small network of a kind.
var topologyExamples = map[string][]string{
	"fat-tree":   {"radix=16"},
	"leaf-spine": {"tors=4", "hosts_per_tor=8", "spines=4"},
	"star":       {"hosts=8"},
	"slim-fly":   {"order=5"},
	"dragonfly":  {"size=1k"},
	"hyperx":     {"widths=[4, 4]"},
	"xpander":    {"degree=8"},
	"jellyfish":  {"switches=20", "degree=4"},
	"clique":     {"switches=8"},
}

// setWord quotes what a shell would not read as one word.
func setWord(set string) string {
	if strings.ContainsAny(set, "[] ") {
		return shellWord(set)
	}
	return set
}

// exampled adds a command line to the error of a kind of which nothing was set.
func exampled(err error, kind string, sets []string) error {
	example := topologyExamples[kind]
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
		for _, set := range topologyExamples[e.Name] {
			if strings.HasPrefix(set, name+"=") {
				example = set
			}
		}
		return fmt.Errorf("%w; options of a topology are written with --set, as in weft topo %s --set %s", err, e.Name, setWord(example))
	}
	return err
}
