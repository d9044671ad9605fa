// Package receiving implements the receiving side of connections. It tracks which packets of
// messages have arrived and sends acknowledgements, adds the answers of controls' receiving ends
// (protocol.Answerer), and sends the credit that receivers grant (protocol.Receiver).
package receiving
