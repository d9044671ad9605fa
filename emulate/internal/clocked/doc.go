// Package clocked has an emulated fabric follow the clock of the machine: it takes the packets that hosts send at the times at
// which the kernel had them, runs the engine up to now, and hands over what has come to its host. One thread does all.
//
// The engine is never ahead of the clock, and what it has run is not undone. Before it runs up to some time, all packets are read
// that came before. One that comes late all the same enters when it is read. Lateness counts both ends: until a packet entered,
// and from when it was due at its host until it was written.
package clocked
