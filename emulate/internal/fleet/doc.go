// Package fleet carries the messages of a scenario by real endpoints (package
// wire), one at each host. Each message of the scenario becomes one message of the
// library, and its first bytes identify it. The fleet notes when messages arrive
// and when their senders know, by a clock that it is given. Whoever runs the fabric
// collects these notes (Settle) and informs the scenario's sources.
//
// Messages of less than 8 B take 8 B on the wire, for the identification.
package fleet
