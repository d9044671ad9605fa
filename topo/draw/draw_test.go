package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"testing"

	"weft/topo"
	"weft/unit"
)

type builder interface{ Build() (*topo.Graph, error) }

func ptr[T any](v T) *T { return &v }

var cables = topo.Cables{Rate: unit.Gbps}

// shown is what a picture has in it.
type shown struct {
	width, height float64
	circles       []point
	squares       int
	paths         map[string]int // by the colour of their group
	texts         []string
}

func draw(t *testing.T, b builder, title string) (*topo.Graph, shown) {
	t.Helper()
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var out, again bytes.Buffer
	if err := errors.Join(SVG(&out, g, title), SVG(&again, g, title)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("the same network is drawn in two ways")
	}
	return g, parse(t, &out)
}

// parse reads a picture as far as the legend's line marks, which have a colour of
// their own.
func parse(t *testing.T, r io.Reader) shown {
	t.Helper()
	s := shown{paths: map[string]int{}}
	d := xml.NewDecoder(r)
	color, inText := "", false
	for {
		token, err := d.Token()
		if err == io.EOF {
			return s
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			attr := map[string]string{}
			for _, a := range e.Attr {
				attr[a.Name.Local] = a.Value
			}
			number := func(name string) float64 {
				v, err := strconv.ParseFloat(attr[name], 64)
				if err != nil || math.IsNaN(v) {
					t.Fatalf("%s of <%s> is %q", name, e.Name.Local, attr[name])
				}
				return v
			}
			switch e.Name.Local {
			case "svg":
				s.width, s.height = number("width"), number("height")
			case "g":
				color = attr["stroke"]
			case "circle":
				s.circles = append(s.circles, point{number("cx"), number("cy")})
			case "rect":
				if strings.HasPrefix(attr["fill"], coreColor) {
					s.squares++
				}
			case "path":
				if attr["stroke"] == "" {
					s.paths[color]++
				}
				if strings.Contains(attr["d"], "NaN") {
					t.Fatalf("a path is %q", attr["d"])
				}
			case "text":
				inText = true
			}
		case xml.CharData:
			if inText {
				s.texts = append(s.texts, string(e))
			}
			inText = false
		}
	}
}

func TestEverythingIsDrawn(t *testing.T) {
	for _, test := range []struct {
		b builder
		// discs are circles of switches and hosts, with two in the legend.
		discs, squares, inside, between int
	}{
		{topo.SlimFly{Order: ptr(5), Cables: cables}, 50 + 200 + 2, 0, 75, 100},
		{topo.Dragonfly{HostsPerSwitch: ptr(2), Cables: cables}, 36 + 72 + 2, 0, 54, 36},
		{topo.Jellyfish{Switches: ptr(20), Degree: ptr(5), Cables: cables}, 20 + 60 + 2, 0, 50, 0},
		{topo.HyperX{Widths: []int{3, 3}, Multiplicity: []int{2, 1}, HostsPerSwitch: ptr(1), Cables: cables}, 9 + 9 + 2, 0, 9, 18},
		{topo.FatTree{Tiers: 3, Radix: ptr(4), Rate: unit.Gbps}, 8 + 16 + 2, 12 + 1, 16, 16},
		{topo.Dumbbell{Left: 2, Right: 3, Rate: unit.Gbps}, 2 + 5 + 2, 0, 1, 0},
		{topo.Star{Hosts: 3, Rate: unit.Gbps}, 1 + 3 + 2, 0, 0, 0},
		// Too many hosts to draw.
		{topo.Clique{Switches: ptr(30), Cables: cables}, 30 + 1, 0, 435, 0},
	} {
		g, s := draw(t, test.b, "a & b")
		if len(s.circles) != test.discs || s.squares != test.squares {
			t.Errorf("%T: %d circles and %d squares, want %d and %d", test.b, len(s.circles), s.squares, test.discs, test.squares)
		}
		if got := [2]int{s.paths[insideColor], s.paths[globalColor]}; got != [2]int{test.inside, test.between} {
			t.Errorf("%T: %v links inside and between groups, want %d and %d", test.b, got, test.inside, test.between)
		}
		for _, c := range s.circles {
			if c.x < 0 || c.y < 0 || c.x > s.width || c.y > s.height {
				t.Errorf("%T: something is drawn at %v, outside of %g by %g", test.b, c, s.width, s.height)
			}
		}
		written := map[string]bool{}
		for _, text := range s.texts {
			written[text] = true
		}
		if !written["a & b"] {
			t.Errorf("%T: the title is not there: %q", test.b, s.texts)
		}
		for _, n := range g.Nodes {
			if n.Kind == topo.Switch && !written[n.Name] {
				t.Errorf("%T: %s is not named", test.b, n.Name)
			}
		}
	}
}

// Nothing is drawn on top of something else.
func TestSwitchesStandApart(t *testing.T) {
	for _, b := range []builder{
		topo.SlimFly{Order: ptr(7), Cables: cables}, topo.Dragonfly{HostsPerSwitch: ptr(3), Cables: cables},
		topo.HyperX{Dimensions: ptr(3), Widths: []int{4}, Cables: cables}, topo.Xpander{Degree: ptr(5), Cables: cables},
		topo.Clique{Switches: ptr(3), Cables: cables}, topo.FatTree{Tiers: 3, Radix: ptr(8), Rate: unit.Gbps},
		topo.Dragonfly{SwitchesPerGroup: ptr(1), GlobalLinks: ptr(1), Cables: cables},
	} {
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var l layout
		if g.Nodes[len(g.Nodes)-1].Tier > 1 {
			l = rows(g, 3)
		} else {
			l = circle(g)
		}
		for i := range g.Nodes {
			for j := range g.Nodes[:i] {
				if g.Nodes[i].Kind != topo.Switch || g.Nodes[j].Kind != topo.Switch {
					continue
				}
				if p, q := l.at[i], l.at[j]; math.Hypot(p.x-q.x, p.y-q.y) < 2*radius {
					t.Fatalf("%T: %s and %s are drawn at %v and %v", b, g.Nodes[i].Name, g.Nodes[j].Name, p, q)
				}
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	g, err := topo.SlimFly{Order: ptr(16), Cables: cables}.Build()
	if err != nil {
		t.Fatal(err)
	}
	if err := SVG(io.Discard, g, ""); err == nil || !strings.Contains(err.Error(), "512 switches") {
		t.Errorf("512 switches are drawn: %v", err)
	}
}
