// Package clocked makes an emulated fabric follow the machine's clock. It takes packets
// as of the times at which the kernel received them from hosts, runs the engine up to
// now, and writes packets that have reached their hosts. One thread does all of this.
//
// The engine is never ahead of the clock, and never undoes what it has run. Before it runs
// up to some time, it reads all packets that came before that time. A packet that is read
// later still enters when it is read. Lateness counts both ends: the delay until a packet
// entered, and the delay from its arrival in the fabric until it was written.
package clocked
