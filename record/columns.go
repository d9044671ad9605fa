package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"github.com/parquet-go/parquet-go"

	"weft/internal/printable"
	"weft/unit"
)

// flowRow is a Flow as files show it. Values that the run did not reach or does not know are
// null. Slowdowns are columns, so that a notebook need not derive them.
type flowRow struct {
	Group       string   `parquet:"group,dict" json:"group"`
	ID          uint64   `parquet:"id,delta" json:"id"`
	Measured    bool     `parquet:"measured" json:"measured"`
	Src         string   `parquet:"src,dict" json:"src"`
	Dst         string   `parquet:"dst,dict" json:"dst"`
	Bytes       int64    `parquet:"bytes" json:"bytes"`
	Packets     int64    `parquet:"packets" json:"packets"`
	Start       int64    `parquet:"start_ps" json:"start_ps"`
	End         *int64   `parquet:"end_ps,optional" json:"end_ps"`
	SenderEnd   *int64   `parquet:"sender_end_ps,optional" json:"sender_end_ps"`
	Ideal       int64    `parquet:"ideal_ps" json:"ideal_ps"`
	IdealRef    int64    `parquet:"ideal_ref_ps" json:"ideal_ref_ps"`
	IdealBare   int64    `parquet:"ideal_bare_ps" json:"ideal_bare_ps"`
	IdealAck    int64    `parquet:"ideal_ack_ps" json:"ideal_ack_ps"`
	Slowdown    *float64 `parquet:"slowdown,optional" json:"slowdown"`
	SlowdownRef *float64 `parquet:"slowdown_ref,optional" json:"slowdown_ref"`

	SlowdownBare *float64 `parquet:"slowdown_bare,optional" json:"slowdown_bare"`
	SlowdownAck  *float64 `parquet:"slowdown_ack,optional" json:"slowdown_ack"`
	Retransmits  *int64   `parquet:"retransmits,optional" json:"retransmits"`
	Timeouts     *int64   `parquet:"timeouts,optional" json:"timeouts"`
	Trims        int64    `parquet:"trims" json:"trims"`
}

func rowOf(f Flow) flowRow {
	return flowRow{
		Group: f.Group, ID: f.ID, Measured: f.Measured, Src: f.Src, Dst: f.Dst,
		Bytes: int64(f.Bytes), Packets: f.Packets,
		Start: int64(f.Start), End: instant(f.End), SenderEnd: instant(f.SenderEnd),
		Ideal: int64(f.Ideal), IdealRef: int64(f.IdealRef),
		IdealBare: int64(f.IdealBare), IdealAck: int64(f.IdealAck),
		Slowdown: ratio(f.Slowdown()), SlowdownRef: ratio(f.SlowdownRef()),
		SlowdownBare: ratio(f.SlowdownBare()), SlowdownAck: ratio(f.SlowdownAck()),
		Retransmits: nullable(f.Retransmits), Timeouts: nullable(f.Timeouts), Trims: f.Trims,
	}
}

func (r flowRow) flow() Flow {
	return Flow{
		Group: r.Group, ID: r.ID, Measured: r.Measured, Src: r.Src, Dst: r.Dst,
		Bytes: unit.Bytes(r.Bytes), Packets: r.Packets,
		Start: unit.Time(r.Start), End: fromInstant(r.End), SenderEnd: fromInstant(r.SenderEnd),
		Ideal: unit.Time(r.Ideal), IdealRef: unit.Time(r.IdealRef),
		IdealBare: unit.Time(r.IdealBare), IdealAck: unit.Time(r.IdealAck),
		Retransmits: fromNullable(r.Retransmits), Timeouts: fromNullable(r.Timeouts), Trims: r.Trims,
	}
}

