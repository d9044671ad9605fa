// Package beside has tests that set the wire's carrier beside the simulator: the same messages, at the same times, over the same
// network, which one has in memory under virtual time (package lan), and the other simulates. It shows how they agree, and why they
// differ where they do.
//
//	go test -v -run TestIncast ./wire/internal/beside
//
// prints the table of docs/wire.md.
package beside
