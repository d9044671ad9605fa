package traffic

import (
	"errors"
	"io/fs"

	"weft/catalog"
	"weft/config"
	"weft/problem"
	"weft/trace/chakra"
	"weft/unit"
)

// chakraOptions say what the files of a Chakra trace leave open.
type chakraOptions struct {
	Groups     catalog.Path     `yaml:"groups" default:"" doc:"JSON file with the ranks of each process group (default: the one in the folder of the trace, if there is one)."`
	Dims       []int            `yaml:"dims" default:"[]" doc:"Ranks in each dimension of the network, the first one varying fastest, as in [8, 4]. Collectives over some dimensions (involved_dim) need it."`
	Operations *unit.Operations `yaml:"operations" min:"1" doc:"Operations per second of the accelerator. Computations without a duration need it (default: none)."`
	Memory     *unit.Speed      `yaml:"memory" min:"1bps" doc:"Speed of the accelerator's memory. Computations and movements of memory without a duration need it (default: none)."`
}

// over adds the options to those of a reader.
func (o *chakraOptions) over(how *chakra.Options) {
	how.Groups, how.Dims = string(o.Groups), o.Dims
	if o.Operations != nil {
		how.Operations = float64(*o.Operations)
	}
	if o.Memory != nil {
		how.Memory = unit.Rate(*o.Memory)
	}
}

// unread is the error of a trace that cannot be read. If it is about an option, it names the key.
func (o options) unread(err error) error {
	if keys := chakra.Missing(err, "key", "chakra."); keys != "" {
		return problem.New("file: the trace cannot be read: %w", err).Mend("%s", keys)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return problem.At("file", "file: the trace cannot be read: %w", err).Mend("a relative path starts from the scenario's folder; weft trace check reads it, too")
	}
	wrong := new(config.Error)
	if !errors.As(err, &wrong) {
		return problem.At("file", "file: the trace cannot be read: %w", err).Inside(string(o.File))
	}
	// Their lines would stand between the message and the line of the scenario.
	text := ""
	for _, p := range wrong.Problems {
		text += "\n  " + p.Place.String() + ": " + p.Message()
	}
	return problem.At("file", "file: the trace cannot be read:%s", text).Inside(string(o.File))
}
