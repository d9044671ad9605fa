package scenario

import "weft/config"

// level is one value of an axis: a label and the paths that it sets. The place of a
// path is where the file says it.
type level struct {
	label string
	sets  []config.Field
}

// axis is an Axis that was read.
type axis struct {
	name, path string
	levels     []level
}

// compareAxis is the name of the axis that the variants of compare: make.
const compareAxis = "variant"
