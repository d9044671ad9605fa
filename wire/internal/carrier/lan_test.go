package carrier

import (
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"net/netip"
	"testing"

	"weft/unit"
	"weft/wire/internal/lan"
	"weft/wire/internal/transports"
)

// carried are the transports that tests go over, the first one if they take one.
var carried = []string{"sird", "dctcp", "nscc", "swift", "dart"}

// others are transports of hosts that endpoints can have, too.
var others = []string{"homa", "phost"}

// over has an endpoint carry a transport with a balancer.
func over(t testing.TB, transport, balancer string) func(*Config) {
	built, err := transports.Build(transport, balancer)
	if err != nil {
		t.Fatal(err)
	}
	return func(c *Config) {
		c.Transport, c.Balancer, c.Name, c.TransportHash = built.Transport, built.Balancer, built.Name, built.Hash
	}
}

// end is a carrier on the network, and what became of its messages.
type end struct {
	*Carrier
	t       testing.TB
	addr    netip.AddrPort
	peers   []*Peer          // that were connected, in order
	arrived []Message        // not read yet
	ended   map[uint64]error // by handle
	failed  map[uint64]error // dials
	twice   bool             // a message ended twice
	heed    func(*end, Event)
}

func (e *end) Arrive(now unit.Time, from netip.AddrPort, b []byte, marked bool) {
	e.Carrier.Arrive(now, from, b, marked)
	e.collect()
}

func (e *end) Next(now unit.Time, b []byte) (to netip.AddrPort, port, n int, ok bool) {
	d, ok := e.Carrier.Next(now, b)
	if unit.Bytes(d.Size) > e.cfg.Datagram {
		e.t.Fatalf("a datagram of %d B", d.Size)
	}
	e.collect()
	return d.To, d.Port, d.Size, ok
}

func (e *end) Expire(now unit.Time) {
	e.Carrier.Expire(now)
	e.collect()
}

func (e *end) collect() {
	for _, v := range append([]Event(nil), e.Events()...) {
		switch v.Kind {
		case Connected:
			e.peers = append(e.peers, v.Peer)
		case DialFailed:
			e.failed[v.Handle] = v.Err
		case Arrived:
			if e.heed == nil {
				e.arrived = append(e.arrived, v.Message)
			}
			e.Read(len(v.Message.Body))
		case Ended:
			if _, was := e.ended[v.Handle]; was {
				e.twice = true
			}
			e.ended[v.Handle] = v.Err
		}
		if e.heed != nil {
			e.heed(e, v)
		}
	}
	if err := e.Err(); err != nil {
		e.t.Fatal(err)
	}
}

var errGivenUp = errors.New("given up")

const (
	testRate = 10 * unit.Gbps
	testRTT  = 20 * unit.Microsecond
)

// world is a network with endpoints.
type world struct {
	*lan.Network
	t     testing.TB
	ends  []*end
	lives uint64
}

func newWorld(t testing.TB, n int, faults lan.Faults, change ...func(*Config)) *world {
	return newWorldOver(t, n, faults, nil, change...)
}

// newWorldOver is newWorld with paths between the hosts' links, each with the largest datagram that it takes.
func newWorldOver(t testing.TB, n int, faults lan.Faults, mtus []unit.Bytes, change ...func(*Config)) *world {
	link := lan.Link{Rate: testRate, Delay: 4 * unit.Microsecond, Queue: unit.MB, Mark: 100 * unit.KB}
	cfg := lan.Config{Seed: 1, Up: link, Down: link, Overhead: 66, Faults: faults}
	for _, mtu := range mtus {
		cfg.Paths = append(cfg.Paths, pathOf(mtu))
	}
	return newWorldOn(t, n, cfg, change...)
}

// newWorldOn is newWorld on a network.
func newWorldOn(t testing.TB, n int, on lan.Config, change ...func(*Config)) *world {
	w := &world{t: t, Network: lan.New(on)}
	for i := range n {
		w.ends = append(w.ends, nil)
		w.start(i, change...)
	}
	return w
}

// pathOf is a quick path.
func pathOf(mtu unit.Bytes) lan.Link {
	return lan.Link{Rate: testRate, Delay: unit.Microsecond, Queue: unit.MB, MTU: mtu}
}

func (w *world) address(i int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 4000)
}

