package topo

import (
	"io"

	"weft/unit"
)

// MaxFile is the size of the largest graph file, far beyond a file with a million links.
const MaxFile = 256 * unit.MiB

// Format is a text format of graphs. It knows how to read it, possibly how to write it, and
// what it cannot hold.
type Format struct {
	// Name is the format's name in scenarios and commands.
	Name string
	// Extensions are the extensions of its files, in lower case with the dot, the usual one
	// first.
	Extensions []string
	// About is one line about the format's origin.
	About string

	read  func(io.Reader, string, Defaults) (*Graph, error)
	write func(*Graph, io.Writer) error
	lost  func(*Graph) []Loss
}

// Loss is a property of a graph that a format cannot hold.
type Loss struct {
	// What names the property, as a sentence without its end.
	What string
	// Remedy describes what to do about it.
	Remedy string
	// Kept: weft reads the property back from comments, which other programs ignore. It is
	// lost only to them.
	Kept bool
}

// String joins the parts into one line.
func (l Loss) String() string { return l.What + "; " + l.Remedy }

// Read reads a graph. Messages begin with name, the line and the column.
func (f Format) Read(r io.Reader, name string, d Defaults) (*Graph, error) {
	return f.read(r, name, d)
}

// Lost lists the properties of g that the format cannot hold.
func (f Format) Lost(g *Graph) []Loss {
	if f.lost == nil {
		return nil
	}
	return f.lost(g)
}
