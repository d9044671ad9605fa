package transport

import (
	"iter"

	"weft/internal/connection/end"
	"weft/unit"
)

// Records use most of the memory of a run with many messages. So they are small,
// and kept in chunks, which never need to be copied to make room.

// chunks is an append-only list.
type chunks[T any] struct {
	full []*[chunkSize]T // except the last
	n    int32
}

const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
)

// add appends a record and returns its index.
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

// sent is a sender's record of a measured message. Everything else about the
// message follows from it.
type sent struct {
	end.Tally
	Start   unit.Time
	size    unit.Bytes
	from    origin
	dst     int32
	ordinal uint32 // modulo 2³², which no host exceeds in a group
}

// origin is the group and the sending host of a message.
type origin uint32

const hostBits = 26 // bits that end.Identify leaves to hosts

func originOf(group, src int32) origin { return origin(group)<<hostBits | origin(src) }

func (o origin) group() int32 { return int32(o >> hostBits) }
func (o origin) src() int32   { return int32(o & (1<<hostBits - 1)) }

// ending is a receiver's record of when a measured message was delivered.
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
	// first is the index at which the messages of each group and host begin, group by
	// group. Those of one host are ordered by ordinal.
	first []int
	index []int32 // of the record in its endpoint
	ends  []unit.Time
}

// Messages returns the records and discards them. Call it once, after the run.
func (t *Transport) Messages() *Messages {
	m := &Messages{
		groups: t.groups, hosts: len(t.net.Names), owner: make([]uint32, len(t.net.Names)),
		records: make([]chunks[sent], len(t.endpoints)),
		first:   make([]int, len(t.groups)*len(t.net.Names)+1),
	}
	// The records of a host and group are in order within one endpoint. So counting
	// them determines where each belongs.
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

// record returns the i-th record, which must belong to a message of src.
func (m *Messages) record(i int, src int32) *sent {
	return m.records[m.owner[src]].at(m.index[i])
}

// Len returns the number of records.
func (m *Messages) Len() int { return m.first[len(m.first)-1] }

// All yields the records ordered by group, sending host and ordinal. Each is valid
// until the next one.
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

// ID returns a number that identifies the message within the run. Its order is that
// of group, sending host and ordinal.
func (m *Message) ID() uint64 { return end.Identify(int32(m.Group), m.Src, uint32(m.Ordinal)) }
