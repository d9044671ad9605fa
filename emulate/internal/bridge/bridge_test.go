package bridge

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"testing"

	"pgregory.net/rapid"

	"weft/fabric"
	"weft/route"
	"weft/sim"
	"weft/topo"
	"weft/unit"
)

const (
	rate = unit.Gbps
	mtu  = 1500
)

// net is a bridge on a fabric under virtual time.
type net struct {
	*Bridge
	network *fabric.Network
	now     unit.Time
	got     []Departure
}

// find takes the last byte of an address for the host.
func find(hosts int) func(netip.Addr) (int32, bool) {
	return func(a netip.Addr) (int32, bool) {
		b := a.AsSlice()
		h := int32(b[len(b)-1]) - 1
		return h, h >= 0 && int(h) < hosts
	}
}

func star(t rapid.TB, hosts int, port fabric.PortConfig) *net {
	t.Helper()
	g, err := topo.Star{Hosts: hosts, Rate: rate, Delay: 10 * unit.Microsecond}.Build()
	if err != nil {
		t.Fatal(err)
	}
	return over(t, g, port)
}

func over(t rapid.TB, g *topo.Graph, port fabric.PortConfig) *net {
	t.Helper()
	tables, err := route.Minimal(g, route.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(Config{MTU: mtu, Down: downlinks(g), Queue: unit.MiB, Find: find(len(g.Hosts))})
	if err != nil {
		t.Fatal(err)
	}
	n, err := fabric.New(fabric.Config{
		Graph: g, Tables: tables, Domain: topo.Partition(g, 1), Queue: sim.Calendar,
		Port:     func(topo.PortID) fabric.PortConfig { return port },
		Endpoint: b.Attach, Follow: b.Follower(),
	})
	if err != nil {
		t.Fatal(err)
	}
	return &net{Bridge: b, network: n}
}

// downlinks are the links to hosts.
func downlinks(g *topo.Graph) (list []Link) {
	a := g.Adjacency()
	for _, h := range g.Hosts {
		up := a.Ports(h)[0]
		list = append(list, Link{up.Reverse(), g.Links[up.Link()].Delay})
	}
	return list
}

// run goes on to a time, and keeps copies of what left.
func (n *net) run(t rapid.TB, until unit.Time) {
	n.network.Run(until, 1)
	n.now = until
	for _, d := range n.Leaving() {
		d.Frame = bytes.Clone(d.Frame)
		n.got = append(n.got, d)
	}
	n.Done(len(n.Leaving()))
	if err := n.network.Check(); err != nil {
		t.Fatal(err)
	}
}

// packet4 is a packet of UDP whose checksum of IP is right.
func packet4(to int, port uint16, payload []byte, codepoint byte) []byte {
	p := make([]byte, ethernet+headIPv4+8+len(payload))
	p[12], p[13] = 8, 0
	ip := p[ethernet:]
	ip[0], ip[1] = 0x45, codepoint
	binary.BigEndian.PutUint16(ip[2:], uint16(len(ip)))
	ip[8], ip[9] = 64, udp
	copy(ip[12:], []byte{10, 0, 0, 200})
	copy(ip[16:], []byte{10, 0, 0, byte(to + 1)})
	binary.BigEndian.PutUint16(ip[10:], ^sum16(ip[:headIPv4]))
	binary.BigEndian.PutUint16(ip[20:], port)
	copy(ip[28:], payload)
	return p
}

// packet6 is a packet of UDP over IPv6 with a flow label.
func packet6(to int, port uint16, label uint32, payload []byte, codepoint byte) []byte {
	p := make([]byte, ethernet+headIPv6+8+len(payload))
	p[12], p[13] = 0x86, 0xdd
	ip := p[ethernet:]
	binary.BigEndian.PutUint32(ip, 6<<28|uint32(codepoint)<<20|label)
	binary.BigEndian.PutUint16(ip[4:], uint16(8+len(payload)))
	ip[6], ip[7] = udp, 64
	ip[8], ip[24], ip[39] = 0xfd, 0xfd, byte(to+1)
	binary.BigEndian.PutUint16(ip[40:], port)
	copy(ip[48:], payload)
	return p
}

// sum16 is the sum of the Internet (RFC 1071).
func sum16(b []byte) uint16 {
	sum := uint32(0)
	for i := 0; i < len(b); i += 2 {
		sum += uint32(b[i])<<8 | uint32(b[i+1])
	}
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}

// TestLonePacket compares with the closed form: two links, each with its delay and the time of the frame.
func TestLonePacket(t *testing.T) {
	for _, size := range []int{0, 1, 500, mtu - 28} {
		n := star(t, 2, fabric.PortConfig{Limit: unit.MiB})
		p := packet4(1, 7, make([]byte, size), 0)
		n.run(t, 5*unit.Microsecond)
		n.Enter(n.now, 3, 0, p)
		n.run(t, unit.Millisecond)
		wire := max(84, unit.Bytes(28+size)+Overhead)
		want := 5*unit.Microsecond + 2*(rate.Transmit(wire)+10*unit.Microsecond)
		if len(n.got) != 1 || n.got[0].Due != want || n.got[0].Host != 1 || n.got[0].Entered != 5*unit.Microsecond || n.got[0].Late != 3 || !bytes.Equal(n.got[0].Frame, p) {
			t.Errorf("%d B: %+v, want it due at %v", size, n.got, want)
		}
	}
}

// TestFillsTheLink: a host that sends all it can fills its link, and its packets stay in order.
func TestFillsTheLink(t *testing.T) {
	n := star(t, 2, fabric.PortConfig{Limit: unit.MiB})
	const count = 500
	for i := range count {
		n.Enter(0, 0, 0, packet4(1, uint16(i), make([]byte, mtu-28), 0))
	}
	n.run(t, unit.Second)
	one := rate.Transmit(mtu + Overhead)
	if want := count*one + one + 20*unit.Microsecond; len(n.got) != count || n.got[count-1].Due != want {
		t.Fatalf("%d came, want %d until %v", len(n.got), count, want)
	}
	for i := range n.got {
		if port := binary.BigEndian.Uint16(n.got[i].Frame[ethernet+20:]); port != uint16(i) {
			t.Fatalf("packet %d came as number %d", port, i)
		}
	}
}

// TestFullQueues: what a NIC or a switch has no room for is dropped and counted, and its memory is used again.
func TestFullQueues(t *testing.T) {
	n := star(t, 3, fabric.PortConfig{Limit: 20 * (mtu + Overhead)})
	p := packet4(2, 7, make([]byte, mtu-28), 0)
	for range 400 { // 615 kB of each; the NIC has room for 1 MiB
		n.Enter(0, 0, 0, p)
		n.Enter(0, 0, 1, p)
	}
	for range 400 {
		n.Enter(0, 0, 0, p)
	}
	n.run(t, unit.Second)
	c := n.Counts
	if c.Refused != 800+400-c.Entered || c.Refused == 0 || c.Dropped == 0 || n.Waiting() != 0 || c.Left != uint64(len(n.got)) {
		t.Errorf("%+v, %d came", c, len(n.got))
	}
	if uint64(len(n.free)) > c.Entered {
		t.Errorf("%d buffers for %d packets", len(n.free), c.Entered)
	}
	// While both send, the third host's port takes one of two, and its queue the first of what is left.
	if c.Dropped < 400-21 || c.Dropped > 400-17 {
		t.Errorf("%d dropped, want some 380", c.Dropped)
	}
}

// TestMarks: a queue above the threshold marks packets that are capable, with right checksums, and leaves others.
func TestMarks(t *testing.T) {
	for _, codepoint := range []byte{0, 1, 2, 3} {
		n := star(t, 3, fabric.PortConfig{Limit: unit.MiB, ECN: true, KMin: 10 * (mtu + Overhead), KMax: 10 * (mtu + Overhead), PMax: 1})
		for range 100 {
			n.Enter(0, 0, 0, packet4(2, 7, make([]byte, mtu-28), codepoint))
			n.Enter(0, 0, 1, packet6(2, 7, 5, make([]byte, mtu-48), codepoint))
		}
		n.run(t, unit.Second)
		marked := 0
		for _, d := range n.got {
			ip := d.Frame[ethernet:]
			point := ip[1] & 3
			if ip[0]>>4 == 6 {
				point = ip[1] >> 4 & 3
			} else if sum16(ip[:headIPv4]) != 0xffff {
				t.Fatal("wrong checksum")
			}
			switch {
			case point == congested:
				marked++
			case point != codepoint:
				t.Fatalf("codepoint %d became %d", codepoint, point)
			}
		}
		switch {
		case codepoint == 0 && (marked > 0 || n.Counts.Marked > 0):
			t.Errorf("%d packets that are not capable are marked", marked)
		case codepoint == 3 && marked != 200:
			t.Errorf("%d of 200 are still marked", marked)
		case codepoint%3 != 0 && (marked < 100 || uint64(marked) != n.Counts.Marked):
			t.Errorf("codepoint %d: %d marked, %d counted", codepoint, marked, n.Counts.Marked)
		}
	}
}

// TestStrangers: what is not IP, is broken, for nobody, or too large does not enter.
func TestStrangers(t *testing.T) {
	n := star(t, 2, fabric.PortConfig{Limit: unit.MiB})
	whole := packet4(1, 7, make([]byte, 100), 0)
	for _, p := range [][]byte{nil, whole[:13], whole[:20], whole[:80], packet4(9, 7, nil, 0), packet4(0, 7, nil, 0), packet6(9, 1, 2, nil, 0), packet6(1, 1, 2, nil, 0)[:30], bytes.Repeat([]byte{8}, 100)} {
		n.Enter(0, 0, 0, p)
	}
	if n.Counts.Strange != 9 || n.Counts.Entered != 0 {
		t.Errorf("%+v", n.Counts)
	}
	n.Enter(0, 0, 0, packet4(1, 7, make([]byte, mtu-27), 0))
	if n.Counts.Large != 1 {
		t.Errorf("%+v", n.Counts)
	}
}

// TestEntropy: ports and flow labels spread packets over spines, and a flow stays on one.
func TestEntropy(t *testing.T) {
	g, err := topo.LeafSpine{ToRs: 2, HostsPerToR: 1, Spines: 4, Rate: rate, Delay: unit.Microsecond}.Build()
	if err != nil {
		t.Fatal(err)
	}
	used := func(packet func(i int) []byte) int {
		n := over(t, g, fabric.PortConfig{Limit: unit.MiB})
		for i := range 256 {
			n.Enter(n.now, 0, 0, packet(i))
			n.run(t, n.now+20*unit.Microsecond)
		}
		spines := 0
		for l := range g.Links {
			if id := topo.PortID(2 * l); g.Nodes[g.Links[l].A].Name[0] == 's' || g.Nodes[g.Links[l].B].Name[0] == 's' {
				if n.network.Counters(id, n.now).Frames+n.network.Counters(id+1, n.now).Frames > 0 {
					spines++
				}
			}
		}
		return spines / 2
	}
	if got := used(func(i int) []byte { return packet4(1, uint16(i), nil, 0) }); got != 4 {
		t.Errorf("ports use %d spines", got)
	}
	if got := used(func(i int) []byte { return packet6(1, 1, uint32(i), nil, 0) }); got != 4 {
		t.Errorf("flow labels use %d spines", got)
	}
	if got := used(func(i int) []byte { return packet4(1, 7, make([]byte, i), 0) }); got != 1 {
		t.Errorf("one flow uses %d spines", got)
	}
}

// TestNothingIsLostOrChanged sends what it draws, and finds each packet that was not dropped where it belongs, unchanged.
func TestNothingIsLostOrChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(2, 6).Draw(t, "hosts")
		n := star(t, hosts, fabric.PortConfig{Limit: unit.Bytes(rapid.IntRange(2, 40).Draw(t, "limit")) * (mtu + Overhead)})
		sent := map[uint32]int{}
		for i := range uint32(rapid.IntRange(1, 300).Draw(t, "packets")) {
			from, to := rapid.IntRange(0, hosts-1).Draw(t, "from"), rapid.IntRange(0, hosts-1).Draw(t, "to")
			payload := binary.BigEndian.AppendUint32(nil, i)
			payload = append(payload, bytes.Repeat([]byte{byte(i)}, rapid.IntRange(0, mtu-52).Draw(t, "size"))...)
			p := packet4(to, uint16(i), payload, 0)
			if rapid.Bool().Draw(t, "v6") {
				p = packet6(to, uint16(i), i, payload, 2)
			}
			n.Enter(n.now, 0, int32(from), p)
			if from != to {
				sent[i] = to
			}
			if rapid.IntRange(0, 9).Draw(t, "pause") == 0 {
				n.run(t, n.now+unit.Time(rapid.IntRange(0, 100).Draw(t, "time"))*unit.Microsecond)
			}
		}
		n.run(t, n.now+unit.Second)
		for _, d := range n.got {
			head := headIPv4
			if d.Frame[12] == 0x86 {
				head = headIPv6
			}
			payload := d.Frame[ethernet+head+8:]
			i := binary.BigEndian.Uint32(payload)
			to, ok := sent[i]
			if !ok || int32(to) != d.Host || len(bytes.Trim(payload[4:], string([]byte{byte(i)}))) > 0 {
				t.Fatalf("packet %d came to host %d, changed or again", i, d.Host)
			}
			delete(sent, i)
		}
		if c := n.Counts; uint64(len(sent)) != c.Dropped+c.Refused || n.Waiting() != 0 {
			t.Fatalf("%d are missing; %+v", len(sent), c)
		}
	})
}
