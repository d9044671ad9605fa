// Package tape records the calls of a transport of a host (protocol.HostTransport) with their answers, and replays them: what
// is fed the same must decide the same, whether a socket or a file feeds it.
//
// # Format
//
// A tape is text, a JSON object on each line. The first has what the transport was made with:
//
//	{"tape":2,"transport":"sird","seed":[hi,lo],"env":{"host":0,"hosts":65,"rate":"10Gbps","rtt":"100us","bdp":"125KB","packet":"1542B",
//	 "payload":"1385B","header":"157B","control":"157B","classes":2,"echo":0,"largest":"64MB","paths":16}}
//
// Connections choose their entropies themselves, so that theirs has the balancer, too: "transport":"dctcp","balancer":"arcane".
//
// Each other line is a call, in order. Times, sizes and rates are texts as in scenario files, and exact; times count from when the endpoint began.
//
//	{"c":"submit","t":"1us","m":{"peer":1,"tag":8,"bytes":"100B"}}
//	{"c":"receive","t":"1us","p":{packet},"fresh":"1385B"}
//	{"c":"next","t":"1us","ok":true,"p":{packet}}
//	{"c":"expire","t":"1us"}
//	{"c":"cancel","t":"1us","m":{…},"ok":true}
//	{"c":"forget","t":"1us","peer":1}
//
// What the transport answered when it was asked for its next times after the call follows, and what it reported in the call:
//
//	"ready":[at] and "deadline":[at], absent if there is none; "events":[{"kind":0,"peer":1,"tag":8,"bytes":"100B"}, …]
//
// A packet has the fields of protocol.Packet under their names in lower case, those that are 0 left out. The bytes of More are
// hexadecimal digits.
package tape
