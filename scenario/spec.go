// Package scenario defines the file format of scenarios. It reads a file as a whole and
// reports every mistake at its place, builds what the file describes, and runs it.
package scenario

import (
	"fmt"
	"reflect"
	"strconv"

	"weft/catalog"
	"weft/config"
	"weft/fault"
	"weft/problem"
	"weft/protocol"
	"weft/route"
	"weft/topo"
	"weft/unit"
	"weft/workload"
)

// Version is the version of the file format that this package reads.
const Version = 1

// ResultRevision counts the changes of behaviour that change the result of some scenario.
// Releases with the same revision give the same results, so a study can continue with a
// newer release without repeating its runs. A new default needs no new revision if the
// option's tag states the value that it was introduced with: studies identify runs by their
// differences from that.
const ResultRevision = 8

// Spec is the content of a scenario file, as its tags describe it, with every default
// filled in.
type Spec struct {
	Weft  int    `yaml:"weft" doc:"Version of the file format; 1."`
	Name  string `yaml:"name" default:"" doc:"Name of the scenario (default: its file's name). Results go to out/NAME."`
	About string `yaml:"about" default:"" doc:"What the scenario shows, in a sentence."`
	Seed  uint64 `yaml:"seed" default:"1" doc:"Seed of every random choice; the same seed gives the same result."`

	Topology  catalog.Choice[*topo.Graph] `yaml:"topology" doc:"Network of hosts, switches and links."`
	Routing   Routing                     `yaml:"routing" default:"{}" doc:"How switches choose among next hops."`
	Fabric    Fabric                      `yaml:"fabric" default:"{}" doc:"Queues of switches and hosts."`
	Transport Transport                   `yaml:"transport" default:"{}" doc:"Transport of all traffic, unless a group overrides it."`
	Traffic   []Traffic                   `yaml:"traffic" doc:"Groups of messages that run side by side."`

	Faults     []catalog.Choice[fault.Fault] `yaml:"faults" default:"[]" doc:"What fails, and when."`
	Until      *unit.Time                    `yaml:"until" known:"duration,time,sim_time,simtime,stop_time,end" doc:"When the run stops, finished or not (default: when nothing is left to do)." min:"1ps"`
	Measure    Measure                       `yaml:"measure" default:"{}" doc:"Measurement window: when messages and ports count."`
	StuckAfter unit.Time                     `yaml:"stuck_after" default:"10ms" doc:"Time without progress after which the run ends as stuck. Progress is new data delivered or a message acknowledged; while no message is in flight, or a fault or repair is still to come, the clock does not count. Default: at least 4 times the largest timeout (rto; 64 times its bound if it adapts or with timer: connection). A host transport gets as long as a few losses in a row take (32 silences of SIRD, Homa, dcPIM and pHost). Checked once per such time. Each check also looks for a deadlock of pauses (fabric.pfc), which ends the run even while other messages move." min:"1ns"`

	Record  Record    `yaml:"record" default:"{}" doc:"What to record of the run; never changes the result."`
	Engine  Engine    `yaml:"engine" default:"{}" doc:"How to execute the run; never changes the result."`
	Compare []Variant `yaml:"compare" default:"[]" doc:"Variants to run side by side on the same workload (default: the file as it stands)."`

	Matrix  []Axis         `yaml:"matrix" default:"[]" doc:"Axes of a study: weft study run takes every combination of their values, with every variant of compare."`
	Exclude []*config.Node `yaml:"exclude" default:"[]" doc:"Combinations that a study leaves out, each a mapping of axes to labels or lists of labels."`
	Seeds   *config.Node   `yaml:"seeds" doc:"Seeds for each combination of a study: how many, counted from seed; a range (1..5); or a list (default: only seed)."`
}

