// Package receiving is the receiving side of connections: what has arrived of messages, the acknowledgements that
// say so, what receiving ends of controls put into these (protocol.Answerer), and the credit that receivers grant
// (protocol.Receiver).
package receiving
