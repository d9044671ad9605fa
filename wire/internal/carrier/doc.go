// Package carrier has one endpoint of messages over UDP without I/O: sessions with peers, messages and what becomes of them,
// limits on memory, and the transport of a host (protocol.HostTransport) that it carries as the simulator's hosts do.
//
// A driver hands it datagrams that arrived (Arrive), asks for those to send while the wire is free (Next), and calls it when
// time has passed (Wake, Expire). It reads what happened after each call (Events). Calls come one at a time, with a clock that
// never runs backwards. docs/design/0025-wire.md describes sessions and datagrams.
//
// # Outcomes
//
// Each message that Submit took ends once: in an event without error when its receiver has confirmed it, or with one of
// ErrSilent, ErrRestarted, ErrRefused (a *RefusedError says why) and ErrClosed, or with the one that Cancel was given. A message that ended with an error may
// have arrived; none arrives twice within a life of its receiver.
//
// # What the simulator assumes
//
// The simulator's wire is busy for a packet's time; here a clock of the configured rate stands for it (Config.Rate). A driver
// that comes late sends what was due meanwhile, but not more than Config.Burst at once. Packets travel in one class.
package carrier