// Routing configures how switches choose among next hops.
type Routing struct {
	Policy     catalog.Choice[route.Policy] `yaml:"policy" default:"ecmp" doc:"Where next hops lead: on all shortest paths, equally often (ecmp) or in proportion to the rates of their links (wcmp); on those between fewest groups (hierarchical); on paths in sparse layers, as in {kind: layers, layers: 9}; along explicit paths (ksp, paths); or by intermediates, always (valiant) or where queues speak for it (ugal, par). See docs/routing.md." source:"ARCANE §2.2 (ecmp), §4.3.2 (wcmp); FatPaths §V (layers)"`
	Lanes      string                       `yaml:"lanes" default:"auto" doc:"When the class of a packet falls by one, so that pauses (fabric.pfc) cannot wait for each other in a circle. hop: with each link between switches after the first. phase: where a packet turns from its intermediate to its destination; enough where minimal paths have no circle. auto: with pauses and valiant, ugal or par the one of these that takes fewer classes, otherwise none, which is refused with pauses if routes may have a circle. none: never; weft finds deadlocks. See docs/routing.md." source:"Günther, IEEE Trans. Commun. 29(4), 1981 (hop)" enum:"auto,none,hop,phase"`
	Reconverge Reaction                     `yaml:"reconverge" default:"10ms" doc:"Delay of routing after a link or switch fails or returns, or never. Updating an ECMP group takes several milliseconds." source:"ARCANE §2.2; RFC 7938 §7.1"`
}

// Timeout is a retransmission timeout that does not adapt: a time, or ARCANE's rule for it.
type Timeout struct {
	// Path selects ARCANE's rule (plan.pathTimeout). Fixed is the time otherwise.
	Path  bool
	Fixed unit.Time
}

const pathTimeout = "path"

// UnmarshalText reads "path" or a time above 0.
func (t *Timeout) UnmarshalText(text []byte) error {
	if string(text) == pathTimeout {
		*t = Timeout{Path: true}
		return nil
	}
	fixed, err := unit.ParseTime(string(text))
	if err == nil && fixed <= 0 {
		err = fmt.Errorf("%v is below 1ps", fixed)
	}
	if err != nil {
		return problem.New("%w", err).Mend("write a time such as 100us, path for ARCANE's rule, or leave rto out for one that adapts")
	}
	*t = Timeout{Fixed: fixed}
	return nil
}

// MarshalText writes t in the form that UnmarshalText reads.
func (t Timeout) MarshalText() ([]byte, error) {
	if t.Path {
		return []byte(pathTimeout), nil
	}
	return t.Fixed.MarshalText()
}

// Form describes how to write a Timeout.
func (Timeout) Form() catalog.Form {
	time := catalog.FormOf(reflect.TypeFor[unit.Time]())
	return catalog.Form{Name: "time or path", Example: "100us", Pattern: time.Pattern, Words: []string{pathTimeout}}
}

const never = "never"

// Reaction is the delay of a reaction, or never.
type Reaction struct {
	Never bool
	After unit.Time
}

// UnmarshalText reads "never" or a time.
func (r *Reaction) UnmarshalText(text []byte) error {
	if string(text) == never {
		*r = Reaction{Never: true}
		return nil
	}
	after, err := unit.ParseTime(string(text))
	if err != nil {
		return fmt.Errorf("%w, or never", err)
	}
	*r = Reaction{After: after}
	return nil
}

// MarshalText writes r in the form that UnmarshalText reads.
func (r Reaction) MarshalText() ([]byte, error) {
	if r.Never {
		return []byte(never), nil
	}
	return r.After.MarshalText()
}

// Form describes how to write a Reaction.
func (Reaction) Form() catalog.Form {
	time := catalog.FormOf(reflect.TypeFor[unit.Time]())
	return catalog.Form{Name: "time or never", Example: "25us", Pattern: time.Pattern, Words: []string{never}}
}

