// Package solo has one host of the simulator without a network. A transport of hosts that [Carry] wraps runs in the simulator's
// carrier (package transport): its messages are submitted there, its packets come and go in frames, and the carrier decides
// when to call it. Whoever calls the wrapped transport plays network and clock. So a recording of a real run can be replayed
// (weft wire replay --simulator).
//
// # What a call stands for
//
//	Submit          a message of the host's traffic begins
//	Receive         a frame arrives
//	Next            the wire is free
//	Expire          the host's timer, which has come before, takes effect: a real host is late
//	Cancel, Forget  those of transport.Transport
//
// The host's timer is kept by the engine. What is due by the clock waits for the call of Expire. All other calls of the timer
// come at their time.
//
// # What is compared
//
// Each call must lead to one call of the wrapped transport: the same, at the same time, with the same message or packet as the
// carrier read it from the frame. What the transport answers is the answer. These are differences, too:
//
//	env      the carrier makes the transport with another environment
//	call     the carrier does not call the transport, or calls it otherwise or more often
//	asks     there is a packet, but the carrier would not have asked: it had nothing to send, and no timer was to come by then
//	timer    Expire is called, but the carrier had not asked to be woken by then
//	frame    the frame does not say what the packet says
//	rule     the carrier finds that the transport breaks a rule of protocol.HostTransport
//
// # What is not
//
// The simulator cannot have these as they are elsewhere; each is replaced, so that nothing of the comparison is looser for it.
//
//   - Calls at one instant: a simulated network has an order of its own. Here they come in the order in which they are made.
//   - The time at which the wire is free: that of the call of Next. When it was free and nobody asked is not known.
//   - Calls of Next in vain: the simulator's carrier asks if it has something to send; the call is made in any case.
//   - Tags: the simulator's have 33 bits. The wrapped transport sees those of the caller, and the carrier its own. Those of
//     packets that arrive stand in for the caller's, which are put back.
//   - Entropies: the carrier draws its own, unless the transport pins them. Choosers learn nothing.
//   - Protocol.Pinned: frames do not carry it; of packets that arrive it is put back.
//   - The stream of random numbers and HostEnv.Largest, which no simulation limits: the transport gets the caller's.
package solo
