// Package fleet carries the messages of a scenario by real endpoints (package wire), one at each host. A message of the scenario
// becomes one of the library: its first bytes say which it is. The fleet notes when messages arrive and when their senders know,
// by a clock that it is given, and whoever runs the fabric takes these notes (Settle) and tells the scenario's sources.
//
// Messages of less than 8 B have 8 B on the wire, since they say who they are.
package fleet
