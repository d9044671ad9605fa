package transport

// Unless a run's messages are few, their records are most of its memory. They are
// kept in chunks, so that none is ever copied to make room for more.
type records struct {
	chunks [][]Message
	n      int32
}

const (
	chunkBits = 6
	chunkSize = 1 << chunkBits
)

// add keeps a record and returns its index.
func (r *records) add(m Message) int32 {
	if int(r.n>>chunkBits) == len(r.chunks) {
		r.chunks = append(r.chunks, make([]Message, 0, chunkSize))
	}
	last := &r.chunks[r.n>>chunkBits]
	*last = append(*last, m)
	r.n++
	return r.n - 1
}

// at returns a record.
func (r *records) at(i int32) *Message { return &r.chunks[i>>chunkBits][i&(chunkSize-1)] }

// Messages returns the records of all measured messages, ordered by group,
// sending host and ordinal. It is called once, after the run.
func (t *Transport) Messages() []Message {
	// A host's records of a group are in order, in one endpoint: to count them says
	// where each belongs.
	hosts := len(t.names)
	first := make([]int, len(t.groups)*hosts+1)
	at := func(group int, src int32) int { return group*hosts + int(src) }
	for _, e := range t.endpoints {
		for _, chunk := range e.records.chunks {
			for i := range chunk {
				first[at(chunk[i].Group, chunk[i].Src)+1]++
			}
		}
	}
	for i := range first[1:] {
		first[i+1] += first[i]
	}
	all := make([]Message, first[len(first)-1])
	next := append([]int(nil), first...)
	for _, e := range t.endpoints {
		for c, chunk := range e.records.chunks {
			for i := range chunk {
				m := &chunk[i]
				n := &next[at(m.Group, m.Src)]
				all[*n] = *m
				*n++
			}
			e.records.chunks[c] = nil
		}
	}
	for _, e := range t.endpoints {
		for _, f := range e.finished {
			i := first[at(int(f.group), f.src)]
			all[i+int(f.serial-uint32(all[i].Ordinal))].End = f.at
		}
		e.finished = nil
	}
	return all
}

// ID returns a number that names the message among all of the run, in the order of
// group, sending host and ordinal.
func (m *Message) ID() uint64 { return identify(int32(m.Group), m.Src, uint32(m.Ordinal)) }

// identify names a message of a run. The ordinal is known modulo 2^32, which no
// host reaches in a group.
func identify(group, src int32, serial uint32) uint64 {
	return uint64(group)<<58 | uint64(src)<<32 | uint64(serial)
}
