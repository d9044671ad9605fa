package trace

import "math"

// Summary is the size of a trace.
type Summary struct {
	Ranks int
	// Sends, Recvs and Calcs are operations.
	Sends, Recvs, Calcs int64
	// Bytes are the sizes of all sends, and Nanoseconds of all computations; at most the largest int64.
	Bytes, Nanoseconds int64
	Dependencies       int64
	// AnySource and AnyTag are receives with a wildcard.
	AnySource, AnyTag int64
	// CPUs and NICs are the highest numbers in use, plus 1.
	CPUs, NICs int
	// Least and Most are the operations of the rank with the fewest and of that with the most.
	Least, Most int
	// Memory is the bytes that schedules take.
	Memory int64
}

// Add counts the schedule of one more rank.
func (m *Summary) Add(s *Schedule) {
	if m.Ranks == 0 || s.Len() < m.Least {
		m.Least = s.Len()
	}
	m.Most = max(m.Most, s.Len())
	m.Memory += s.Bytes()
	m.Ranks++
	m.Dependencies += int64(s.Dependencies())
	for i := range uint32(s.Len()) {
		o := s.At(i)
		m.CPUs, m.NICs = max(m.CPUs, int(o.CPU)+1), max(m.NICs, int(o.NIC)+1)
		switch o.Kind {
		case Send:
			m.Sends++
			m.Bytes = sum(m.Bytes, o.Size)
		case Recv:
			m.Recvs++
			if o.Peer == AnySource {
				m.AnySource++
			}
			if o.Tag == AnyTag {
				m.AnyTag++
			}
		case Calc:
			m.Calcs++
			m.Nanoseconds = sum(m.Nanoseconds, o.Size)
		}
	}
}

// RunMemory returns the bytes that schedules take in a run together with what it notes of them: what each operation
// waits for, when it began and ended, and which message it took; and of each message where it comes from.
func (m *Summary) RunMemory() int64 {
	const operation, message = 4 + 24, 8
	return m.Memory + operation*m.Operations() + message*m.Sends
}

// Operations returns how many there are of all kinds.
func (m *Summary) Operations() int64 { return m.Sends + m.Recvs + m.Calcs }

// Events returns how many events a replay has: an operation is one, and a message another.
func (m *Summary) Events() int64 { return m.Operations() + m.Sends }

// sum adds sizes, at most to the largest int64.
func sum(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
