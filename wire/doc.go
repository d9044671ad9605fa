// Package wire sends messages between processes over UDP: one-way messages and requests with
// replies, from one byte to gigabytes. It runs the same protocol code that weft simulates. The
// default transport is SIRD (Prasopoulos et al., NSDI 2025): receivers grant credit, so that short
// messages stay fast while many peers send to one. Config.Transport selects others, such as DCTCP
// and Swift. Config.Balancer selects how packets are spread over source ports.
//
//	server, err := wire.Listen(":4000", wire.Config{Handler: func(ctx context.Context, m *wire.Message) {
//		m.Reply(ctx, m.Body)
//	}})
//	client, err := wire.Listen(":0", wire.Config{})
//	peer, err := client.Dial(ctx, "192.0.2.1:4000")
//	reply, err := peer.Call(ctx, []byte("hello"))
//
// # Outcomes
//
// Send returns nil, and Call the reply, once the receiver has confirmed the message. Otherwise
// they return an error that says why not. A message that ended with an error may have arrived.
// No message is delivered twice within one life of its receiver.
//
//	ErrSilent      the peer said nothing for Config.Silence
//	ErrRestarted   the peer was closed or restarted, or has forgotten this endpoint
//	ErrMismatch    the peer has another transport or balancer, or another Config.Datagram
//	ErrRefused     the peer does not take the message; a *RefusedError says why
//	ErrClosed      this endpoint is closed
//	the context's  it was given up
//
// # Retrying
//
// A refused message was not handled: try again elsewhere, or later if its Reason is NoMemory. If
// the RefusedError is about the Reply, the request was handled. After ErrSilent, ErrRestarted and
// errors of the context, the message may have been handled; repeat only what is safe to do twice.
// If Dial fails, nothing was sent.
//
// # Limits
//
// Config.Memory limits the memory for sent messages, and that for arriving messages. Send waits
// for room. The receiver refuses messages that do not fit. Running handlers hold the memory of
// their message.
//
// # Security
//
// With Config.Secret, all datagrams except handshakes are sealed with AES-256-GCM, and repeated
// ones are rejected. Keys derive from the secret and from key pairs that both sides draw for each
// session (Noise NNpsk0), so a secret that leaks later decrypts nothing sent before. The secret
// should be 32 random bytes, because an attacker who sees a handshake can test guesses. Without a
// secret, a checksum detects accidental damage only; use that in networks that you trust.
// Strangers cannot make an endpoint keep state before they have proved that they receive at their
// address, and no answer to them is larger than what they sent.
//
// # Rate
//
// An endpoint sends at most at Config.Rate, in bursts as its timers allow. A rate above the path's
// capacity causes losses, which are repaired. A lower rate leaves capacity unused.
//
// # Observing
//
// Config.Capture receives every datagram as it travels, as a file for Wireshark; `weft wire
// dissector` prints a dissector for its fields. Stats has counters, round-trip times, and how late
// paced datagrams left; weft/wire/prometheus exports them. Config.Record receives the transport's
// inputs and decisions.
package wire
