// Package sird is SIRD (Prasopoulos, Kosta, Bugnion, Kogias, "SIRD: A Sender-Informed,
// Receiver-Driven Datacenter Transport Protocol", NSDI 2025): sender and receiver of a
// host as one state machine.
package sird
