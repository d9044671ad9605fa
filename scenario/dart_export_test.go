package scenario

import (
	"fmt"

	"weft/fabric"
	"weft/internal/packet"
	"weft/protocol"
	"weft/transport"
	"weft/unit"
)

// senderCounts counts the hosts that send to each host, from frames as they arrive, and compares with it what receivers of Dart say. Every one
// of them is one of its congestion.Receivers, of one tenant.
type senderCounts struct {
	d        *fabric.Domain
	groups   []*protocol.CongestionControl // nil where it is not Dart's
	goBackN  []bool
	messages map[[3]uint32]*countedMessage
	under    map[int32]map[int32]int // by receiver and sender
	expected map[int32]map[int32]int
	lists    map[countedList]map[int32]bool // those of whom nothing came, by incast
	heard    map[int32]unit.Time            // by receiver, when the last frame came
	marked   map[int32]unit.Time            // and the last marked one
	answered map[protocol.Answerer]int32
	peers    map[[2]int32]int32 // hosts, by receiver and what it calls them
	calm     unit.Time
	counted  int                        // answers that were compared, of more than one sender
	told     map[[2]int32][]ToldSenders // by receiver and sender
	wrong    []string
}

// ToldSenders is what a receiver says at an instant.
type ToldSenders struct {
	At unit.Time
	N  int
}

type countedMessage struct {
	seen     map[uint32]bool
	packets  uint32
	complete bool
}

type countedList struct {
	receiver int32
	number   uint64
}

// countSenders wraps the receivers of Dart.
func countSenders(groups []transport.Group) *senderCounts {
	c := &senderCounts{
		groups: make([]*protocol.CongestionControl, len(groups)), goBackN: make([]bool, len(groups)),
		messages: map[[3]uint32]*countedMessage{}, under: map[int32]map[int32]int{}, expected: map[int32]map[int32]int{},
		told: map[[2]int32][]ToldSenders{}, peers: map[[2]int32]int32{}, lists: map[countedList]map[int32]bool{}, heard: map[int32]unit.Time{}, marked: map[int32]unit.Time{}, answered: map[protocol.Answerer]int32{},
	}
	for i := range groups {
		control := &groups[i].Congestion
		if control.ListBytes == 0 {
			continue
		}
		c.groups[i], c.goBackN[i] = control, groups[i].Recovery.Kind == transport.GoBackN
		open := control.NewAnswerer
		control.NewAnswerer = func(env protocol.HostEnv) protocol.Answerer {
			a := &countedAnswerer{open(env), c, env.Host}
			for _, s := range control.Settings(env) {
				if t, ok := s.Value.(unit.Time); ok && s.Name == "calm" {
					c.calm = t
				}
			}
			c.answered[a] = env.Host
			return a
		}
	}
	return c
}

// arrived counts a frame that reached a host, before the host hears of it.
func (c *senderCounts) arrived(now unit.Time, host int32, id fabric.FrameID) {
	f := c.d.Frame(id)
	group := f.Group()
	if int(group) >= len(c.groups) || c.groups[group] == nil || f.Kind != uint8(transport.DataFrame) {
		return
	}
	key := [3]uint32{uint32(f.Src()), f.Message, f.Serial}
	m := c.messages[key]
	packets, x := c.d.Aux(f), c.d.List(f)
	if m != nil && m.complete {
		return
	}
	if c.heard[host] = now; f.Flags&packet.Marked != 0 {
		c.marked[host] = now
	}
	if m == nil {
		m = &countedMessage{seen: map[uint32]bool{}, packets: packets}
		c.messages[key] = m
		add(c.under, host, f.Src(), 1)
	}
	copied := m.seen[f.Seq]
	if c.goBackN[group] && !copied && f.Seq > 0 && !m.seen[f.Seq-1] {
		return // it is thrown away
	}
	if x != nil && !copied {
		c.listed(host, f.Src(), countedList{host, uint64(group)<<32 | uint64(x.Number)}, x)
	}
	m.seen[f.Seq] = true
	if len(m.seen) == int(m.packets) {
		m.complete = true
		add(c.under, host, f.Src(), -1)
	}
}

// listed takes up the list of a frame: the first one of an incast has all be expected.
func (c *senderCounts) listed(host, src int32, l countedList, x *packet.List) {
	if c.lists[l] == nil {
		c.lists[l] = map[int32]bool{}
		for _, h := range x.Senders[:x.Length] {
			if !c.lists[l][h] {
				c.lists[l][h] = true
				add(c.expected, host, h, 1)
			}
		}
	}
	if c.lists[l][src] {
		delete(c.lists[l], src)
		add(c.expected, host, src, -1)
	}
}

func add(of map[int32]map[int32]int, receiver, sender int32, n int) {
	if of[receiver] == nil {
		of[receiver] = map[int32]int{}
	}
	if of[receiver][sender] += n; of[receiver][sender] == 0 {
		delete(of[receiver], sender)
	}
}

// senders returns how many send to a host or are expected to.
func (c *senderCounts) senders(host int32) int {
	n := len(c.under[host])
	for h := range c.expected[host] {
		if c.under[host][h] == 0 {
			n++
		}
	}
	return n
}

// left tells which hosts count senders although all that was sent arrived: another sender's message must be the only one.
func (c *senderCounts) left(now unit.Time) (wrong []string) {
	for a, host := range c.answered {
		if n := c.senders(host); n > 0 {
			wrong = append(wrong, fmt.Sprintf("at the end %d senders of host %d are under way", n, host))
		}
		under := a.(*countedAnswerer).Answerer
		peer := under.Open(now, 1<<20, 0)
		under.Heard(&protocol.Heard{Now: now, Peer: peer, Wire: 1, Begins: true})
		if w, ok := under.Answer(now, peer); !ok || w[1]&(1<<48-1) != 1 {
			wrong = append(wrong, fmt.Sprintf("at the end host %d counts %d senders beside a new one", host, w[1]&(1<<48-1)-1))
		}
	}
	return wrong
}

// countedAnswerer compares what a receiver says of n with the frames that came.
type countedAnswerer struct {
	protocol.Answerer
	counts *senderCounts
	host   int32
}

// Open implements protocol.Answerer.
func (a *countedAnswerer) Open(now unit.Time, src int32, tenant uint8) int32 {
	peer := a.Answerer.Open(now, src, tenant)
	a.counts.peers[[2]int32{a.host, peer}] = src
	return peer
}

// Answer implements protocol.Answerer.
func (a *countedAnswerer) Answer(now unit.Time, peer int32) (protocol.Answer, bool) {
	w, ok := a.Answerer.Answer(now, peer)
	c := a.counts
	n, want := int(w[1]&(1<<48-1)), max(1, c.senders(a.host))
	to := [2]int32{a.host, c.peers[[2]int32{a.host, peer}]}
	c.told[to] = append(c.told[to], ToldSenders{now, n})
	at, was := c.marked[a.host]
	// n = 1 is said where congestion is not the receiver's, which is decided when frames come.
	elsewhere := n == 1 && was && c.heard[a.host]-at <= c.calm
	if n != want && !elsewhere {
		c.wrong = append(c.wrong, fmt.Sprintf("%v: host %d says that %d send to it, but %d do", now, a.host, n, want))
	}
	if want > 1 && n == want {
		c.counted++
	}
	return w, ok
}