// Fabric configures the queues of switches and hosts.
type Fabric struct {
	Queue      QueueLimit                           `yaml:"queue" default:"1BDP" doc:"Limit of each priority class of each port, or of all lanes of one priority: bytes, BDP or infinite (default: the deepest that a control brings). Bytes apply at every port. BDP are of the port's link: a port at twice the hosts' rate holds twice as much. A slower port holds less, but at least 8 full frames if that many fit at the hosts' rate. Rates that faults set change nothing. Infinite is the most that a port can count, 4 GiB." source:"ARCANE §4.1 (1 BDP); NDP, SIGCOMM 2017, §3 (8 packets)"`
	Buffer     *SharedBuffer                        `yaml:"buffer" doc:"Buffer that the ports of each switch share: a size, as in 16MB, or a mapping with a dynamic threshold, as in {size: 16MB, alpha: 2}. A frame is taken if both the limit of its queue and the buffer have room. Write queue: infinite to leave the decision to the buffer. Headers of trimmed frames count too. Credits count, but are never refused. Without it, each port holds up to fabric.queue."`
	PFC        *PFC                                 `yaml:"pfc" doc:"Priority flow control: switches pause the links over which too much came, by class, in place of dropping. A model of switches, hpcc or conweave, which share fabric.buffer; a threshold, as in 500KB; or a mapping, as in {xoff: 500KB, xon: 10KB} (default: none). See docs/lossless.md." source:"IEEE 802.1Qbb"`
	Telemetry  *INT                                 `yaml:"telemetry" doc:"In-band telemetry: switches stamp packets with the state of their ports, on data or on acknowledgements, as the congestion control says (default: none, or {} if a control needs it)." source:"HPCC, SIGCOMM 2019, §3.1; FNCC §3.2"`
	Classes    int                                  `yaml:"classes" default:"1" doc:"Priority classes of each port, served strictly unless scheduler says otherwise: class 0 goes first. Lanes are one priority (default: as many as the transports need). With overflow: trim there are at least two, even where 1 is written or shown as resolved." min:"1" max:"8"`
	LaneOrder  string                               `yaml:"lane_order" default:"arrival" doc:"Which lane of a priority a port serves next, of those that are not paused, where packets travel in several (routing.lanes, fabric.deflect). arrival: the one whose first frame came to the port first, as if all lanes were one queue. turns: a frame of each in turn." source:"weft; turns: BookSim" enum:"arrival,turns"`
	ECN        catalog.Choice[protocol.Marking]     `yaml:"ecn" default:"red" doc:"When frames are marked for congestion (default: the law of the first control that brings one). Of a control that brings none, or a share of the limit, the default with queue: infinite is off, or {kind: threshold, k: 1.25BDP} if it must have marks. With nic: fifo the default is a threshold."`
	Admission  *catalog.Choice[protocol.Admission]  `yaml:"admission" doc:"Admission rule for each queue, beside its limit and the shared buffer (default: none). A refused frame is dropped or trimmed, as at a full queue."`
	Scheduler  *catalog.Choice[protocol.Scheduling] `yaml:"scheduler" doc:"Which class a port of a switch sends next, as in {kind: drr, weights: [3, 1]} (default: strict, class 0 first)." source:"IEEE 802.1Q"`
	Overflow   string                               `yaml:"overflow" default:"drop" doc:"What happens to a frame that finds its queue full: it is dropped, or trimmed to its header, which continues in class 0 (default: trim if a transport needs it)." source:"NDP, SIGCOMM 2017, §3.1" enum:"drop,trim"`
	NIC        string                               `yaml:"nic" default:"pull" doc:"How hosts send. pull: the NIC takes a packet when its wire is free, acknowledgements first, then connections in turn. fifo: acknowledgements, and all data that windows allow, wait in one queue without a limit, which marks data as ports do." source:"weft; ns-2 and INET queue at hosts" enum:"pull,fifo"`
	Jitter     *NICJitter                           `yaml:"nic_jitter" doc:"How NICs and clocks of hosts differ, beside host_jitter: the longest wait of a frame at its NIC, whose wire is idle meanwhile, as in 5ns, or a mapping with ppm for clocks too, as in {delay: 5ns, ppm: 200}. By default NICs do not wait. Links of switches, ideals and derived values do not change."`
	HostJitter HostJitter                           `yaml:"host_jitter" default:"auto" introduced:"none" doc:"How inexact hosts are: the most by which a frame is late on its way out of the host that sends it, behind the wire, and again on its way in at the host that receives it. Each frame draws its delay uniformly from 0; order is kept. auto is a sixteenth of the time of a full frame on a host's link, at which equal senders get equal shares. none is exact hosts, for closed forms; a run then reports at its end senders that look phase-locked. Rates, pauses, ideals and derived values do not change; timeouts that are derived allow for it." source:"Floyd and Jacobson, CCR 21(2), 1991; weft (size)"`
	Interrupts *unit.Time                           `yaml:"nic_interrupts" doc:"Least time between two interrupts by which a host takes frames off its NIC, as in 10us for 100 kHz. A frame that comes sooner after the last interrupt waits for the next, which takes all that has arrived (default: each frame is taken at once)." source:"FatPaths §VII-A6 (100 kHz)" min:"1ns"`
	Trim       *Trim                                `yaml:"trim" doc:"How frames are trimmed; only with overflow: trim."`
	Ports      []PortQueue                          `yaml:"ports" default:"[]" doc:"Queue settings that override those above at some links. If two entries name the same port, the later one counts, key by key."`
	Deflect    *Deflect                             `yaml:"deflect" doc:"In-order flow deflection: a switch whose minimal port has a long queue sends a short message to another switch, all its packets alike (default: none; {} has Dart's values). See docs/deflection.md." source:"Dart §IV"`
	Credits    *Credits                             `yaml:"credits" doc:"Class 0 for credits, with a rate limit at each port (default: none)." source:"ExpressPass, SIGCOMM 2017, §3.1"`
}

