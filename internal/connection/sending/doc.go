// Package sending is the sending side of connections: windows and rates of congestion controls, what is acknowledged
// and what is lost, clocks and deadlines of controls, bundles that share a pace, pools, probes of paths, and subflows.
//
// A message has its own packet numbers and its own selective acknowledgement; a connection has the congestion window
// and the entropy chooser. A connection carries one message, or all messages from one host to another, one after
// another.
package sending
