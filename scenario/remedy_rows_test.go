package scenario_test

import (
	"strings"

	"weft/record"
)

// Beginnings of scenarios of rows.
const (
	twoTors      = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2}\n"
	hostsSird    = twoTors + "fabric: {classes: 2}\ntraffic: [{name: main, pattern: tornado, size: 1MB}]\n"
	slimFly      = "weft: 1\ntopology: {kind: slim-fly, order: 3, hosts_per_switch: 1}\ntraffic: [{name: main, pattern: tornado, size: 100kB}]\n"
	tornado      = "traffic: [{name: main, pattern: tornado, size: 1MB}]\n"
	manyToOne    = "traffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 1MB}]\n"
	slowSpine    = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 8}\ntraffic: [{name: a, pattern: permutation, size: 4MB}]\nfaults: [{kind: degrade, links: \"tor0->spine0\", rate: 10Gbps}]\n"
	slimFlyPeers = "weft: 1\ntopology: {kind: slim-fly, order: 3, hosts_per_switch: 4}\ntraffic: [{name: main, pattern: {kind: off-diagonal, offset: 4}, size: 500kB}]\n"
	sprayed      = "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 4, rate: 100Gbps, delay: 1us, switch_latency: 0s}\nfabric: {pfc: {xoff: 500KB}, ecn: off}\ntraffic: [{name: main, pattern: {kind: off-diagonal, offset: 4}, size: 4MB}]\n"
	pausedStar   = "weft: 1\ntopology: {kind: star, hosts: 17, rate: 100Gbps, delay: 1us, switch_latency: 0s}\nfabric: {pfc: {xoff: 200KB}, ecn: off}\ntraffic: [{name: a, pattern: {kind: incast, receiver: host16}, size: 1MB, jitter: 10us}]\n"
	twoIncasts   = "weft: 1\ntopology: {kind: star, hosts: 8, rate: 100Gbps, delay: 1us}\nfabric: {buffer: 1200KB, pfc: {xoff: 500KB, of: egress}, ecn: off}\ntransport: {congestion: {kind: constant, window: 10MB}, balancer: ecmp, recovery: go-back-n}\n" +
		"traffic: [{name: a, pattern: {kind: incast, receiver: host0}, hosts: [host0, host2..host4], size: 2MB}, {name: b, pattern: {kind: incast, receiver: host1}, hosts: [host1, host5..host7], size: 2MB}]\n"
	tcpLocked = "weft: 1\ntopology: {kind: star, hosts: 14, rate: 1Gbps, delay: 10us, switch_latency: 0s}\nfabric: {queue: 24kB, ecn: off, host_jitter: none}\ntransport: {payload: 1460B, header: 40B, congestion: reno, balancer: ecmp, recovery: sack, rto: 200ms}\ntraffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 1GB}]\nuntil: 3s\n"
	lossyLink = "faults: [{kind: loss, links: tor0->spine0, probability: 1%}]\n"
	ring      = "weft: 1\ntopology:\n  kind: graph\n  nodes: [{name: host0..host4}, {name: s0..s4, kind: switch}]\n  links: [{a: host0, b: s0}, {a: host1, b: s1}, {a: host2, b: s2}, {a: host3, b: s3}, {a: host4, b: s4}, {a: s0, b: s1}, {a: s1, b: s2}, {a: s2, b: s3}, {a: s3, b: s4}, {a: s4, b: s0}]\n"
)

// remedyRows has a row for each notice that advises something.
var remedyRows = []remedy{
	// hints.go
	{name: "pick without a pool", text: twoTors + "transport: {congestion: dctcp, balancer: ops, pick: turn}\n" + tornado,
		says: "pick: turn chooses among", at: map[string]string{"it": "transport.pick", "connection": "transport.connection"}, gain: same},
	{name: "nic of a host transport", text: twoTors + tornado + "fabric: {classes: 2, nic: fifo, ecn: off}\ntransport: {congestion: sird, balancer: ops}\n", says: "so fabric.nic: fifo has no effect", at: map[string]string{"it": "fabric.nic"}, gain: same},
	{name: "timer of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, timer: connection}\n", says: "so timer: connection has no effect", at: map[string]string{"it": "transport.timer"}, gain: same},
	{name: "nagle of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, nagle: true}\n", says: "so nagle has no effect", at: map[string]string{"it": "transport.nagle"}, gain: same},
	{name: "rto of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, rto: 1ms}\n", says: "so transport.rto has no effect", at: map[string]string{"it": "transport.rto"}, gain: same},
	{name: "weights of no group", text: hostsSird + "transport: {congestion: {kind: sird, policy: classes, weights: [3, 1, 2]}, balancer: ops}\n", says: "has options for 3 groups",
		by: []string{"transport.congestion.weights=[3]"}, gain: same},
	{name: "ack.every of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {every: 2}}\n", says: "so ack.every has no effect", at: map[string]string{"it": "transport.ack.every"}, gain: same},
	{name: "ack.delay of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {delay: 1us}}\n", says: "so ack.delay has no effect", at: map[string]string{"it": "transport.ack.delay"}, gain: same},
	{name: "ack.bitmap of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {bitmap: true}}\n", says: "so ack.bitmap has no effect", at: map[string]string{"it": "transport.ack.bitmap"}, gain: same},
	{name: "ack.entropies of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {entropies: unmarked}}\n", says: "so ack.entropies has no effect", at: map[string]string{"it": "transport.ack.entropies"}, gain: same},
	{name: "ack.reply of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {reply: 84B}}\n", says: "so ack.reply has no effect", at: map[string]string{"it": "transport.ack.reply"}, gain: same},
	{name: "ack.class of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, ack: {class: 1}}\n", says: "so ack.class has no effect", at: map[string]string{"it": "transport.ack.class"}, gain: same},
	{name: "reorder_limit of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, reorder_limit: 9}\n", says: "so reorder_limit has no effect", at: map[string]string{"it": "transport.reorder_limit"}, gain: same},
	{name: "recovery of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ecmp, recovery: go-back-n}\n", says: "so recovery has no effect", at: map[string]string{"it": "transport.recovery"}, gain: same},
	{name: "connections of a host transport", text: hostsSird + "transport: {congestion: sird, balancer: ops, connection: pool}\n", says: "so connection: pool has no effect",
		at: map[string]string{"it": "transport.connection", "connection": "transport.connection"}, gain: same},
	{name: "bursts on one path", text: twoTors + "transport: {congestion: dctcp, balancer: ecmp, burst: 8}\n" + tornado, says: "so burst: 8 has no effect", at: map[string]string{"it": "transport.burst"}, gain: same},
	{name: "bursts where switches choose", text: twoTors + "transport: {congestion: dctcp, balancer: {kind: ops, at: switch}, burst: 8}\n" + tornado, says: "so burst: 8 has no effect", at: map[string]string{"it": "transport.burst"}, gain: same},
	{name: "timeouts through queues without bound", text: twoTors + "fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}}\ntransport: {congestion: dctcp, balancer: ops, recovery: selective}\n" + tornado + lossyLink,
		says: "which have no bound here", at: map[string]string{"rto": "transport.rto"}},
	{name: "a long silence", text: twoTors + "fabric: {queue: infinite, ecn: {kind: threshold, k: 1.25BDP}, classes: 2}\ntransport: {congestion: sird, balancer: ops}\n" + tornado + lossyLink,
		says: "after a silence of 5ms", at: map[string]string{"congestion": "transport.congestion"}},
	{name: "a dead port looks idle", text: twoTors + "transport: {congestion: dctcp, recovery: selective, balancer: {kind: adaptive-roce, local_failures: ignore}}\n" + tornado + "faults: [{kind: link-down, links: \"tor0->spine0\", at: 10us, for: 500us}]\n",
		says: "with local_failures: ignore it attracts packets", at: map[string]string{"local_failures": "transport.balancer.local_failures"}},
	{name: "routes never follow", text: twoTors + "routing: {reconverge: never}\ntransport: {congestion: dctcp, balancer: ecmp}\n" + tornado + "faults: [{kind: link-down, links: tor0->spine0, at: 10us}]\n",
		says: "routing keeps using it", at: map[string]string{"reconverge": "routing.reconverge"}, by: []string{"routing.reconverge=1ms"}},
	{name: "a long freeze", text: twoTors + "transport: {congestion: swift, balancer: {kind: arcane, freezing_timeout: 5ms}}\n" + tornado + "faults: [{kind: link-down, links: tor0->spine0, at: 10us, for: 50us}]\n",
		says: "keeps to a few cached paths for", at: map[string]string{"balancer": "transport.balancer"}, gain: noWorse},
	{name: "an early end", text: twoTors + "transport: {congestion: dctcp}\n" + tornado + "until: 10us\n", says: "but the run ends at until", by: []string{"until=200us"}},
	// hints_routes.go
	{name: "fewer layers than a balancer is for", text: slimFlyPeers + "fabric: {overflow: trim}\ntransport: {congestion: ndp, balancer: fatpaths}\n", says: "has no layers, so that fatpaths",
		at: map[string]string{"balancer": "transport.balancer"}, gain: noWorse},
	{name: "subflows without layers", text: slimFlyPeers + "transport: {congestion: dctcp, balancer: {kind: mptcp, subflows: 4, apart: true}}\n", says: "cannot give each subflow a layer",
		at: map[string]string{"balancer": "transport.balancer"}, gain: noWorse},
	{name: "one layer", text: slimFlyPeers + "fabric: {overflow: trim}\ntransport: {congestion: ndp, balancer: ops}\nrouting: {policy: {kind: layers, layers: 1}}\n", says: "routing.policy has one layer",
		at: map[string]string{"layers": "routing.policy.layers", "policy": "routing.policy"}, gain: noWorse},
	// routing.go, route/layers
	{name: "pairs without a route in a layer", text: slimFly + "transport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: layers, scheme: overlap, paths: 5}}\n",
		says: "more paths, or another layer_seed, leave fewer", by: []string{"routing.policy.paths=100"}, fewer: true, gain: planned},
	// hints_sizes.go, protocol/homa
	{name: "other sizes", text: twoTors + "fabric: {classes: 8, queue: infinite}\ntransport: {congestion: {kind: homa, sizes: {workload: websearch}}, balancer: ops}\ntraffic: [{name: main, pattern: uniform, size: {workload: wka}, arrival: {kind: poisson, load: 80%}, stop: 20us}]\n",
		says: "sets priorities for sizes {workload: websearch}", of: tailOfSlowdowns, at: map[string]string{"congestion": "transport.congestion"}},
	{name: "no sizes", text: twoTors + "fabric: {classes: 8, queue: infinite}\ntransport: {congestion: homa, balancer: ops}\ntraffic: [{name: main, pattern: uniform, size: {workload: wka}, arrival: {kind: poisson, load: 70%}, stop: 100us}]\n",
		says: "all unscheduled packets share one level", of: tailOfSlowdowns, at: map[string]string{"congestion": "transport.congestion", "sizes": "transport.congestion.sizes"}},
	{name: "no sizes of pieces", text: twoTors + "fabric: {classes: 8, queue: infinite}\ntransport: {congestion: homa, balancer: ops}\ntraffic: [{name: main, pattern: ring-allreduce, size: 80kB}]\n", says: "give it the sizes of messages (sizes)", by: []string{"transport.congestion.sizes=10kB"}, gain: noWorse},
	{name: "drops without resends", text: twoTors + "fabric: {classes: 8, queue: 100KB}\ntransport: {congestion: {kind: homa, resend: 0s, unscheduled: 100KB}, balancer: ops}\n" + manyToOne,
		says: "dropped packets are never resent", at: map[string]string{"resend": "transport.congestion.resend"}, by: []string{"fabric.queue=infinite"}},
	// protocol/sird
	{name: "drops without confirmation", text: twoTors + "fabric: {classes: 2, queue: 20KB}\ntransport: {congestion: {kind: sird, confirm: false}, balancer: ops}\ntraffic: [{name: main, pattern: {kind: incast, receiver: host0}, size: 50KB}]\nuntil: 20ms\n",
		says: "with confirm: false", at: map[string]string{"confirm": "transport.congestion.confirm"}},
	// hints_stamps.go
	{name: "no room for stamps", text: "weft: 1\ntopology: {kind: hyperx, widths: [2, 2, 2, 2, 2, 2], hosts_per_switch: 1}\nfabric: {telemetry: {}}\ntransport: {congestion: hpcc, balancer: ecmp}\ntraffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host1]}, size: 1MB}]\n",
		says: "have room for 5 stamps", at: map[string]string{"int_bytes": "transport.congestion.int_bytes"}, gain: planned},
	// lanes.go
	{name: "an order of no lanes", text: twoTors + "fabric: {classes: 2, lane_order: turns}\ntransport: {congestion: dctcp, balancer: ecmp, class: 1}\n" + tornado, says: "fabric.lane_order: turns has no effect",
		at: map[string]string{"it": "fabric.lane_order"}, gain: same},
	{name: "priorities that share lanes", text: ring + "fabric: {classes: 6, pfc: 50KB}\nrouting: {lanes: hop}\ntransport: {congestion: dctcp, balancer: ecmp}\n" +
		"traffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host2]}, size: 1MB, transport: {class: 4}}, {name: b, pattern: {kind: pairs, pairs: [host1->host2]}, size: 1MB, transport: {class: 5}}]\n",
		says: "share lanes", gain: planned, by: []string{"fabric.classes=8", "traffic.a.transport.class=3", "traffic.b.transport.class=7"}},
	{name: "detours without lanes", text: "weft: 1\ntopology: {kind: dragonfly, hosts_per_switch: 1, switches_per_group: 2, global_links: 1}\nfabric: {classes: 8, pfc: 50KB}\nrouting: {policy: valiant, lanes: none}\ntransport: {congestion: dctcp, balancer: ops, class: 7}\n" + tornado,
		says: "with routing.lanes: none paused links", at: map[string]string{"lanes": "routing.lanes"}, gain: noWorse},
	{name: "detours in too low a class for lanes", text: twoTors + "routing: {policy: valiant, lanes: none}\nfabric: {pfc: 100KB}\ntransport: {congestion: dctcp, balancer: ops}\n" + tornado, says: "with routing.lanes: none paused links", gain: planned},
	{name: "detours of a transport that leaves no lanes", text: twoTors + "routing: {policy: valiant, lanes: none}\nfabric: {pfc: 100KB}\ntransport: {congestion: homa}\n" + tornado, says: "with routing.lanes: none paused links", by: []string{"fabric.pfc=null"}, gain: planned},
	{name: "a circle of a transport that leaves no lanes", text: ring + "routing: {lanes: none}\nfabric: {pfc: 100KB}\ntransport: {congestion: homa}\ntraffic: [{name: main, pattern: permutation, size: 1MB}]\n", says: "before the 8 of the transport, and ports have 8", by: []string{"fabric.pfc=null"}, gain: planned},
	{name: "more lanes than there are", text: slimFly + "fabric: {pfc: 50kB}\ntransport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: layers, density: 25%, layers: 9}, lanes: none}\n", says: "and ports have 8 at most: remove fabric.pfc", by: []string{"fabric.pfc=null"}, gain: planned},
	{name: "pairs without a route in a sampled layer", text: slimFly + "transport: {congestion: dctcp, balancer: ops}\nrouting: {policy: {kind: layers, density: 25%, layers: 9}}\n", says: "a higher density, or another layer_seed, leaves fewer", by: []string{"routing.policy.density=40%"}, fewer: true, gain: planned},
	{name: "a circle without lanes", text: ring + "fabric: {pfc: 10KB, ecn: off}\nrouting: {lanes: none}\ntransport: {congestion: {kind: constant, window: 1MB}, balancer: ecmp}\n" +
		"traffic: [{name: a, pattern: {kind: off-diagonal, offset: 2}, size: 1MB}]\nstuck_after: 1ms\n",
		says: "routes have a circle of links"},
	// lockstep.go
	{name: "lockstep of windows that never change", text: lockedStar, says: "to make NICs differ a little", gain: noted},
	{name: "lockstep", text: tcpLocked, says: "Write fabric: {host_jitter: auto}", gain: noted},
	// needs_table.go
	{name: "queues that drop credit's backlog", text: twoTors + "fabric: {classes: 2, queue: 20KB}\ntransport: {congestion: sird, balancer: ops}\n" + manyToOne, says: "drop the backlog at a receiver"},
	{name: "queues that trim credit's backlog", text: twoTors + "fabric: {classes: 3, queue: 20KB, overflow: trim}\ntransport: {congestion: sird, balancer: ops, class: 1}\n" + manyToOne, says: "trim the backlog at a receiver"},
	{name: "no marks for a balancer", text: slowSpine + "fabric: {ecn: off}\ntransport: {congestion: swift, balancer: arcane}\n", says: "no port marks congestion, and arcane"},
	{name: "no marks for a balancer in a queue without end", text: slowSpine + "fabric: {ecn: off, queue: infinite}\ntransport: {congestion: swift, balancer: arcane}\n", says: "no port marks congestion, and arcane"},
	{name: "no marks for a balancer beside a short queue", text: slowSpine + "fabric: {ecn: off, queue: 0.5BDP}\ntransport: {congestion: swift, balancer: arcane}\n", says: "no port marks congestion, and arcane"},
	{name: "no marks of NICs", text: slowSpine + "fabric: {ecn: off, nic: fifo}\ntransport: {congestion: swift, balancer: arcane}\n", says: "no port marks congestion, and arcane"},
	{name: "no marks for a control", text: twoTors + "fabric: {ecn: off, queue: 1BDP}\ntransport: {congestion: nscc, balancer: ops}\n" + manyToOne, says: "no port marks congestion, and nscc", of: tailOfRoundTrips},
	{name: "no marks for plb", text: slowSpine + "fabric: {ecn: off}\ntransport: {congestion: swift, balancer: plb}\n", says: "no port marks congestion, and plb"},
	{name: "no marks for bitmap", text: slowSpine + "fabric: {ecn: off}\ntransport: {congestion: swift, balancer: bitmap}\n", says: "no port marks congestion, and bitmap"},
	{name: "no pauses for adapters", text: twoTors + "fabric: {queue: 1BDP}\ntransport: {congestion: dcqcn}\n" + manyToOne, says: "fabric.pfc is absent"},
	{name: "stamps of several paths", text: twoTors + "transport: {congestion: hpcc, balancer: ops}\n" + manyToOne, says: "compares no stamps of one path", at: map[string]string{"balancer": "transport.balancer"}},
	{name: "no trimming for fatpaths", text: slimFlyPeers + "routing: {policy: layers}\ntransport: {congestion: nscc, balancer: fatpaths}\n", says: "and fatpaths leaves a layer only after", at: map[string]string{"balancer": "transport.balancer"}},
	// brings_setup.go
	{name: "two laws of marking", text: twoTors + "traffic: [{name: a, pattern: tornado, size: 1MB, transport: {congestion: dctcp}}, {name: b, pattern: tornado, size: 1MB, transport: {congestion: dcqcn}}]\n", says: "were published with different marking", gain: noted},
	{name: "no share of no limit", text: twoTors + "fabric: {queue: infinite}\ntransport: {congestion: nscc, balancer: ops}\n" + strings.Replace(manyToOne, "1MB", "10MB", 1), says: "the default begins at a share of the limit", of: medianOfRoundTrips},
	// offered.go, record/notice.go
	{name: "too much load", text: twoTors + "transport: {congestion: dctcp}\ntraffic: [{name: main, pattern: uniform, size: 20kB, arrival: {kind: poisson, load: 130%}, stop: 400us}]\n", says: "so that messages wait ever longer; write load",
		at: map[string]string{"load": "traffic.main.arrival.load"}},
	{name: "messages that start at the end", text: twoTors + "transport: {congestion: dctcp}\ntraffic: [{name: main, pattern: uniform, size: 64KiB, arrival: {kind: poisson, load: 30%}}]\nuntil: 1ms\n", says: "messages start until the run ends", gain: noWorse},
	{name: "too much load of a slow core", text: "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, uplink_rate: 1Gbps}\ntransport: {congestion: dctcp}\ntraffic: [{name: main, pattern: uniform, size: 20kB, arrival: {kind: poisson, load: 2%}, stop: 4ms}]\n",
		says: "so that messages wait ever longer; write load: 0.", at: map[string]string{"load": "traffic.main.arrival.load"}},
	{name: "too much load of two groups", text: twoTors + "transport: {congestion: dctcp}\ntraffic: [{name: a, pattern: uniform, size: 20kB, arrival: {kind: poisson, load: 60%}, stop: 400us}, {name: b, pattern: uniform, size: 20kB, arrival: {kind: poisson, load: 70%}, stop: 400us}]\n",
		says: "offer at most", by: []string{"traffic.a.arrival.load=40%", "traffic.b.arrival.load=40%"}},
	// queues.go
	{name: "an entry that later ones replace", text: twoTors + "fabric: {ports: [{links: [\"tor0->host0\"], queue: 50KB}, {links: [\"tor*->host*\"], queue: 500KB}]}\ntransport: {congestion: dctcp}\n" + tornado, says: "later entries name all of its ports",
		by: []string{"fabric.ports=[{links: [\"tor*->host*\"], queue: 500KB}]"}, gain: same},
	{name: "an entry that moves behind", text: twoTors + "fabric: {ports: [{links: [\"tor0->host0\"], queue: 500KB}, {links: [\"tor*->host*\"], queue: 50KB}]}\ntransport: {congestion: dctcp}\n" + manyToOne, says: "later entries name all of its ports",
		by: []string{"fabric.ports=[{links: [\"tor*->host*\"], queue: 50KB}, {links: [\"tor0->host0\"], queue: 500KB}]"}},
	{name: "no pauses beside credits", text: twoTors + "fabric: {classes: 4}\ntransport: {class: 2}\ntraffic: [{name: main, pattern: tornado, size: 1MB, transport: {congestion: expresspass}}, {name: other, pattern: tornado, size: 1MB, transport: {congestion: hpcc}}]\n",
		sets: []string{"fabric.queue=1BDP"}, says: "write fabric: {pfc: {xoff: 500KB, classes: [2]}}", gain: planned},
	// spec_deflect.go
	{name: "deflection on layers with a circle", text: "weft: 1\ntopology: {kind: leaf-spine, tors: 4, hosts_per_tor: 2, spines: 2}\nrouting: {policy: {kind: layers, scheme: past, layers: 4}}\nfabric: {deflect: {lanes: 1}, pfc: 500KB}\ntransport: {congestion: dcqcn}\n" + tornado,
		says: "with fabric.deflect.lanes: ", by: []string{"fabric.pfc=null"}, gain: planned},
	{name: "deflection on minimal routes with a circle", text: "weft: 1\ntopology: {kind: slim-fly, order: 5, hosts_per_switch: 1}\nfabric: {deflect: {lanes: 2}, pfc: 500KB}\ntransport: {congestion: dcqcn}\n" + tornado,
		says: "with fabric.deflect.lanes: ", by: []string{"fabric.pfc=null"}, gain: planned},
	{name: "deflection without lanes", text: twoTors + "fabric: {classes: 8, pfc: 100KB, deflect: {tokens: 2, lanes: 1}}\ntransport: {congestion: dctcp, balancer: ecmp, class: 7}\n" + tornado, says: "with fabric.deflect.lanes: ", at: map[string]string{"lanes": "fabric.deflect.lanes"}, gain: noWorse},
	{name: "deflection on detours without lanes", text: twoTors + "routing: {policy: valiant}\nfabric: {classes: 8, pfc: 100KB, deflect: {tokens: 2, lanes: 1}}\ntransport: {congestion: dctcp, balancer: ecmp, class: 7}\n" + tornado, says: "with fabric.deflect.lanes: ",
		by: []string{"routing.policy=ecmp", "fabric.deflect.lanes=per-token"}, gain: noWorse},
	{name: "deflection behind marks", text: twoTors + "fabric: {classes: 8, pfc: 500KB, deflect: {tokens: 2, threshold: 400KB}, ecn: {kind: threshold, k: 100KB}}\ntransport: {congestion: dctcp, balancer: ecmp, class: 7}\n" + tornado, says: "fabric.deflect.threshold, ",
		by: []string{"fabric.deflect.threshold=50KB"}, gain: noWorse},
	// tenants.go
	{name: "shares behind data", text: twoTors + "fabric: {pfc: 500KB}\ntransport: {congestion: dart}\n" + manyToOne, says: "bring senders their shares, but wait behind data", gain: noWorse},
	// headroom.go
	{name: "headroom that is too small", text: overloadedWith("headroom: 0B"), says: "after its pause was sent, 37545B more", at: pfc("headroom")},
	{name: "headroom that was too small", text: overloadedWith("headroom: 0B"), says: "were dropped for want of headroom (headroom_full): fabric.pfc.headroom is", at: pfc("headroom")},
	{name: "queues that fill the buffer", text: twoIncasts, says: "with fabric.pfc.of: egress 2 queues fill", at: pfc("of")},
	{name: "a buffer that queues filled", text: twoIncasts, says: "the shared buffer was full before", at: pfc("of")},
	{name: "pauses that expire", text: overloadedWith("quanta: 100, refresh: 0%"), says: "pauses expire while switches are full", at: pfc("refresh", "quanta")},
	{name: "a watchdog that sends", text: "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 8, spines: 2, rate: 100Gbps}\nfabric: {buffer: 8MB, pfc: {xoff: 50KB, watchdog: {detect: 10us, restore: 10us, action: forward}}, ecn: off}\ntransport: {congestion: {kind: constant, window: 10MB}, balancer: ecmp, recovery: go-back-n}\n" + manyToOne,
		says: "the watchdog sent frames in spite of pauses", at: map[string]string{"detect": "fabric.pfc.watchdog.detect"}},
	// afterthoughts.go
	{name: "go-back-n and spraying", text: sprayed + "transport: {congestion: {kind: constant, window: 1BDP}, balancer: ops, recovery: go-back-n}\n", says: "with go-back-n a receiver drops", at: ofTransport("recovery", "balancer")},
	{name: "irn and spraying", text: sprayed + "transport: {congestion: {kind: constant, window: 1BDP}, balancer: ops, recovery: irn}\n", says: "irn takes a packet for lost", at: ofTransport("recovery")},
	{name: "sack and spraying", text: sprayed + "transport: {congestion: {kind: constant, window: 1BDP}, balancer: ops, recovery: sack}\n", says: "sack takes a packet for lost", at: ofTransport("recovery")},
	{name: "a short fixed timeout", text: pausedStar + "transport: {balancer: ecmp, congestion: {kind: constant, window: 10MB}, rto: 100us, recovery: selective}\n", says: "is shorter than round trips here", at: ofTransport("rto")},
	{name: "round trips that grow", text: "weft: 1\ntopology: {kind: star, hosts: 13, rate: 100Gbps}\nfabric: {queue: 20MB}\ntransport: {congestion: dctcp, balancer: ecmp, recovery: selective}\ntraffic: [{name: a, pattern: {kind: alltoall, connections: 3}, size: 1MB, jitter: 20us}]\nfaults: [{kind: degrade, links: tor0->host0, rate: 1Gbps, at: 20us}]\n",
		says: "faster than the timeout adapted", at: ofTransport("rto")},
	{name: "short timeouts of irn", text: strings.Replace(pausedStar, "size: 1MB", "size: 40KB, arrival: {kind: once, count: 10}", 1) + "transport: {balancer: ecmp, congestion: {kind: constant, window: 10MB}, recovery: irn}\n", says: "and irn waits no longer for the last packets", at: ofTransport("recovery")},
	{name: "lost acknowledgements", text: "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 2, spines: 4, rate: 100Gbps}\nfabric: {queue: 500KB}\ntransport: {congestion: {kind: constant, window: 100KB}, balancer: ops, recovery: selective}\ntraffic: [{name: a, pattern: {kind: pairs, pairs: [host0->host2]}, size: 10MB}]\nfaults: [{kind: loss, links: spine0->tor1, probability: 50%}]\n",
		says: "acknowledgements were lost: write ack", at: ofTransport("ack")},
	// stuck.go
	{name: "data that headers starve", text: starving, says: "data starves at"},
	// load_variants.go, links_lost.go
	{name: "a set that does not reach a variant", text: twoTors + tornado + "compare: [{name: one, set: {transport.balancer: ecmp}}]\n", sets: []string{"transport.balancer=ops"}, says: "does not reach variant", gain: planned},
	{name: "what another kind of topology drops", text: "weft: 1\ntopology: {kind: leaf-spine, tors: 2, hosts_per_tor: 4, spines: 2, rate: 10Gbps}\ntransport: {congestion: dctcp}\n" + tornado + "compare: [{name: star, set: {topology: {kind: star, hosts: 8}}}]\n", says: "does not carry over to another kind",
		at: map[string]string{"rate": "compare.star.set.topology.rate"}, gain: planned},
	// topo
	{name: "links that a file does not count", text: "weft: 1\ntopology: {kind: graph, file: DIR/g.hpcc}\ntransport: {congestion: dctcp}\ntraffic: [{name: main, pattern: permutation, size: 10kB}]\n", says: "more links follow",
		files: map[string]string{"g.hpcc": "6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n"}, recounted: map[string]string{"g.hpcc": "6 2 %s\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n3 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n"}, gain: planned},
	{name: "flows that a file does not count", text: "weft: 1\ntopology: {kind: star, hosts: 5}\ntransport: {congestion: dctcp}\ntraffic: [{name: main, pattern: {kind: flow-file, file: DIR/f.flows, origin: 2s}}]\n", says: "more flows follow",
		files: map[string]string{"f.flows": "1\n1 0 3 100 1000 2.0\n2 0 3 100 1000 2.0\n"}, recounted: map[string]string{"f.flows": "%s\n1 0 3 100 1000 2.0\n2 0 3 100 1000 2.0\n"}, gain: planned},
	{name: "a rate that a file has", text: "weft: 1\ntopology: {kind: graph, file: DIR/g.csv, rate: 10Gbps}\ntransport: {congestion: dctcp}\n" + tornado, says: "the file takes precedence", at: map[string]string{"it": "topology.rate"}, gain: same,
		files: map[string]string{"g.csv": "a,b,rate,delay\nhost0,s0,100Gbps,500ns\nhost1,s0,100Gbps,500ns\nhost2,s0,100Gbps,500ns\nhost3,s0,100Gbps,500ns\n"}},
}

// overloadedWith is overloaded with more options of fabric.pfc.
func overloadedWith(options string) string {
	return strings.Replace(overloaded, "{xoff: 100KB}", "{xoff: 100KB, "+options+"}", 1)
}

func tailOfSlowdowns(s *record.Summary) float64 { return s.Slowdown.P99 }

func medianOfRoundTrips(s *record.Summary) float64 { return float64(s.RTT.P50) }

func tailOfRoundTrips(s *record.Summary) float64 { return float64(s.RTT.P99) }

// pfc are the places of keys of fabric.pfc.
func pfc(keys ...string) map[string]string { return under("fabric.pfc.", keys) }

// ofTransport are the places of keys of transport.
func ofTransport(keys ...string) map[string]string { return under("transport.", keys) }

func under(prefix string, keys []string) map[string]string {
	at := map[string]string{}
	for _, k := range keys {
		at[k] = prefix + k
	}
	return at
}

// exempt are texts that no row follows, by the reason. A whole file is exempt only if nothing in it makes a notice.
var exempt = map[string][]string{
	"its texts are in errors": {
		"scenario/load_known.go", "scenario/memory_load.go", "scenario/spec_matrix.go", "scenario/loss_recovery.go", "scenario/frames.go", "route/detours.go",
		"route/dimensions.go", "fault/targets.go", "topo/dot.go", "topo/meant.go", "topo/nodelink.go", "topo/validate.go", "workload/flows.go", "workload/matrix/check.go",
		"workload/matrix/read.go", "workload/matrix/words.go",
	},
	"it is the reference of scenario files": {"scenario/spec_reference.go"},
	"an error has it": {
		"give each edge its own id", "give each edge its own key", "give the path of a scenario file", "choose another control, such as nscc, which needs neither",
		"write class: %d or more", "write fabric: {classes: %d} and class: %d",
		"write fabric: {classes: %d}, transport: {class: %d}",
		"write intermediate: group for shorter walks, ",
		"remove fabric.pfc, or write routing: {lanes: none}, with which weft finds deadlocks",
		"a share of the port's limit, but with %s: %s there is none; write bytes or bandwidth-delay products",
		"remove this (repeat: makes collectives follow each other, and rounds: those of a stencil)",
		"remove this: the pattern's load of %v sets how often they start",
		"remove this: the pattern's interval starts one every %v",
		"remove this, and set the rate in the pattern, as in pattern: {kind: %s, load: %v}",
		"; give nodes the kind host, names that begin with host or are like h1, or one link each, or hang hosts on every switch (hosts_per_switch)",
	},
	"no built-in part wants what it lacks, but needs it, which is an error": {
		"write fabric: {classes: %d, credits: %s}", "write policy: ecmp", "choose another balancer, such as arcane", ", or choose a control with a window, such as nscc", "write ack: {every: 1}, or ",
		"use a leaf-spine or a fat tree with all its links and routing without weights, or spanning trees: routing.policy: {kind: layers, scheme: past}",
		"write fabric: {buffer: 16MB}, or ", "write fabric: {telemetry: {}}, or ", "choose another balancer, such as fatpaths, or write policy: ecmp", "choose another balancer, such as spritz, or write policy: ecmp",
		"choose another marking law, such as red", "choose a control that does not need it, such as nscc", "ports have %d at most: write %s",
		"ports have %d at most, and headers of trimmed frames take the first: write overflow: drop", "ports have %d at most: write a class of %d at most",
		"write a limit of at least a full frame, %v, and at most %v, as in queue: %v for 8 frames", "write fabric: {ecn: %s}, or ", "choose a control that uses delay, such as swift",
		"write fabric: {overflow: %s, queue: %v} for 8 frames",
	},
	"it says which part of a run to measure, and no value":         {"A run that is still filling up looks the same: measure later (measure.from), and longer (until)"},
	"it is of the export of a topology, which runs nothing":        {"add them to the delays of links if they matter there", "use the same rate in all tiers if yours refuses the file", "give all links the same"},
	"it is of the nodes of a user's file, which is right as it is": {"%d nodes are taken as hosts %s: %s; give nodes the kind host or switch to say otherwise"},
}