// Trim configures how switches trim frames.
type Trim struct {
	Header unit.Bytes  `yaml:"header" default:"64B" doc:"Size of a frame after trimming." min:"1B"`
	Victim string      `yaml:"victim" default:"arriving" doc:"Which frame is trimmed: the arriving one, or, by a coin toss, that or the last one in the queue." source:"NDP, SIGCOMM 2017, §3.1" enum:"arriving,coin"`
	Ratio  *TrimRatio  `yaml:"ratio" doc:"How many frames of class 0 (headers, acknowledgements, pulls) may pass a waiting data frame before it goes. With strict, class 0 always goes first and can starve data. Default: 10 with ndp, strict with others." source:"NDP, SIGCOMM 2017, §3.1 (10); uet-htsim (strict)"`
	Queue  unit.Amount `yaml:"queue" default:"1BDP" doc:"Limit of class 0, which holds the headers. Bytes and BDP are as in fabric.queue; a share is of the port's limit."`
}

// Transport configures how hosts carry messages.
type Transport struct {
	Payload      unit.Bytes                                 `yaml:"payload" default:"4096B" doc:"Largest payload of a data frame. ARCANE's MTU of 4 KiB is taken as the payload: frames are 4160B with headers, and 4150B in its authors' simulator." source:"ARCANE §4.1" min:"1B" max:"65535B"`
	Header       unit.Bytes                                 `yaml:"header" default:"64B" doc:"Headers of a data frame, in addition to its payload." max:"65535B"`
	Ack          Ack                                        `yaml:"ack" default:"{}" doc:"Acknowledgements."`
	RTO          *Timeout                                   `yaml:"rto" doc:"Time after which an unacknowledged packet counts as lost, from when it leaves the NIC. By default it adapts: the larger of a bound (base RTT, plus full queues at the slowest ports of the longest path in both directions) and twice the connection's largest recent round trip. It doubles while nothing is heard, up to 64 times. path is fixed: base RTT, plus the full queues of the longest path in one direction." source:"weft; path: ARCANE §4.1"`
	RTOFrom      string                                     `yaml:"rto_from" default:"wire" doc:"Where a packet is when its timeout begins, with fabric.nic: fifo. wire: it leaves the queue of the NIC. queue: it enters it, so that what waits there longer than rto is sent again, as in simulators whose hosts have an output queue." source:"queue: ns-2 and INET, and simulators derived from htsim" enum:"wire,queue"`
	Timer        string                                     `yaml:"timer" default:"packet" doc:"What times out. packet: each packet, rto after it was sent. connection: a connection that hears nothing, as in TCP, which then gives up everything in flight. Its timeout is the smoothed round trip plus four times its deviation, at least rto (by default its bound). It restarts with each new acknowledgement and doubles when it expires, up to 64 times." source:"connection: RFC 6298; ns-2 (64 times)" enum:"packet,connection"`
	Recovery     LossRecovery                               `yaml:"recovery" default:"selective" doc:"How losses are found and made good for: a kind, as in go-back-n, or a mapping with its options (default: what the control brings, if its flows keep to one path each)." source:"weft; go-back-n: RoCE NICs; irn: Mittal et al., SIGCOMM 2018; sack: RFC 6675; order: after Ordered Chaos, SC 2026"`
	Nagle        bool                                       `yaml:"nagle" default:"false" doc:"Whether the last packet of a message, if not full, waits until nothing of its connection is in flight." source:"RFC 896"`
	Connection   string                                     `yaml:"connection" default:"message" doc:"Owner of a congestion window and an entropy chooser: each message, each pair of hosts (per traffic group), or one of a pool of connections per pair. A pooled connection carries one message until all of it is acknowledged; messages wait while none is free." source:"pool: SIRD §6.2" enum:"message,pair,pool"`
	Pool         int                                        `yaml:"pool" default:"40" doc:"Connections from each host to each other one; with connection: pool only." source:"SIRD §6.2" min:"1" max:"65536"`
	Pick         *string                                    `yaml:"pick" doc:"Which connection of a pool a message takes. idle (default): the one freed last; if none is free, the message waits. turn: the next in turn, behind its present messages if it is busy; the window is restarted as if it were idle, if the control has restart." source:"weft; turn is for applications that do not learn when a message has arrived" enum:"idle,turn"`
	ReorderLimit *int                                       `yaml:"reorder_limit" doc:"Largest distance in packets between the newest packet sent and the oldest unacknowledged one (default: no limit)." min:"1" max:"16777216"`
	Class        int                                        `yaml:"class" default:"0" doc:"Priority class of data frames. With overflow: trim it is at least 1, even where 0 is written or shown as resolved, so that class 0 is left to headers." min:"0" max:"7"`
	Congestion   catalog.Choice[protocol.CongestionControl] `yaml:"congestion" default:"dctcp" introduced:"mprdma" doc:"Congestion control, or transport of hosts. It brings the balancer, marking, queue and loss recovery of its paper where the file leaves them open; weft list congestion shows them." source:"Alizadeh et al., SIGCOMM 2010"`
	Balancer     catalog.Choice[protocol.Balancer]          `yaml:"balancer" default:"ecmp" introduced:"arcane" doc:"Load balancer: how each packet's entropy is chosen (default: as the control was published)." source:"RFC 2992"`
	Burst        int                                        `yaml:"burst" default:"1" doc:"How many data packets in a row, of a connection or from a host to another one, have the entropy that the balancer chose for the first: as where a kernel or an adapter cuts packets from one burst (UDP_SEGMENT), which has one source port." source:"weft" min:"1" max:"64"`
}

