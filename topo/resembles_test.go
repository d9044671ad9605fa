package topo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestRefusedFileSaysWhatItWasTakenFor writes files under the extensions of other formats.
func TestRefusedFileSaysWhatItWasTakenFor(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ name, text, want string }{
		{"a.gml", "<graphml><graph/></graphml>", "the file was read as gml, but looks like graphml: name that format"},
		{"a.json", "graph { a -- b }", "the file was read as node-link, but looks like dot: name that format"},
		{"a.graphml", `{"nodes": []}`, "the file was read as graphml, but looks like node-link or adjacency: name that format"},
		{"a.csv", "tor0 spine0\n", "the file was read as csv, but looks like edges: name that format"},
		{"a.edges", "Creator \"x\"\ngraph [ node [ id 0 ] ]", "the file was read as edges, but looks like gml: name that format"},
		{"a.topo", "3 1 2\n2\n0 2 1Gbps 1us 0\n", "the file was read as htsim, but looks like hpcc: name that format"},
		{"a.hpcc", "|V|=3\n", "the file was read as hpcc, but looks like netbench: name that format"},
		{"a.dot", "a,b\nhost0,t\n", "the file was read as dot, but looks like csv: name that format"},
		{"a.topology", "Nodes 4\nConnections 1\n0->1 start 0 size 1\n", "but looks like a connection matrix of htsim, which is traffic: pattern: {kind: connections, file: …}"},
		{"a.gv", "hello", "the file was read as dot; weft reads graphml, dot, node-link, adjacency, gml, edges, csv, htsim, hpcc, netbench"},
	} {
		path := filepath.Join(dir, test.name)
		if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := ReadFile(path, defaults)
		if err == nil || !strings.HasSuffix(err.Error(), test.want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: got %v, want an error that ends with %q", test.name, err, test.want)
		}
	}
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("# SNAP\n0\t1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, defaults); err == nil || !strings.HasSuffix(err.Error(), "or name the format; the file looks like edges") {
		t.Errorf("got %v", err)
	}
	// A mistake within a file of the right format is only that.
	path = filepath.Join(dir, "b.gml")
	if err := os.WriteFile(path, []byte("graph [ node [ ] ]"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path, defaults); err == nil || strings.Contains(err.Error(), "was read as") {
		t.Errorf("got %v", err)
	}
}

// TestWrittenFilesResembleTheirFormat holds the guess to what weft itself writes.
func TestWrittenFilesResembleTheirFormat(t *testing.T) {
	for _, f := range Formats() {
		if f.write == nil || f.Name == "htsim" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var b bytes.Buffer
				if err := f.Write(&b, anyNetwork(t)); err != nil {
					t.Fatal(err)
				}
				head := b.Bytes()[:min(headLength, b.Len())]
				if got := resembles(string(head)); !slices.Contains(got, f.Name) {
					t.Fatalf("%v for\n%s", got, head)
				}
			})
		})
	}
}

func TestReadOnlyFormats(t *testing.T) {
	for _, name := range []string{"adjacency", "edges"} {
		err := format(t, name).Write(new(bytes.Buffer), triangle())
		if want := "weft reads " + name + ", but does not write it; use graphml, dot, node-link, gml, csv, htsim, hpcc, netbench"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
