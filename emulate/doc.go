// Package emulate runs a scenario's fabric at the pace of the clock, for packets of
// real programs. Hosts are network namespaces; the switches between them are those
// of the simulator. It needs Linux but no root. See docs/emulate.md.
package emulate