func ratio(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// chunk is how many rows are converted at a time, so that a large table is not held in memory
// twice.
const chunk = 4096

// leastBuffer is the buffer per column for a table of few rows, in bytes.
const leastBuffer = 1024

func itself[T any](v T) T { return v }

// tables writes the tables of results and reuses memory between them. The zero value is ready. It
// is not safe for concurrent use.
type tables struct {
	flows     table[Flow, flowRow]
	ports     table[Port, Port]
	series    table[Series, Series]
	faults    table[Fault, faultRow]
	nodes     table[Node, Node]
	snapshots table[Snapshot, Snapshot]
	pauses    table[Pause, Pause]

	ranks       table[Rank, Rank]
	activities  table[Activity, Activity]
	collectives table[Collective, Collective]
}

// table writes rows of type T as Parquet files with rows of type R. Writers are not reused: after
// Reset, columns lack their paths in this version of the library.
type table[T, R any] struct {
	schema *parquet.Schema
	part   []R
}

func (t *table[T, R]) write(out io.Writer, rows []T, convert func(T) R) error {
	if t.schema == nil {
		t.schema = parquet.SchemaOf(*new(R))
	}
	// The default buffers suit large tables, but a study writes many small ones.
	buffer := min(max(leastBuffer, 16*len(rows)), parquet.DefaultPageBufferSize)
	w := parquet.NewGenericWriter[R](out, t.schema,
		parquet.Compression(&parquet.Zstd), parquet.PageBufferSize(buffer), parquet.WriteBufferSize(buffer))
	for len(rows) > 0 {
		n := min(chunk, len(rows))
		t.part = t.part[:0]
		for _, row := range rows[:n] {
			t.part = append(t.part, convert(row))
		}
		if _, err := w.Write(t.part); err != nil {
			return err
		}
		rows = rows[n:]
	}
	clear(t.part)
	return w.Close()
}

// readTable reads a table.
func readTable[T, R any](in source, name string, convert func(R) T) (rows []T, err error) {
	if few, ok := in.few(name); ok {
		return readFew(in, few, convert)
	}
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	path, size := in.path(name), f.size
	// The Parquet library indexes by what a file claims about itself, so a damaged file can make
	// it panic.
	defer func() {
		if p := recover(); p != nil {
			rows, err = nil, damaged(path, fmt.Errorf("%v", p))
		}
	}()
	if err := checkFooter(f, size); err != nil {
		return nil, damaged(path, err)
	}
	file, err := parquet.OpenFile(f, size)
	if err != nil {
		return nil, damaged(path, err)
	}
	most := int64(math.MaxInt64)
	if f.limit > 0 {
		most = f.limit / int64(unsafe.Sizeof(*new(T)))
		if n := unpackedSize(file); n > f.limit {
			return nil, fmt.Errorf("%s: refused: it unpacks to %d MiB, but a table of a packed result may unpack to %d; record less", path, n>>20, f.limit>>20)
		}
	}
	if file.NumRows() > most {
		return nil, tooManyRows(path, most)
	}
	missing := slices.DeleteFunc(missingColumns(file.Schema(), parquet.SchemaOf(*new(R))), addedLater)
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s: no column %s: the file was written by another program or another version of weft; run the scenario again",
			path, strings.Join(missing, ", "))
	}
	r := parquet.NewGenericReader[R](file)
	defer r.Close()
	part := make([]R, chunk)
	clean := cleaner[R]()
	for {
		n, err := r.Read(part)
		for i := range part[:n] {
			clean(&part[i])
			rows = append(rows, convert(part[i]))
		}
		if int64(len(rows)) > most {
			return nil, tooManyRows(path, most)
		}
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case err != nil:
			return nil, damaged(path, err)
		case n == 0:
			return nil, damaged(path, io.ErrNoProgress)
		}
		clear(part)
	}
}

// cleaner returns a function that makes the names in a row printable, as decodeJSON does for
// other files.
func cleaner[R any]() func(row *R) {
	var texts []int // indices of string fields
	t := reflect.TypeFor[R]()
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() == reflect.String {
			texts = append(texts, i)
		}
	}
	return func(row *R) {
		v := reflect.ValueOf(row).Elem()
		for _, i := range texts {
			text := v.Field(i).String()
			if clean := printable.Line(text); clean != text {
				v.Field(i).SetString(clean)
			}
		}
	}
}

// addedLater reports whether folders of earlier programs may lack a column. It reads as null or 0
// then.
func addedLater(column string) bool {
	switch column {
	case "ideal_bare_ps", "ideal_ack_ps", "slowdown_bare", "slowdown_ack":
		return true
	}
	return slices.ContainsFunc(reasons, func(r reason) bool { return r.added && r.column() == column })
}

// readFew reads a table of few rows that is stored as JSON.
func readFew[T, R any](in source, name string, convert func(R) T) ([]T, error) {
	f, err := in.open(name)
	if err != nil {
		return nil, err
	}
	text, err := f.text()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.path(name), err)
	}
	var few []R
	if err := decodeJSON(in.path(name), text, &few); err != nil {
		return nil, err
	}
	rows := make([]T, len(few))
	for i, row := range few {
		rows[i] = convert(row)
	}
	return rows, nil
}

// checkFooter checks that a Parquet file is as long as its footer claims. The library would
// reserve memory for a footer of any claimed length. The file ends with the footer, its length in
// four bytes and "PAR1".
func checkFooter(f io.ReaderAt, size int64) error {
	const around = 12 // bytes: the magic at the start, and the length and magic at the end
	if size < around {
		return io.ErrUnexpectedEOF
	}
	var tail [8]byte
	if _, err := f.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return err
	}
	if string(tail[4:]) != "PAR1" {
		return errors.New("it does not end with PAR1")
	}
	if n := int64(binary.LittleEndian.Uint32(tail[:4])); n > size-around {
		return fmt.Errorf("its footer would take %d of %d bytes", n, size)
	}
	return nil
}

func missingColumns(have, want *parquet.Schema) []string {
	var missing []string
	for _, column := range want.Columns() {
		if _, ok := have.Lookup(column...); !ok {
			missing = append(missing, strings.Join(column, "."))
		}
	}
	return missing
}

// unpackedSize returns the unpacked size of all pages of a table, as the file states it.
func unpackedSize(file *parquet.File) (sum int64) {
	for _, group := range file.Metadata().RowGroups {
		for _, chunk := range group.Columns {
			if n := chunk.MetaData.TotalUncompressedSize; n < 0 || n > math.MaxInt64-sum {
				return math.MaxInt64
			} else {
				sum += n
			}
		}
	}
	return sum
}

func tooManyRows(path string, most int64) error {
	return fmt.Errorf("%s: refused: it has more than %d rows, the limit of a packed result; record less", path, most)
}

func damaged(path string, err error) error {
	return fmt.Errorf("%s: damaged or not a Parquet file (%w); run the scenario again", path, err)
}
