// Package brotli replaces the module of that name in builds of weft.
//
// parquet-go links every codec of Parquet. The real Brotli module brings an HTTP server, TLS and
// their 60 packages, which take a seventh of a first build. weft writes Zstandard and reads only
// what it wrote, so it needs no Brotli. This package keeps the names that parquet-go uses; each
// use fails with ErrLeftOut.
package brotli

import (
	"errors"
	"io"
)

// ErrLeftOut reports that a table is compressed with Brotli, which weft leaves out.
var ErrLeftOut = errors.New("compressed with Brotli, which weft does not read; write the table with Zstandard")

// WriterOptions are the options that parquet-go sets. They have no effect.
type WriterOptions struct{ Quality, LGWin int }

// Writer fails with ErrLeftOut.
type Writer struct{}

// NewWriterOptions returns a writer that fails.
func NewWriterOptions(io.Writer, WriterOptions) *Writer { return new(Writer) }

func (*Writer) Write([]byte) (int, error) { return 0, ErrLeftOut }

// Close fails with ErrLeftOut.
func (*Writer) Close() error { return ErrLeftOut }

// Reset has no effect.
func (*Writer) Reset(io.Writer) {}

// Reader fails with ErrLeftOut.
type Reader struct{}

// NewReader returns a reader that fails.
func NewReader(io.Reader) *Reader { return new(Reader) }

func (*Reader) Read([]byte) (int, error) { return 0, ErrLeftOut }

// Reset has no effect: the reader keeps failing.
func (*Reader) Reset(io.Reader) error { return nil }
