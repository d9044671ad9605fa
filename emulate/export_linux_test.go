package emulate

// What the emulator is measured beside, and for how long.
var (
	Forwards = forwards
	Measured = measured
)
