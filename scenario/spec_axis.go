package scenario

import "weft/config"

// Axis is one dimension of a study: values of a parameter, or levels that change
// several parameters together.
type Axis struct {
	Name   string       `yaml:"name" default:"" doc:"Name of the axis in tables and on the command line (default: last word of its path)."`
	Path   string       `yaml:"path" default:"" doc:"Parameter that the axis changes, as in transport.balancer or traffic.flows.size."`
	Values *config.Node `yaml:"values" doc:"Values of that parameter: a list, or a mapping of labels to values."`
	Range  *Range       `yaml:"range" doc:"Range of values, instead of a list."`
	Zip    *config.Node `yaml:"zip" doc:"Parameters that change together, instead of path: a mapping of their paths to lists of equal length."`
	Levels *config.Node `yaml:"levels" doc:"Named levels, instead of path: a mapping of labels to what each level sets, as in compare."`
}

// Range is a series of quantities with equal steps or equal factors.
type Range struct {
	From   string `yaml:"from" doc:"First value, with its unit, as in 20% or 64KiB."`
	To     string `yaml:"to" doc:"Last value, in the same unit; left out if no step meets it."`
	Step   string `yaml:"step" default:"" doc:"Step between two values, in the same unit."`
	Factor string `yaml:"factor" default:"" doc:"Factor between two values, instead of step; above 1."`
}
