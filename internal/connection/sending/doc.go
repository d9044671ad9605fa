// Package sending implements the sending side of connections: windows and rates of congestion
// controls, acknowledgement and loss detection, controls' deadlines, bundles that share a pace,
// pools, path probes, and subflows.
//
// Each message has its own packet numbers and its own selective acknowledgement. Each connection
// has a congestion window and an entropy chooser. A connection carries one message, or all
// messages from one host to another, one after another.
package sending
