// Package paged has tables that may be larger than the memory of the machine. Small ones are in memory. Large ones
// are in a temporary file without a name, which is mapped: the kernel writes pages out when memory is short, and
// reads them when they are touched again. The replay of a trace touches the tables of each rank from the front to
// the back, so the pages that it needs at a time are few.
//
// The file is in the folder for temporary files ($TMPDIR). It has its space on disk before it is used, so a full
// disk is met here and not as a fault when a page is touched: tables are in memory then. Files are mapped on Linux
// only.
package paged

import (
	"os"
	"runtime"
	"unsafe"
)

// Memory is where tables are. The zero value is ready to use. It must not be copied, nor used by several goroutines
// at once; tables may be.
//
// Tables last as long as their Memory. What holds tables also holds their Memory, and functions that read tables
// end with a use of what holds them (runtime.KeepAlive).
type Memory struct {
	// Small is how many bytes of tables are in memory before others come into the file. 0 stands for 64 MiB.
	Small int
	taken int
	file  *file
	full  bool // no more comes into the file
	rest  []byte
}

// extent is by how much the file grows at least.
const extent = 64 << 20

// Make returns a table of n zero values. T is a type without pointers.
func Make[T any](m *Memory, n int) []T {
	if b := m.allot(n * int(unsafe.Sizeof(*new(T)))); b != nil {
		return view[T](b, n)
	}
	return make([]T, n)
}

// Keep returns a table of Go's memory, or its copy in the file.
func Keep[T any](m *Memory, table []T) []T {
	b := m.allot(len(table) * int(unsafe.Sizeof(*new(T))))
	if b == nil {
		return table
	}
	c := view[T](b, len(table))
	copy(c, table)
	return c
}

// view returns bytes of the file as a table.
func view[T any](b []byte, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// allot returns bytes of the file, or nil if a table is in memory.
func (m *Memory) allot(size int) []byte {
	const word = 8
	size = (size + word - 1) &^ (word - 1)
	small := m.Small
	if small == 0 {
		small = extent
	}
	if size == 0 || m.full || m.taken+size <= small {
		m.taken += size
		return nil
	}
	if size > len(m.rest) {
		b, err := m.grow(max(size, extent))
		if err != nil {
			m.full = true
			return nil
		}
		m.rest = b
	}
	b := m.rest[:size:size]
	m.rest = m.rest[size:]
	return b
}

// grow maps more of the file. What was left of the part before stays unused.
func (m *Memory) grow(size int) ([]byte, error) {
	if m.file == nil {
		f, err := create(os.TempDir())
		if err != nil {
			return nil, err
		}
		m.file = f
		runtime.AddCleanup(m, (*file).close, f)
	}
	page := os.Getpagesize()
	return m.file.extend((size + page - 1) &^ (page - 1))
}
