package topo

import (
	"io"

	"weft/unit"
)

// MaxFile is how large a graph file is at most, far beyond those of a million links.
const MaxFile = 256 * unit.MiB

// Format is a text form of graphs: how to read it, how to write it if weft does, and what
// it cannot hold.
type Format struct {
	// Name is what scenarios and commands call it.
	Name string
	// Extensions are those of its files, in lower case with the dot, the usual
	// one first.
	Extensions []string
	// About says in a line whose format it is.
	About string

	read  func(io.Reader, string, Defaults) (*Graph, error)
	write func(*Graph, io.Writer) error
	lost  func(*Graph) []Loss
}

// Loss is something of a graph that a format has no place for.
type Loss struct {
	// What it is, as a sentence without its end.
	What string
	// Remedy says what to do about it.
	Remedy string
	// Kept tells that weft itself reads it back, from comments that other
	// programs pass over; it is lost to them alone.
	Kept bool
}

// String joins the parts to a line for people.
func (l Loss) String() string { return l.What + "; " + l.Remedy }

// Read reads a graph. The name stands for the source in messages, which begin
// with it, the line and the column.
func (f Format) Read(r io.Reader, name string, d Defaults) (*Graph, error) {
	return f.read(r, name, d)
}

// Lost tells what of g the format cannot hold.
func (f Format) Lost(g *Graph) []Loss {
	if f.lost == nil {
		return nil
	}
	return f.lost(g)
}
