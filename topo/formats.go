package topo

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/internal/userfile"
	"weft/problem"
	"weft/unit"
)

// Format is a text form of graphs: how to read it, how to write it, and what it
// cannot hold.
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

// Formats returns all formats.
func Formats() []Format {
	return []Format{
		{
			Name: "graphml", Extensions: []string{".graphml", ".xml"},
			About: "GraphML 1.0, as yEd, Gephi, igraph and NetworkX read and write it",
			read:  ReadGraphML, write: (*Graph).WriteGraphML,
		},
		{
			Name: "dot", Extensions: []string{".dot", ".gv"},
			About: "the DOT language of Graphviz",
			read:  ReadDOT, write: (*Graph).WriteDOT,
		},
		{
			Name: "node-link", Extensions: []string{".json"},
			About: "node-link JSON, as NetworkX and D3 read and write it",
			read:  ReadNodeLink, write: (*Graph).WriteNodeLink,
		},
		{
			Name: "csv", Extensions: []string{".csv"},
			About: "list of links as comma-separated values",
			read:  ReadEdges, write: (*Graph).WriteEdges, lost: (*Graph).lostToEdges,
		},
		{
			Name: "htsim", Extensions: []string{".topo"},
			About: "fat trees of htsim by their parameters",
			read:  ReadHtsim, write: (*Graph).WriteHtsim, lost: (*Graph).lostToHtsim,
		},
		{
			Name: "hpcc", Extensions: []string{".hpcc"},
			About: "topology files of HPCC's and ConWeave's ns-3 simulators",
			read:  ReadHPCC, write: (*Graph).WriteHPCC, lost: (*Graph).lostToHPCC,
		},
		{
			Name: netbenchName, Extensions: []string{".topology"},
			About: "topology files of netbench",
			read:  ReadNetbench, write: (*Graph).WriteNetbench, lost: (*Graph).lostToNetbench,
		},
	}
}

// FindFormat returns the format of that name.
func FindFormat(name string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Format{}, fmt.Errorf("there is no format %q; %s", shorten(name), nearest.Remedy(name, "there are", names))
}

// FormatOf returns the format that the extension of a file tells.
func FormatOf(path string) (Format, error) {
	extension := strings.ToLower(filepath.Ext(path))
	var known []string
	for _, f := range Formats() {
		if slices.Contains(f.Extensions, extension) {
			return f, nil
		}
		known = append(known, fmt.Sprintf("%s for %s", strings.Join(f.Extensions, " or "), f.Name))
	}
	return Format{}, problem.New("%s: the extension %q is unknown", path, extension).Mend("use %s, or name the format", strings.Join(known, ", "))
}

// MaxFile is how large a graph file is at most, far beyond those of a million links.
const MaxFile = 256 * unit.MiB

// ReadFile reads a graph from a file whose extension tells its format. The
// properties of a run of netbench (.properties) stand for the topology that they
// name.
func ReadFile(path string, d Defaults) (*Graph, error) {
	if isNetbenchRun(path) {
		return readNetbenchRun(path, d)
	}
	f, err := FormatOf(path)
	if err != nil {
		return nil, err
	}
	return f.ReadFile(path, d)
}

// ReadFile reads a graph from a file of this format; of netbench's, also by the
// properties of a run.
func (f Format) ReadFile(path string, d Defaults) (*Graph, error) {
	if f.Name == netbenchName && isNetbenchRun(path) {
		return readNetbenchRun(path, d)
	}
	file, err := userfile.Open(path, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("reading a graph: %w", err)
	}
	defer file.Close()
	return f.Read(file, path, d)
}

// Read reads a graph. The name stands for the source in messages, which begin
// with it, the line and the column.
func (f Format) Read(r io.Reader, name string, d Defaults) (*Graph, error) {
	return f.read(r, name, d)
}

// Write writes a graph that Validate accepts, so that Read reads the same graph
// but for what Lost tells. It fails if the format has no way to write such a
// graph at all.
func (f Format) Write(w io.Writer, g *Graph) error {
	if err := f.write(g, w); err != nil {
		return fmt.Errorf("writing a graph as %s: %w", f.Name, err)
	}
	return nil
}

// Lost tells what of g the format cannot hold.
func (f Format) Lost(g *Graph) []Loss {
	if f.lost == nil {
		return nil
	}
	return f.lost(g)
}
