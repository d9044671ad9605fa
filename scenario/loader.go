package scenario

import "weft/config"

type loader struct {
	path string
	reg  *Registry
	d    config.Decoder
	// only are the variants that must load; all if there are none.
	only []string
	// onWire tells that real endpoints are to carry the messages.
	onWire bool
	// sets are the paths that the command line changes.
	sets    []assignment
	notices []string
	// told are the notices about sets, without what to write instead.
	told map[string]bool
	// lost are those notices that are about what a change of the topology's kind takes away.
	lost []string
}
