package scenario

import "weft/config"

// level is one value of an axis: a label and the paths that it sets. Each path carries its
// place in the file.
type level struct {
	label string
	sets  []config.Field
}

// axis is an Axis as read from the file.
type axis struct {
	name, path string
	levels     []level
}

// compareAxis is the name of the axis that the variants of compare: make.
const compareAxis = "variant"
