// Package emulate runs a scenario's fabric at the pace of the clock, for packets of real programs: hosts are network namespaces,
// and the switches between them those of the simulator. It needs Linux, and no root. See docs/emulate.md.
package emulate
