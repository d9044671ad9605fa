package lan

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"

	"weft/sim"
	"weft/unit"
)

// Host is an endpoint without I/O that the network serves.
type Host interface {
	// Arrive handles a datagram. It must not keep it: the bytes are cleared afterwards.
	Arrive(now unit.Time, from netip.AddrPort, datagram []byte, marked bool)
	// Next writes the next datagram to send into b, now that the wire is free. It returns false
	// if there is none. port is the index of the source port in the host's bank.
	Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool)
	// Wake returns when to call Expire and then Next if nothing arrives before. unit.Forever
	// means never, and a past time means now.
	Wake(now unit.Time) unit.Time
	// Expire handles everything that is due.
	Expire(now unit.Time)
}

// Link describes a wire and the queue before it.
type Link struct {
	Rate  unit.Rate
	Delay unit.Time
	// Queue limits the bytes in the queue. Mark is the occupancy above which datagrams are
	// marked. 0 means no limit and no marks.
	Queue, Mark unit.Bytes
	// MTU is the largest datagram that the link takes, without Config.Overhead; 0 is any. Larger
	// ones are lost silently.
	MTU unit.Bytes
}

// Faults holds probabilities per datagram. A lost datagram has no other fault. A copy made by
// Duplicate has faults of its own.
type Faults struct {
	// Corrupt flips one bit. Reorder holds a datagram back by ReorderBy.
	Loss, Duplicate, Corrupt, Reorder float64
	ReorderBy                         unit.Time
}

// Config describes a network.
type Config struct {
	Seed uint64
	// Up is the link from each host to the fabric, and Down the link back.
	Up, Down Link
	// Paths are parallel core links; there may be none. A hash of both addresses and ports
	// selects one.
	Paths []Link
	// Overhead is added to each datagram's size on links, for Ethernet, IP and UDP.
	Overhead unit.Bytes
	Faults   Faults
}

// Counts holds the fates of datagrams: Sent + Duplicated = Arrived + Dropped + Lost + Oversized +
// Nowhere + InFlight.
type Counts struct {
	// Dropped counts datagrams that found a full queue, Lost those lost by faults and cut paths,
	// Oversized those too large for a link, and Nowhere those whose address has no host.
	Sent, Arrived, Dropped, Lost, Oversized, Marked, Duplicated, Corrupted, Reordered, Nowhere, InFlight uint64
}

// bank is the number of ports of a host.
const bank = 64

// Network carries datagrams between hosts.
type Network struct {
	config Config
	now    unit.Time
	order  uint64 // of the latest event
	events events
	timers timers
	rng    *rand.Rand
	counts Counts

	stations []*station
	byAddr   map[netip.Addr][]*station
	paths    []path

	datagrams []*datagram // by number
	free      []int32     // numbers not in flight
	tasks     []func()
	freeTasks []int32
	scratch   []byte // buffer for hosts to write into
}

// station is a host's place in the network. Its links remain when the host crashes.
type station struct {
	number int32
	addr   netip.AddrPort
	host   Host // nil after a crash
	free   unit.Time
	down   queue

	// wake and order are the timer's. place is its index in timers, or -1.
	wake  unit.Time
	order uint64
	place int

	stirred bool      // an event to attend to the host is scheduled
	expired unit.Time // last call of Expire
	spins   int       // number of calls at that time
}

// path is a core link.
type path struct {
	queue
	cut  bool
	cuts uint32 // number of cuts so far; datagrams on the path at a cut are lost
}

// datagram is a datagram in flight.
type datagram struct {
	from, to netip.AddrPort
	bytes    []byte
	marked   bool
	path     int32
	cuts     uint32 // the path's cuts when it entered
	dst      *station
}

// New returns a network without hosts. It panics if a link has no rate.
func New(c Config) *Network {
	pcg := sim.Stream(c.Seed, 0, "lan faults")
	n := &Network{config: c, byAddr: map[netip.Addr][]*station{}, rng: rand.New(&pcg), scratch: make([]byte, 1<<16)}
	mustCarry(c.Up)
	mustCarry(c.Down)
	n.paths = make([]path, len(c.Paths))
	for i, link := range c.Paths {
		n.SetLink(i, link)
	}
	return n
}

func mustCarry(l Link) {
	if l.Rate <= 0 {
		panic("lan: a link has no rate")
	}
}

// Add puts a host at an address. Its port k is addr.Port()+k. After Remove, a new host at the
// address inherits the links, and datagrams still under way arrive at it.
func (n *Network) Add(h Host, addr netip.AddrPort) {
	s := n.find(addr)
	if s == nil || s.host != nil || s.addr != addr {
		n.vacate(addr)
		s = &station{number: int32(len(n.stations)), addr: addr, place: -1, down: queue{Link: n.config.Down}}
		n.stations = append(n.stations, s)
		n.byAddr[addr.Addr()] = append(n.byAddr[addr.Addr()], s)
	}
	s.host, s.expired = h, -1
	n.stir(s)
}