// start begins a life of an endpoint.
func (w *world) start(i int, change ...func(*Config)) *end {
	w.lives++
	cfg := Config{
		ID: ID{byte(i + 1), byte((i + 1) >> 8)}, Life: w.lives, Seed: [32]byte{byte(w.lives), byte(w.lives >> 8)},
		Rate: testRate, RTT: testRTT, Datagram: 1472, Overhead: 66, Burst: 64 * unit.KB,
		Peers: 64, Largest: unit.GB, Incoming: unit.GB, Listens: true, Silence: 2 * unit.Second,
		Ports: 16,
	}
	over(w.t, "", "")(&cfg)
	for _, f := range change {
		f(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	e := &end{Carrier: c, t: w.t, addr: w.address(i), ended: map[uint64]error{}, failed: map[uint64]error{}}
	w.ends[i] = e
	w.Add(e, e.addr)
	return e
}

// connect has one endpoint dial another, and returns the peer.
func (w *world) connect(from, to int) *Peer {
	w.t.Helper()
	e := w.ends[from]
	n := len(e.peers)
	e.Dial(w.Now(), w.address(to))
	w.Stir(e.addr)
	for range 1000 {
		w.Run(w.Now() + unit.Millisecond)
		if len(e.peers) > n {
			return e.peers[n]
		}
	}
	w.t.Fatalf("%d does not reach %d: %v, %+v", from, to, e.failed, e.Counts)
	return nil
}

// body returns bytes that tell where they belong.
func body(seed uint64, n int) []byte {
	b := make([]byte, n)
	r := rand.NewPCG(seed, uint64(n))
	for i := 0; i < n; i += 8 {
		v := r.Uint64()
		for k := i; k < min(n, i+8); k++ {
			b[k] = byte(v)
			v >>= 8
		}
	}
	return b
}

// digest tells bodies apart.
func digest(b []byte) [16]byte {
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}

func (w *world) submit(from int, p *Peer, b []byte) uint64 {
	w.t.Helper()
	h, err := w.ends[from].Submit(w.Now(), p, OneWay, 0, b)
	if err != nil {
		w.t.Fatal(err)
	}
	w.ends[from].collect()
	w.Stir(w.ends[from].addr)
	return h
}

var modes = map[string]func(*Config){
	"plain":  func(*Config) {},
	"sealed": func(c *Config) { c.Secret = []byte("what both know") },
}

// TestLone sends messages of all sizes over an idle network: they come whole, in the time of their packets.
func TestLone(t *testing.T) {
	for _, name := range carried {
		for mode, change := range modes {
			t.Run(name+" "+mode, func(t *testing.T) { lone(t, over(t, name, ""), change) })
		}
	}
}

func lone(t *testing.T, changes ...func(*Config)) {
	w := newWorld(t, 2, lan.Faults{}, changes...)
	p := w.connect(0, 1)
	full := int(w.ends[0].env.Payload)
	for i, n := range []int{0, 1, 2, 1000, full, full + 1, 100_000, 20_000_000} {
		b := body(uint64(i), n)
		took, least := w.spent(0, p, b), testRate.Transmit(unit.Bytes(n))
		if got := w.ends[1].arrived; len(got) != i+1 || string(got[i].Body) != string(b) || got[i].Kind != OneWay {
			t.Fatalf("%d B: %d messages came", n, len(got))
		}
		if took < least || took > least*112/100+3*testRTT+20*unit.Microsecond {
			t.Errorf("%d B took %v, their bytes take %v", n, took, least)
		}
	}
}

// TestForgottenByOne has an endpoint give a peer up that knows it still, and dial it anew: both begin anew, so that the next
// message is not taken for a copy of the first one.
func TestForgottenByOne(t *testing.T) {
	for _, name := range carried {
		for mode, change := range modes {
			w := newWorld(t, 2, lan.Faults{}, over(t, name, ""), change)
			for i := range 3 {
				p := w.connect(0, 1)
				h := w.submit(0, p, body(uint64(i), 5000))
				w.Run(w.Now() + 10*unit.Millisecond)
				if err, done := w.ends[0].ended[h]; !done || err != nil || len(w.ends[1].arrived) != i+1 {
					t.Errorf("%s, %s: message %d ended %v: %v, and %d came", name, mode, i, done, err, len(w.ends[1].arrived))
				}
				w.ends[0].forget(w.Now(), p, ErrSilent)
				w.ends[0].collect()
			}
		}
	}
}
