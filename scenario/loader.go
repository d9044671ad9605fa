package scenario

import "weft/config"

type loader struct {
	path string
	reg  *Registry
	d    config.Decoder
	// only lists the variants that must load; if it is empty, all must.
	only []string
	// onWire: real endpoints are to carry the messages.
	onWire bool
	// sets are the assignments of the command line.
	sets    []assignment
	notices []string
	// told holds the notices about sets that were given, without their remedies.
	told map[string]bool
	// lost holds the notices about options that a change of the topology's kind removed.
	lost []string
}
