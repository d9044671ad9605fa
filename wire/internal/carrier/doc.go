// Package carrier implements an endpoint for messages over UDP without I/O: sessions with peers,
// messages and their outcomes, and limits on memory. It carries a host transport
// (protocol.HostTransport) as the simulator's hosts do.
//
// A driver passes in arriving datagrams (Arrive), asks for datagrams to send while the wire is free
// (Next), and calls when time has passed (Wake, Expire). After each call it reads what happened
// (Events). Calls must come one at a time, with a clock that never runs backwards.
// docs/design/0025-wire.md describes sessions and datagrams.
//
// # Outcomes
//
// Each message that Submit accepted ends once, with an event. The event has no error if the
// receiver has confirmed the message. Otherwise the error is ErrSilent, ErrRestarted, ErrRefused
// (a *RefusedError says why), ErrClosed, or the one given to Cancel. A message that ended with an
// error may have arrived. No message arrives twice within a life of its receiver.
//
// # Differences from the simulator
//
// The simulator's wire is busy for the duration of a packet; here a clock at the configured rate
// stands for it (Config.Rate). A driver that is late sends what became due meanwhile, but at most
// Config.Burst at once. All packets travel in one class.
package carrier