// Ack configures acknowledgements.
type Ack struct {
	Size      unit.Bytes `yaml:"size" default:"64B" doc:"Size of an acknowledgement frame." min:"1B" max:"65535B"`
	Reply     unit.Bytes `yaml:"reply" default:"0B" doc:"Bytes added to the acknowledgement that completes a message, as if it carried a short answer." source:"SIRD's simulator (NSDI 2025) answers every message with 84B" max:"65535B"`
	Every     int        `yaml:"every" default:"1" doc:"Packets that one acknowledgement reports; with nscc, a marked packet is acknowledged at once." source:"ARCANE §4.5.1; UE 1.0 (marks)" min:"1" max:"64"`
	Delay     *unit.Time `yaml:"delay" doc:"Longest wait of a packet for an acknowledgement that reports several (default: base RTT)." source:"weft" min:"1ps"`
	Entropies string     `yaml:"entropies" default:"trigger" doc:"Entropies that an acknowledgement of several packets returns: that of the packet that triggered it, or those of all that arrived unmarked." source:"ARCANE §4.5.1" enum:"trigger,unmarked"`
	Bitmap    bool       `yaml:"bitmap" default:"false" doc:"Whether every acknowledgement reports which of the 256 packets from the first missing one have arrived, so that it makes up for lost acknowledgements." source:"ARCANE §4.1 (testbed); the paper does not say what its simulations acknowledge"`
	Class     *int       `yaml:"class" doc:"Priority class of acknowledgements (default: that of the data, or 0 with overflow: trim)." min:"0" max:"7"`
}

