package wire_test

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"weft/unit"
	"weft/wire"
)

// member is an endpoint with all its lives.
type member struct {
	*family
	id   wire.ID
	addr string
	life atomic.Pointer[life]
}

// life is an endpoint from when it is opened until it is closed.
type life struct {
	e       *wire.Endpoint
	began   time.Time
	closing atomic.Bool

	mu    sync.Mutex
	peers map[string]*wire.Peer
	met   map[*life]bool // those to which a message ended well
	// came counts the messages of this round that were delivered, and sure are those that must be among them.
	came map[uint64]int
	sure []uint64
}

func (m *member) now() *life { return m.life.Load() }

// open opens an endpoint for the next life.
func (m *member) open() (*life, error) {
	l := &life{began: time.Now(), peers: map[string]*wire.Peer{}, met: map[*life]bool{}, came: map[uint64]int{}}
	c := wire.Config{
		ID: m.id, Secret: m.secret, Rate: unit.Gbps, Memory: 64 * unit.MB, Largest: 8 * unit.MB, Capture: &m.seen,
		Handler: func(ctx context.Context, got *wire.Message) { m.handle(ctx, l, got) },
	}
	e, err := wire.Listen(m.addr, c)
	l.e = e
	return l, err
}

// begin begins the next life.
func (m *member) begin() {
	l, err := m.open()
	for began := time.Now(); err != nil && time.Since(began) < patience; l, err = m.open() {
		time.Sleep(10 * time.Millisecond) // another process may have the port for a while
	}
	if err != nil {
		m.t.Errorf("open again: %v", err)
		return
	}
	m.life.Store(l)
}

// handle checks a message, and answers it.
func (m *member) handle(ctx context.Context, l *life, got *wire.Message) {
	body := message{got.Body}
	if !body.intact() {
		m.t.Errorf("a message of %d B was changed", len(got.Body))
		return
	}
	l.mu.Lock()
	l.came[body.number()]++
	if n := l.came[body.number()]; n > 1 {
		m.t.Errorf("a message of %d B came %d times", len(got.Body), n)
	}
	l.mu.Unlock()
	if !got.IsRequest() {
		return
	}
	if body.number()%16 == 0 {
		select {
		case <-time.After(time.Duration(rand.IntN(20)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	_ = got.Reply(ctx, body.answer()) // who asked may have given up
}

// peer returns who is reached at an address.
func (l *life) peer(ctx context.Context, addr string) (*wire.Peer, error) {
	l.mu.Lock()
	p := l.peers[addr]
	l.mu.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := l.e.Dial(ctx, addr)
	if err == nil {
		l.mu.Lock()
		l.peers[addr] = p
		l.mu.Unlock()
	}
	return p, err
}

func (l *life) hasMet(other *life) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.met[other]
}

func (l *life) meet(other *life) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.met[other] = true
}

// confirmed notes that a message was confirmed.
func (l *life) confirmed(m message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sure = append(l.sure, m.number())
}

// settled tells whether all that was confirmed was handled.
func (l *life) settled() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.sure {
		if l.came[n] == 0 {
			return false
		}
	}
	return true
}

// forget forgets the messages of the round. What comes later of those that were given up is not compared.
func (m *member) forget() {
	l := m.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for other := range l.met {
		if other.closing.Load() {
			delete(l.met, other)
		}
	}
	l.came, l.sure = map[uint64]int{}, nil
}

// message is a number, a checksum, and bytes of any kind.
type message struct{ body []byte }

const messageHead = 12

// bulk is what messages are cut from.
var bulk = sync.OnceValue(func() []byte {
	b := make([]byte, 4_000_000)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(b)
	return b
})

// newMessage returns a message of a random size: most are small.
func newMessage(r *rand.Rand) message {
	most := []int{50, 50, 1400, 1400, 20_000, 20_000, 200_000, 600_000}[r.IntN(8)]
	n, at := r.IntN(most), r.IntN(2_000_000)
	b := append(make([]byte, messageHead, messageHead+n), bulk()[at:at+n]...)
	binary.BigEndian.PutUint64(b, r.Uint64())
	binary.BigEndian.PutUint32(b[8:], crc32.ChecksumIEEE(b[messageHead:]))
	return message{b}
}

func (m message) number() uint64 { return binary.BigEndian.Uint64(m.body) }

func (m message) intact() bool {
	return len(m.body) >= messageHead && binary.BigEndian.Uint32(m.body[8:]) == crc32.ChecksumIEEE(m.body[messageHead:])
}

// answer is what a request is answered by: nothing, itself, or its begin.
func (m message) answer() []byte {
	switch m.number() % 3 {
	case 0:
		return nil
	case 1:
		return m.body
	}
	return m.body[:messageHead]
}
