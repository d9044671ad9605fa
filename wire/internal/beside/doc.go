// Package beside has tests that compare the wire's carrier with the simulator. Both run the same
// messages, at the same times, over the same network: the carrier in memory under virtual time
// (package lan), the simulator as usual. The tests show how well they agree and explain the
// differences.
//
//	go test -v -run TestIncast ./wire/internal/beside
//
// prints the table of docs/wire.md.
package beside