// Traffic is a group of messages.
type Traffic struct {
	Name      string                           `yaml:"name" doc:"Name of the group."`
	Pattern   catalog.Choice[workload.Pattern] `yaml:"pattern" doc:"Who sends to whom."`
	Size      workload.SizeSpec                `yaml:"size" default:"{}" doc:"Payload of each message: a size, a published workload such as websearch, or a table of sizes as in {cdf: sizes.csv}. workload: websearch is short for size: {workload: websearch}. For a collective, the bytes at each rank. A pattern that lists its messages takes none."`
	Arrival   catalog.Choice[workload.Arrival] `yaml:"arrival" default:"once" doc:"When messages start."`
	Start     unit.Time                        `yaml:"start" default:"0s" doc:"When the group begins."`
	Jitter    unit.Time                        `yaml:"jitter" default:"0s" doc:"Each sender begins later by a random time up to this."`
	Stop      *unit.Time                       `yaml:"stop" doc:"Time after which no message of the group starts; those in flight continue (default: never)." min:"1ps"`
	Hosts     []string                         `yaml:"hosts" default:"[]" doc:"Hosts that take part, as names, patterns (host1*) and ranges (host0..host7) (default: all)."`
	Transport Transport                        `yaml:"transport" default:"{}" doc:"What this group overrides in the transport of all traffic."`

	Tenant    *string `yaml:"tenant" doc:"Whose traffic the group is, for transports that share a receiver among tenants, such as dart (default: of one that all groups without this key share)."`
	LookAhead string  `yaml:"look_ahead" default:"none" enum:"none,senders,members" doc:"Whom the first packet of a message of an incast lists, for transports that tell receivers of incasts beforehand, such as dart. The n-th messages of all senders of the group are an incast. senders: those who send in it. members: all that take part, whether they send or not. For patterns incast and bursts." source:"Dart §III-D"`

	Slowdowns bool `yaml:"slowdowns" default:"true" doc:"Whether the group's messages have slowdowns; without, they are left out of all slowdowns and size classes." source:"SIRD §6.2 leaves incast messages out"`

	Reply *Reply `yaml:"reply" doc:"Reply of the receiver to a complete message, as a group of its own whose name ends in -replies (default: none)."`

	Background *Background `yaml:"background" doc:"A share of the group with another transport, as a group of its own whose name ends in -background; who sends what to whom stays the same."`
}

// Reply configures the replies of receivers.
type Reply struct {
	Size      workload.SizeSpec `yaml:"size" doc:"Payload of a reply: a size, a published workload, or a table of sizes as in {cdf: sizes.csv}."`
	After     unit.Time         `yaml:"after" default:"0s" doc:"Time from the delivery of a message to the start of its reply."`
	Transport Transport         `yaml:"transport" default:"{}" doc:"What replies override in the transport of the group."`
}

// Background moves a share of a group of traffic to another transport.
type Background struct {
	Share     unit.Ratio `yaml:"share" doc:"Share of the group's senders in the background, rounded to the nearest number of senders and chosen at random." source:"ARCANE §4.3.2" max:"100%"`
	Transport Transport  `yaml:"transport" default:"{}" doc:"What the background overrides in the transport of the group, as in {balancer: ecmp}."`
}

// Measure is the measurement window.
type Measure struct {
	From unit.Time  `yaml:"from" known:"warmup,warm_up,warmup_time,burn_in" default:"0s" doc:"Start of the measurement window."`
	To   *unit.Time `yaml:"to" doc:"End of the measurement window, not included (default: end of the run)."`
	// Ends and Lead decide which messages count. Ports always count by the window.
	Ends bool       `yaml:"ends" default:"false" doc:"Whether messages count by the delivery of their last byte, whenever they started, instead of by their start." source:"SIRD's scripts (NSDI 2025)"`
	Lead *unit.Time `yaml:"lead" doc:"With ends: leave out messages that started longer than this before the measurement window, which saves memory in long runs (default: the length of the window)."`
}

// since returns the time from which on started messages may count. to is the end of the
// window.
func (m *Measure) since(to unit.Time) unit.Time {
	switch {
	case !m.Ends:
		return m.From
	case m.Lead != nil:
		return max(0, m.From-*m.Lead)
	case to == unit.Forever:
		return 0
	}
	return max(0, m.From-(to-m.From))
}

