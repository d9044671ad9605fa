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
)

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
			Name:  "adjacency",
			About: "adjacency JSON of NetworkX, which .json files may have, too (read only)",
			read:  ReadNodeLink,
		},
		{
			Name: "gml", Extensions: []string{".gml"},
			About: "GML, as NetworkX, igraph, Gephi and yEd read and write it",
			read:  ReadGML, write: (*Graph).WriteGML,
		},
		{
			Name: "edges", Extensions: []string{".edges", ".edgelist"},
			About: "plain list of edges, two names per line (read only)",
			read:  ReadEdgeList,
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

// FindFormat returns the named format.
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

// FormatOf returns the format that belongs to the extension of a file.
func FormatOf(path string) (Format, error) {
	extension := strings.ToLower(filepath.Ext(path))
	var known []string
	for _, f := range Formats() {
		if slices.Contains(f.Extensions, extension) {
			return f, nil
		}
		if f.Extensions != nil {
			known = append(known, fmt.Sprintf("%s for %s", strings.Join(f.Extensions, " or "), f.Name))
		}
	}
	return Format{}, problem.New("%s: the extension %q is unknown", path, extension).Mend("use %s, or name the format", strings.Join(known, ", "))
}

// ReadFile reads a graph from a file, whose format follows from its extension. The
// properties of a netbench run (.properties) stand for the topology file that they name.
func ReadFile(path string, d Defaults) (*Graph, error) {
	if isNetbenchRun(path) {
		return readNetbenchRun(path, d)
	}
	f, err := FormatOf(path)
	if err != nil {
		return nil, resembling(path, err)
	}
	return f.ReadFile(path, d)
}

// ReadFile reads a graph from a file of this format. For netbench, it may also be the
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
	g, err := f.Read(file, path, d)
	if err != nil {
		return nil, f.withFormat(file, err)
	}
	return g, nil
}

// Write writes a graph that Validate accepts. Read then reads the same graph, except for
// the properties that Lost lists. It fails if the format cannot describe such a graph, or
// if weft only reads the format.
func (f Format) Write(w io.Writer, g *Graph) error {
	if f.write == nil {
		return fmt.Errorf("writing a graph: %w", f.readOnly())
	}
	if err := f.write(g, w); err != nil {
		return fmt.Errorf("writing a graph as %s: %w", f.Name, err)
	}
	return nil
}
