// Command testbeds prints the numbers of docs/papers/testbeds.md from folders of results. It reads
// results of simulations and of runs on wire alike:
//
//	go run ./internal/testbeds incast out/wire-incast-on-wire
//	go run ./internal/testbeds outcast out/wire-outcast-on-wire
//	go run ./internal/testbeds flows out/wire-slow-link-on-wire
//	go run ./internal/testbeds down out/down-1 out/down-2 out/down-3
//	go run ./internal/testbeds halving out/wire-dasr-halving-on-wire
//	go run ./internal/testbeds degrees out/wire-dasr-degrees-on-wire
//
// It prints one line per variant. The option -rate is the rate of hosts' links, 100Mbps by
// default. At 1Gbps all times are a tenth.
package main
