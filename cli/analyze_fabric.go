package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"weft/analysis/diversity"
	"weft/analysis/routers"
	"weft/catalog"
	"weft/config"
	"weft/internal/userfile"
	"weft/topo"
)

// graphed is what a fabric is decoded into: a scenario with its topology alone.
type graphed struct {
	Topology catalog.Choice[*topo.Graph] `yaml:"topology" doc:"Network."`
}

var ownLengths = regexp.MustCompile(`^(.+)@([0-9]+(?:,[0-9]+)*)$`)

// fabrics reads arguments that name fabrics. Those whose topology is drawn by a seed
// have so many graphs, of consecutive seeds.
func (p *program) fabrics(args []string, graphs int) ([]diversity.Fabric, error) {
	if graphs < 1 {
		return nil, fmt.Errorf("--graphs is %d; use 1 or more", graphs)
	}
	var out []diversity.Fabric
	for i, arg := range args {
		f, err := p.fabric(arg, graphs, i == 0)
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

func (p *program) fabric(arg string, graphs int, first bool) (diversity.Fabric, error) {
	name, lengths := arg, []int(nil)
	if m := ownLengths.FindStringSubmatch(arg); m != nil {
		name = m[1]
		for _, text := range strings.Split(m[2], ",") {
			l, err := strconv.Atoi(text)
			if err != nil {
				return diversity.Fabric{}, fmt.Errorf("%s: %s is too large for a number of hops", arg, text)
			}
			lengths = append(lengths, l)
		}
	}
	t, err := p.topology(name, first)
	if err != nil {
		return diversity.Fabric{}, err
	}
	if !t.seeded {
		graphs = 1
	}
	f := diversity.Fabric{Name: t.title, Instances: graphs, Lengths: lengths}
	f.Graph = func(i int) (*routers.Graph, error) {
		g, err := t.build(uint64(i))
		if err != nil {
			return nil, err
		}
		if i == 0 {
			p.notices(g.Notes)
		}
		return routers.FromTopology(g)
	}
	return f, nil
}

// named is a topology that an argument names.
type named struct {
	title string
	// seeded tells whether it has a seed.
	seeded bool
	// build builds it; its seed, if it has one, is raised by more.
	build func(more uint64) (*topo.Graph, error)
}

// topology reads an argument that names a fabric, whose graph is built when it is asked
// for. What is wrong with it is told at once, before others are measured, and so each but
// the first, which is measured at once, is built on trial.
func (p *program) topology(arg string, first bool) (named, error) {
	title, node, seeded, err := p.fabricNode(arg)
	if err != nil {
		return named{}, err
	}
	dir := filepath.Dir(arg)
	choice, err := p.decodeTopology(node, dir)
	if err != nil {
		return named{}, err
	}
	if !first {
		if _, err := choice.Build(); err != nil {
			return named{}, fmt.Errorf("%s: %w", title, err)
		}
	}
	return named{title, seeded, func(more uint64) (*topo.Graph, error) { return p.buildTopology(node, dir, more) }}, nil
}

// fabricNode returns what a configuration says of a fabric's topology, a name for it,
// and whether it has a seed.
func (p *program) fabricNode(arg string) (title string, node *config.Node, seeded bool, err error) {
	kind, options, _ := strings.Cut(arg, ":")
	if info, ok := p.reg.Topologies.Find(kind); ok {
		text := "{kind: " + kind
		if options != "" {
			text += ", " + strings.Join(assignments(options), ", ")
		}
		node, err = config.Parse(arg, []byte(text+"}"))
		fields, _ := catalog.Fields(info.Options)
		for _, f := range fields {
			seeded = seeded || f.Name == "seed"
		}
		return arg, node, seeded, err
	}
	text, err := userfile.Read(arg, topo.MaxFile)
	if err != nil {
		return "", nil, false, unknownFabric(arg, kind, &p.reg.Topologies, err)
	}
	title = strings.TrimSuffix(filepath.Base(arg), filepath.Ext(arg))
	if ext := strings.ToLower(filepath.Ext(arg)); ext == ".yaml" || ext == ".yml" {
		whole, err := config.Parse(arg, text)
		if err != nil {
			return "", nil, false, err
		}
		if node = whole.Get("topology"); node == nil {
			return "", nil, false, fmt.Errorf("%s: no topology; name a scenario that has one", arg)
		}
		return title, node, false, nil
	}
	node, err = config.Parse(arg, []byte(fmt.Sprintf("{kind: graph, file: %q}", absolute(arg))))
	return title, node, false, err
}

// assignments turns key=value,key=value into YAML, with commas in brackets left
// alone.
func assignments(options string) []string {
	out := optionsOf(options)
	for i := range out {
		out[i] = strings.Replace(out[i], "=", ": ", 1)
	}
	return out
}

// optionsOf splits key=value,key=value, with commas in brackets left alone. A class of size
// needs no key, as in slim-fly:1k.
func optionsOf(options string) []string {
	var out []string
	depth, start := 0, 0
	for i, r := range options + "," {
		switch r {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth <= 0 {
				text := options[start:i]
				if topo.IsSize(text) {
					text = "size=" + text
				}
				out = append(out, text)
				start = i + 1
			}
		}
	}
	return out
}

func unknownFabric(arg, kind string, kinds catalog.Roster, err error) error {
	if !os.IsNotExist(err) {
		return fmt.Errorf("%s: %w", arg, err)
	}
	return fmt.Errorf("%s is neither a topology nor a file; %s", arg, catalog.Remedy(kind, "there are", kinds))
}

// decodeTopology reads what a configuration says, with files relative to a directory.
func (p *program) decodeTopology(node *config.Node, dir string) (catalog.Choice[*topo.Graph], error) {
	mapping := &config.Node{Kind: config.Mapping, Place: node.Place}
	var into graphed
	decoder := config.Decoder{Rosters: []catalog.Roster{&p.reg.Topologies}, Dir: dir}
	_, err := decoder.Decode(mapping.With(config.Field{Key: "topology", Value: node}), &into)
	return into.Topology, err
}

// buildTopology builds what a configuration says; its seed, if it has one, is raised
// by more.
func (p *program) buildTopology(node *config.Node, dir string, more uint64) (*topo.Graph, error) {
	choice, err := p.decodeTopology(node, dir)
	if err != nil {
		return nil, err
	}
	if more > 0 {
		if err := raiseSeed(choice.Options, more); err != nil {
			return nil, err
		}
	}
	return choice.Build()
}
