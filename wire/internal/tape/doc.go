// Package tape records the calls of a host transport (protocol.HostTransport) with their answers,
// and replays them. A transport with the same inputs must decide the same, whether a socket or a
// file provides them.
//
// # Format
//
// A tape is text with one JSON object per line. The first has the parameters of the transport:
//
//	{"tape":2,"transport":"sird","seed":[hi,lo],"env":{"host":0,"hosts":65,"rate":"10Gbps","rtt":"100us","bdp":"125KB","packet":"1542B",
//	 "payload":"1385B","header":"157B","control":"157B","classes":2,"echo":0,"largest":"64MB","paths":16}}
//
// For transports made of connections, which choose their entropies themselves, it also has the
// balancer: "transport":"dctcp","balancer":"arcane".
//
// Each other line is a call, in order. Times, sizes and rates are exact and written as in scenario
// files. Times count from when the endpoint began.
//
//	{"c":"submit","t":"1us","m":{"peer":1,"tag":8,"bytes":"100B"}}
//	{"c":"receive","t":"1us","p":{packet},"fresh":"1385B"}
//	{"c":"next","t":"1us","ok":true,"p":{packet}}
//	{"c":"expire","t":"1us"}
//	{"c":"cancel","t":"1us","m":{…},"ok":true}
//	{"c":"forget","t":"1us","peer":1}
//
// The line also has what the transport returned after the call when asked for its next times, and
// the events that it reported in the call:
//
//	"ready":[at] and "deadline":[at], absent if there is none; "events":[{"kind":0,"peer":1,"tag":8,"bytes":"100B"}, …]
//
// A packet has the fields of protocol.Packet under their names in lower case, without those that
// are 0. The bytes of More are hexadecimal.
package tape