// Record configures what is recorded of a run.
type Record struct {
	Flows    string     `yaml:"flows" default:"window" doc:"Which messages get a row: those that start in the measurement window, a random sample of them, or all, whether they count or not." enum:"all,window,sample"`
	Sample   *Sample    `yaml:"sample" doc:"The sample; with flows: sample only."`
	Ports    []string   `yaml:"ports" default:"[]" doc:"Ports with time series of rates, queues, drops and pauses, by patterns such as tor0->spine*."`
	Windows  []string   `yaml:"windows" default:"[]" doc:"Connections whose congestion window and payload in flight are recorded over time, by patterns of their hosts such as host0->*; the first 256 that match."`
	Reaction *unit.Time `yaml:"reaction_to" doc:"A moment at which something happens, such as the start of another flow. A table shows when the rate of each recorded connection (windows) first fell after it, in steps of 0.1 µs, and the largest queue of the recorded ports."`
	Credit   bool       `yaml:"credit" default:"false" doc:"Whether to record where credit is over time (at receivers, at senders, or in flight), for host transports that report it." source:"SIRD §6.2.4"`
	// Convergence applies to controls whose senders confirm the rates that receivers grant
	// (protocol.Confirmer).
	Convergence bool      `yaml:"convergence" default:"false" doc:"Whether to measure at receivers how long senders take to take notice of another one that comes: from its first packet to the first packet of a sender that had heard of its smaller share. With dart." source:"Dart §V-A"`
	Interval    unit.Time `yaml:"interval" default:"20us" doc:"Length of the buckets of time series." source:"ARCANE §4.3.1" min:"1ns"`

	Buffers *Buffers     `yaml:"buffers" doc:"Switches whose buffer occupancy is recorded in the measurement window: mean, percentiles by time and largest sum over all ports, in the summary and as series."`
	Sizes   []unit.Bytes `yaml:"sizes" default:"[]" doc:"Sizes at which classes of messages begin, rising, as in [1450B, 95kB]; each class gets its own slowdowns and completion times, from size:A on." source:"SIRD §6.2.3"`

	Snapshots int `yaml:"snapshots" default:"48" doc:"Number of points in time at which every port is recorded, approximately: between half and all of it, fewer in a large network, none with 0." min:"0" max:"1000"`
}

// Sample selects messages at random.
type Sample struct {
	Share unit.Ratio `yaml:"share" default:"10%" doc:"Share of the messages, chosen at random." max:"100%"`
}

// Engine configures how a run is executed.
type Engine struct {
	Threads int    `yaml:"threads" default:"1" doc:"Threads that run the domains of the network." min:"1" max:"1024"`
	Domains Number `yaml:"domains" default:"auto" doc:"Number of domains that the network is cut into, or auto."`
	Queue   string `yaml:"queue" default:"sweep" doc:"How events are ordered: sweep sorts an engine window's arrivals at once where links allow, and falls back to calendar, a queue of events." enum:"sweep,calendar"`
}

// Number is a number of at least 1, or 0 for a number to be chosen automatically.
type Number int

const auto = "auto"

// UnmarshalText reads a number or "auto".
func (n *Number) UnmarshalText(text []byte) error {
	if string(text) == auto {
		*n = 0
		return nil
	}
	v, err := strconv.Atoi(string(text))
	if err != nil || v < 1 || v > 1<<20 {
		return fmt.Errorf("%.40q is neither auto nor a number from 1 to %d", text, 1<<20)
	}
	*n = Number(v)
	return nil
}

// MarshalText writes n in the form that UnmarshalText reads.
func (n Number) MarshalText() ([]byte, error) {
	if n == 0 {
		return []byte(auto), nil
	}
	return strconv.AppendInt(nil, int64(n), 10), nil
}

// Form describes how to write a Number.
func (Number) Form() catalog.Form {
	return catalog.Form{Name: "integer or auto", Example: "16", Words: []string{auto}}
}

// Variant is one of several scenarios that share a file and differ a little.
type Variant struct {
	Name string       `yaml:"name" doc:"Name of the variant."`
	Set  *config.Node `yaml:"set" doc:"What the variant overrides: paths and values, as in transport.balancer: ecmp. They may also stand beside the name, as in transport: {balancer: ecmp}."`
}
