package transport

import (
	"iter"

	"weft/internal/connection/end"
	"weft/unit"
)

// Unless a run's messages are few, their records are most of its memory. They are kept
// small, and in chunks, so that none is ever copied to make room for more.

// chunks is a list that only grows.
type chunks[T any] struct {
	full []*[chunkSize]T // but for the last
	n    int32
}

const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
)

// add keeps a record and returns its index.
func (c *chunks[T]) add(v T) int32 {
	i := c.n
	if int(i>>chunkBits) == len(c.full) {
		c.full = append(c.full, new([chunkSize]T))
	}
	c.full[i>>chunkBits][i&(chunkSize-1)] = v
	c.n++
	return i
}

// at returns a record.
func (c *chunks[T]) at(i int32) *T { return &c.full[i>>chunkBits][i&(chunkSize-1)] }

// sent is what a sender notes of a recorded message. What else there is to say of it
// follows from this.
type sent struct {
	end.Tally
	Start   unit.Time
	size    unit.Bytes
	from    origin
	dst     int32
	ordinal uint32 // modulo 2^32, which no host reaches in a group
}

// origin is the group and the sending host of a message.
type origin uint32

const hostBits = 26 // what identify leaves to hosts

func originOf(group, src int32) origin { return origin(group)<<hostBits | origin(src) }

func (o origin) group() int32 { return int32(o >> hostBits) }
func (o origin) src() int32   { return int32(o & (1<<hostBits - 1)) }

// ending is when a recorded message was delivered, as its receiver notes it.
type ending struct {
	at      unit.Time
	from    origin
	ordinal uint32
}

// Messages are the records of all measured messages.
type Messages struct {
	groups  []Group
	hosts   int
	owner   []uint32       // endpoint of each host
	records []chunks[sent] // by endpoint
	// first is where the messages of a group and host begin, group by group, and those of
	// each are in order of ordinals.
	first []int
	index []int32 // of the record
	ends  []unit.Time
}

// Messages returns the records and forgets them. It is called once, after the run.
func (t *Transport) Messages() *Messages {
	m := &Messages{
		groups: t.groups, hosts: len(t.net.Names), owner: make([]uint32, len(t.net.Names)),
		records: make([]chunks[sent], len(t.endpoints)),
		first:   make([]int, len(t.groups)*len(t.net.Names)+1),
	}
	// A host's records of a group are in order, in one endpoint: to count them says
	// where each belongs.
	for k, e := range t.endpoints {
		m.records[k], e.records = e.records, chunks[sent]{}
		for i := range e.hosts {
			m.owner[e.hosts[i].ID] = uint32(k)
		}
		for i := range m.records[k].n {
			m.first[m.place(m.records[k].at(i).from)+1]++
		}
	}
	for i := range m.first[1:] {
		m.first[i+1] += m.first[i]
	}
	m.index = make([]int32, m.Len())
	next := append([]int(nil), m.first...)
	for k := range m.records {
		for i := range m.records[k].n {
			n := &next[m.place(m.records[k].at(i).from)]
			m.index[*n] = i
			*n++
		}
	}
	m.ends = make([]unit.Time, m.Len())
	for i := range m.ends {
		m.ends[i] = Unfinished
	}
	for _, e := range t.endpoints {
		for i := range e.ends.n {
			end := e.ends.at(i)
			first := m.first[m.place(end.from)]
			m.ends[first+int(end.ordinal-m.record(first, end.from.src()).ordinal)] = end.at
		}
		e.ends = chunks[ending]{}
	}
	return m
}

func (m *Messages) place(o origin) int { return int(o.group())*m.hosts + int(o.src()) }

// record returns the i-th record, which is of a message of src.
func (m *Messages) record(i int, src int32) *sent {
	return m.records[m.owner[src]].at(m.index[i])
}

// Len returns how many there are.
func (m *Messages) Len() int { return m.first[len(m.first)-1] }

// All yields the records in the order of group, sending host and ordinal. Each is good
// until the next.
func (m *Messages) All() iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		var one Message
		for i, place := 0, 0; i < m.Len(); i++ {
			for m.first[place+1] == i {
				place++
			}
			r := m.record(i, int32(place%m.hosts))
			one = Message{
				Group: place / m.hosts, Src: r.from.src(), Dst: r.dst, Ordinal: uint64(r.ordinal),
				Size: r.size, Packets: m.groups[place/m.hosts].CountPackets(r.size),
				Start: r.Start, End: m.ends[i], SenderEnd: r.Completed,
				Retransmits: r.Retransmits, Timeouts: r.Timeouts, Trims: r.Trims,
			}
			if !yield(&one) {
				return
			}
		}
	}
}

// ID returns a number that names the message among all of the run, in the order of
// group, sending host and ordinal.
func (m *Message) ID() uint64 { return end.Identify(int32(m.Group), m.Src, uint32(m.Ordinal)) }
