package scenario

import (
	"regexp"
	"strings"

	"weft/protocol"
)

// Words of enumerations in scenario files.
const (
	trimming          = "trim"
	sampled           = "sample"
	pooled            = "pool"
	perMessage        = "message"
	perPair           = "pair"
	fifo              = "fifo"
	fromQueue         = "queue"    // of transport.rto_from
	unmarkedEntropies = "unmarked" // of acknowledgements
	atOnce            = "once"     // of arrivals
	maxName           = 64
	mostSizes         = 25 // classes are named by letters
	nameRules         = "a name consists of letters, digits, spaces and . _ - + ( ) = and begins with a letter or digit"

	perConnection = "connection" // of timers
	inTurn        = "turn"       // of the connections of a pool
)

// mostClasses is the most priority classes of a port, as in Fabric.
const mostClasses = protocol.MaxClasses

// studyKeys are the keys about several scenarios rather than one.
var studyKeys = []string{compareKey, matrixKey, excludeKey, seedsKey}

const (
	compareKey = "compare"
	nameKey    = "name"
	setKey     = "set"
)

const (
	matrixKey  = "matrix"
	levelsKey  = "levels"
	excludeKey = "exclude"
	seedsKey   = "seeds"

	// Limits on the number of axes, levels per axis (and variants), cells, seeds, runs and
	// faults. A file that exceeds one is a slip of the pen.
	maxAxes   = 100
	maxLevels = 10_000
	maxCells  = 100_000
	maxSeeds  = 1_000_000
	maxRuns   = 1_000_000
	maxFaults = 10_000
)

// mostNamed is the most links or hosts that a message names.
const mostNamed = 8

// oneLine reports whether a label fits on one line, as tables, legends and progress need.
func oneLine(label string) bool { return !strings.ContainsAny(label, "\n\r\t") }

var (
	// Names of scenarios become folders.
	scenarioName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._ +=()-]*$`)
	// Names of groups are parts of paths.
	groupName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
)
