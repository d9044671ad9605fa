package goal

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"weft/trace"
)

// Source visits the schedules of all ranks in order, the same ones each time.
type Source func(visit func(rank int, s *trace.Schedule) error) error

// Of returns a trace as a source.
func Of(t *trace.Trace) Source {
	return func(visit func(rank int, s *trace.Schedule) error) error {
		for r := range t.Ranks {
			if err := visit(r, &t.Ranks[r]); err != nil {
				return err
			}
		}
		return nil
	}
}

// WriteText writes a trace as text. If an operation of a rank has no label, all of the rank get new ones.
func WriteText(w io.Writer, t *trace.Trace) error { return StreamText(w, len(t.Ranks), Of(t)) }

// WriteBinary writes a trace in the binary form, which LogGOPSim reads. It has no labels. An error
// names the operation whose numbers do not fit, since that form has 32 bits for a tag and 8 for a
// processor or a NIC.
func WriteBinary(w io.Writer, t *trace.Trace) error { return StreamBinary(w, len(t.Ranks), Of(t)) }

// StreamText is WriteText for a trace of which a source holds one rank at a time.
func StreamText(w io.Writer, ranks int, source Source) error {
	out := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(out, "num_ranks %d\n", ranks)
	var line []byte
	err := source(func(r int, s *trace.Schedule) error {
		line = writeRank(out, r, s, line)
		_, err := out.Write(nil) // an earlier error
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// writeRank writes the block of a rank. The writer keeps its error. It returns a buffer for the next one.
func writeRank(out *bufio.Writer, r int, s *trace.Schedule, line []byte) []byte {
	fmt.Fprintf(out, "\nrank %d {\n", r)
	name := naming(s)
	for i := range uint32(s.Len()) {
		line = appendOperation(append(name(line[:0], i), ": "...), s.At(i))
		_, _ = out.Write(append(line, '\n'))
	}
	for i := range uint32(s.Len()) {
		s.Dependants(i, func(op uint32, start bool) {
			word := " requires "
			if start {
				word = " irequires "
			}
			line = append(name(line[:0], op), word...)
			_, _ = out.Write(append(name(line, i), '\n'))
		})
	}
	_, _ = out.WriteString("}\n")
	return line
}

// naming returns a function that appends the label of an operation.
func naming(s *trace.Schedule) func(line []byte, op uint32) []byte {
	for i := range uint32(s.Len()) {
		if s.Label(i) == "" {
			return func(line []byte, op uint32) []byte {
				return strconv.AppendUint(append(line, 'l'), uint64(op)+1, 10)
			}
		}
	}
	return func(line []byte, op uint32) []byte { return append(line, s.Label(op)...) }
}

func appendOperation(line []byte, o trace.Operation) []byte {
	line = append(append(line, o.Kind.String()...), ' ')
	line = strconv.AppendInt(line, o.Size, 10)
	if o.Kind != trace.Calc {
		to := "b to "
		if o.Kind == trace.Recv {
			to = "b from "
		}
		line = strconv.AppendInt(append(line, to...), int64(o.Peer), 10)
		line = strconv.AppendInt(append(line, " tag "...), o.Tag, 10)
	}
	if o.CPU > 0 {
		line = strconv.AppendUint(append(line, " cpu "...), uint64(o.CPU), 10)
	}
	if o.NIC > 0 && o.Kind != trace.Calc {
		line = strconv.AppendUint(append(line, " nic "...), uint64(o.NIC), 10)
	}
	return line
}

// StreamBinary is WriteBinary for a trace of which a source holds one rank at a time. The source is asked
// twice, since the head of the file says where each rank begins.
func StreamBinary(w io.Writer, ranks int, source Source) error {
	le := binary.LittleEndian
	var cpu, nic uint16
	var places []byte // of the ranks
	at := uint64(headSize - afterMagic + 16*ranks)
	err := source(func(r int, s *trace.Schedule) error {
		for i := range uint32(s.Len()) {
			o := s.At(i)
			if o.Tag >= anyNumber || o.CPU > 255 || o.NIC > 255 {
				return fmt.Errorf("rank %d, %s: tag %d, cpu %d and nic %d do not fit the binary form (32, 8 and 8 bits); keep the trace as text", r, s.Describe(i), o.Tag, o.CPU, o.NIC)
			}
			cpu, nic = max(cpu, o.CPU), max(nic, o.NIC)
		}
		roots := 0
		for _, n := range s.Waits() {
			if n == 0 {
				roots++
			}
		}
		end := at + 8 + 4*uint64(roots) + nodeSize*uint64(s.Len()) + 4*uint64(s.Dependencies())
		places = le.AppendUint64(le.AppendUint64(places, at), end)
		at = end
		return nil
	})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	_, _ = out.Write(append(le.AppendUint32(le.AppendUint64(nil, cookie), uint32(ranks)), byte(cpu), byte(nic)))
	_, _ = out.Write(places)
	err = source(func(_ int, s *trace.Schedule) error {
		writeBlock(out, s)
		_, err := out.Write(nil) // an earlier error
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// writeBlock writes a rank. The writer keeps its error.
func writeBlock(out *bufio.Writer, s *trace.Schedule) {
	le := binary.LittleEndian
	waits := s.Waits()
	var roots, appendix []byte
	for i, n := range waits {
		if n == 0 {
			roots = le.AppendUint32(roots, uint32(i))
		}
	}
	b := le.AppendUint32(le.AppendUint32(nil, uint32(s.Len())), uint32(len(roots)/4))
	_, _ = out.Write(b)
	_, _ = out.Write(roots)
	for i := range uint32(s.Len()) {
		o := s.At(i)
		var lists [2]struct{ n, first uint32 }
		for which := range lists {
			lists[which].first = uint32(len(appendix) / 4)
			s.Dependants(i, func(op uint32, start bool) {
				if start == (which == 1) {
					appendix = le.AppendUint32(appendix, op)
					lists[which].n++
				}
			})
		}
		b = append(le.AppendUint32(b[:0], waits[i]), byte(o.Kind))
		b = le.AppendUint64(le.AppendUint32(b, uint32(o.Peer)), uint64(o.Size))
		b = append(le.AppendUint32(b, uint32(o.Tag)), byte(o.CPU), byte(o.NIC))
		for _, l := range lists {
			b = le.AppendUint32(le.AppendUint32(b, l.n), l.first)
		}
		_, _ = out.Write(b)
	}
	_, _ = out.Write(appendix)
}