// vacate removes stations without hosts whose banks overlap the one at addr. It panics if one has
// a host.
func (n *Network) vacate(addr netip.AddrPort) {
	n.byAddr[addr.Addr()] = slices.DeleteFunc(n.byAddr[addr.Addr()], func(s *station) bool {
		if apart := int(s.addr.Port()) - int(addr.Port()); apart >= bank || apart <= -bank {
			return false
		}
		if s.host != nil {
			panic(fmt.Sprintf("lan: the ports of %v are those of %v", addr, s.addr))
		}
		return true
	})
}

// Remove removes the host at an address, as a crash would, and returns it. Datagrams that reach
// the address afterwards are lost and count as Nowhere. Datagrams that the host sent continue.
func (n *Network) Remove(addr netip.AddrPort) Host {
	s := n.must(addr)
	h := s.host
	s.host = nil
	n.timers.set(s, unit.Forever, 0)
	return h
}

// Move changes a host's address without telling the host. Its links stay. Datagrams to the old
// address, including those under way, are lost and count as Nowhere.
func (n *Network) Move(from, to netip.AddrPort) {
	s := n.must(from)
	n.byAddr[from.Addr()] = slices.DeleteFunc(n.byAddr[from.Addr()], func(o *station) bool { return o == s })
	n.vacate(to)
	s.addr = to
	n.byAddr[to.Addr()] = append(n.byAddr[to.Addr()], s)
}

// Stir notes that the host may have datagrams to send. Run calls the host later, not Stir.
func (n *Network) Stir(addr netip.AddrPort) {
	if s := n.find(addr); s != nil {
		n.stir(s)
	}
}

// At makes Run call a function at a time, or now if that has passed.
func (n *Network) At(at unit.Time, do func()) {
	if len(n.freeTasks) == 0 {
		n.freeTasks = append(n.freeTasks, int32(len(n.tasks)))
		n.tasks = append(n.tasks, nil)
	}
	last := len(n.freeTasks) - 1
	i := n.freeTasks[last]
	n.freeTasks = n.freeTasks[:last]
	n.tasks[i] = do
	n.schedule(at, task, i)
}

// Now returns the virtual time.
func (n *Network) Now() unit.Time { return n.now }

// Cut makes a core link lose everything on it and everything it receives, silently, until it is
// mended with down = false.
func (n *Network) Cut(path int, down bool) {
	p := &n.paths[path]
	p.cut = down
	if down {
		p.cuts++
	}
}

// SetFaults changes the faults of datagrams that reach the fabric from now on.
func (n *Network) SetFaults(f Faults) { n.config.Faults = f }

// SetLink changes a core link for datagrams that enter it from now on. Queued ones leave as
// planned.
func (n *Network) SetLink(path int, l Link) {
	mustCarry(l)
	n.paths[path].Link = l
}

// Path returns the core link between two ports. There must be core links.
func (n *Network) Path(from, to netip.AddrPort) int {
	h := n.config.Seed
	for _, end := range [...]netip.AddrPort{from, to} {
		h = scatter(h, end)
	}
	return below(h, len(n.paths))
}

// Counts returns the fates of all datagrams so far.
func (n *Network) Counts() Counts {
	c := n.counts
	c.InFlight = uint64(len(n.datagrams) - len(n.free))
	return c
}

// PathCounts returns the fates of a core link's datagrams: Sent counts those that entered it,
// Arrived those that left it, and Marked those that it marked.
func (n *Network) PathCounts(path int) Counts {
	c := n.paths[path].counts
	c.InFlight = c.Sent - c.Arrived - c.Dropped - c.Lost - c.Oversized
	return c
}

// LongestQueue returns the largest occupancy so far of the down link to the host at an address.
func (n *Network) LongestQueue(addr netip.AddrPort) unit.Bytes { return n.must(addr).down.most }

// find returns the station that owns a port, or nil.
func (n *Network) find(addr netip.AddrPort) *station {
	for _, s := range n.byAddr[addr.Addr()] {
		if s.has(addr) {
			return s
		}
	}
	return nil
}

// must returns the station with a host at exactly this address. It panics if there is none.
func (n *Network) must(addr netip.AddrPort) *station {
	s := n.find(addr)
	if s == nil || s.host == nil || s.addr != addr {
		panic(fmt.Sprintf("lan: there is no host at %v", addr))
	}
	return s
}

// has reports whether a port is in the station's bank.
func (s *station) has(addr netip.AddrPort) bool {
	return addr.Addr() == s.addr.Addr() && addr.Port() >= s.addr.Port() && addr.Port()-s.addr.Port() < bank
}
