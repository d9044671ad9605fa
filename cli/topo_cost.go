package cli

import (
	"github.com/spf13/cobra"

	"weft/topo"
)

// topoCost adds the flags of the cost model to weft topo and returns what computes
// the line of text and the JSON of a network's cost. There is no model yet, so that
// both are empty.
func (p *program) topoCost(*cobra.Command) func(*topo.Graph, topo.Facts) (text string, value any, err error) {
	return func(*topo.Graph, topo.Facts) (string, any, error) { return "", nil, nil }
}
