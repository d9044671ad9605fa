// Package wire sends messages between processes over UDP: one-way messages and requests with replies, from one byte to
// gigabytes, by the protocol code that weft simulates. SIRD (Prasopoulos et al., NSDI 2025) is the default transport: receivers
// grant credit, so that short messages stay quick while many peers send to one. Config.Transport names others, such as DCTCP
// and Swift, and Config.Balancer how packets are spread over source ports.
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
// Send and Call return once: with nil or the reply when the receiver has confirmed the message, or with an error that says why
// not. A message that ended with an error may have arrived. None is delivered twice within one life of its receiver.
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
// A message that was refused was not handled: try again elsewhere, or later if its Reason is NoMemory. If a RefusedError is of the Reply, the
// request was handled. After ErrSilent, ErrRestarted and an error of the context it may have been handled; repeat only what may be done
// twice. If Dial fails, nothing was sent.
//
// # Limits
//
// Memory for messages that are sent, and for those that arrive, is limited (Config.Memory). Send waits for room; what does not
// fit at the receiver is refused there. Handlers that run hold the memory of their message.
//
// # Security
//
// With Config.Secret all datagrams but handshakes are sealed by AES-256-GCM, and repeated ones are refused. Keys are of the secret and of
// key pairs that both sides draw for each session (Noise NNpsk0): a secret that leaks later opens nothing that was sent before. It
// should have 32 random bytes, since who sees a handshake can try guesses. Without a secret, a checksum finds accidents only; use that in
// networks that you trust. Strangers cannot make an endpoint keep anything before they have shown that they receive at
// their address, and no answer to them is larger than what they sent.
//
// # Rate
//
// An endpoint sends at Config.Rate at most, in bursts as its timers allow. A rate above what the path takes leads to losses,
// which are repaired; one below it leaves some of the path unused.
//
// # Looking at it
//
// Config.Capture gets every datagram as it travels, as a file for Wireshark; `weft wire dissector` prints what shows its fields.
// Stats has counts, round-trip times, and how late paced datagrams left; weft/wire/prometheus exports them. Config.Record gets what the transport was
// told and decided.
package wire
