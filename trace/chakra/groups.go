package chakra

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/internal/userfile"
	"weft/problem"
	"weft/unit"
)

// group is ranks that have collectives with each other.
type group struct {
	name  string
	ranks []int32
	place map[int32]int
	// calls are their collectives in order, and came how many each place has come to.
	calls []int32
	came  []int
}

// groups are the process groups that are known by name.
type groups struct {
	file     string
	ofFile   map[string][]int32
	ofRank   map[int32]map[string][]int32 // from metadata; no ranks are all ranks
	resolved map[string]*group
}

// everybody is the name of the group of all ranks, which nodes without a name mean, and those that name it 0.
const everybody = "world"

// mostGroupFile is how large a file of groups is.
const mostGroupFile = 256 * unit.MiB

// readGroups reads the file of groups that the user names, or else one in the folder of the trace.
func (t *reading) readGroups() error {
	g := &t.groups
	g.resolved = map[string]*group{}
	if t.Groups != "" {
		text, err := userfile.Read(t.Groups, mostGroupFile)
		if err != nil {
			return problem.At(groupsOption, "process groups: %w", err)
		}
		var ok bool
		if g.ofFile, ok = parseGroups(text); !ok {
			return optional(t.Groups+": these are no process groups", `write an object with a list of ranks per name, as in {"1": [0, 1]}`, groupsOption)
		}
		g.file = t.Groups
		return nil
	}
	found, err := t.files.groups()
	if err != nil || len(found) == 0 {
		return err
	}
	if len(found) > 1 {
		return optional(fmt.Sprintf("%s and %s: both have process groups", found[0].path, found[1].path), "name one of them", groupsOption)
	}
	g.file, g.ofFile = found[0].path, found[0].ranks
	return nil
}

// groupFile is a file of process groups.
type groupFile struct {
	path  string
	ranks map[string][]int32
}

// groups returns the files of process groups in the folder of a trace. What cannot be read is left out, since
// the user did not name it.
func (f files) groups() (found []groupFile, err error) {
	paths, err := filepath.Glob(filepath.Join(escaped(f.dir), "*"+jsonForm))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if prefix, rank, form, ok := rankOf(filepath.Base(path)); ok && prefix == f.prefix && form == f.form && rank < f.ranks {
			continue
		}
		text, err := userfile.Read(path, mostGroupFile)
		if err != nil {
			continue
		}
		ranks, ok := parseGroups(text)
		switch {
		case !ok:
		case filepath.Base(path) == f.prefix+jsonForm:
			return []groupFile{{path, ranks}}, nil // the one that Write writes
		default:
			found = append(found, groupFile{path, ranks})
		}
	}
	return found, nil
}

// escaped returns a path in which no character stands for others.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// parseGroups reads lists of ranks by name.
func parseGroups(text []byte) (map[string][]int32, bool) {
	var found map[string][]int32
	if err := json.Unmarshal(text, &found); err != nil || len(found) == 0 {
		return nil, false
	}
	return found, true
}

// define takes the groups that metadata of PyTorch defines: a list in Python's form, with JSON as its only
// text.
func (g *groups) define(r *rank, values []byte) error {
	if !bytes.Contains(values, []byte(`"pg_name"`)) {
		return nil
	}
	from, to := bytes.IndexByte(values[1:], '['), bytes.LastIndexByte(values[:len(values)-1], ']')
	var list []struct {
		Name  any     `json:"pg_name"`
		Ranks []int32 `json:"ranks"`
	}
	if from < 0 || to < from+1 {
		return fmt.Errorf("its process groups are no list")
	}
	if err := json.Unmarshal(values[from+1:to+1], &list); err != nil {
		return fmt.Errorf("its process groups cannot be read: %w", err)
	}
	if g.ofRank == nil {
		g.ofRank = map[int32]map[string][]int32{}
	}
	own := g.ofRank[r.number]
	if own == nil {
		own = map[string][]int32{}
		g.ofRank[r.number] = own
	}
	for _, one := range list {
		own[fmt.Sprint(one.Name)] = one.Ranks
	}
	return nil
}

// groupOf returns the group of a collective.
func (t *reading) groupOf(r *rank, n *node) (*group, error) {
	key := n.group
	if key == "" && strings.ContainsRune(n.dims, '0') {
		key = "involved_dim " + n.dims
	}
	if g := r.groups[key]; g != nil {
		return g, nil
	}
	var g *group
	var err error
	if n.group == "" && key != "" {
		g, err = t.alongDims(r, n)
	} else {
		g, err = t.named(r, n)
	}
	if err != nil {
		return nil, err
	}
	if _, in := g.place[r.number]; !in {
		return nil, r.wrong(n, "rank %d is not in its process group %q of %s; correct pg_name or the group", r.number, g.name, readable.Count(len(g.ranks), "rank"))
	}
	if r.groups == nil {
		r.groups = map[string]*group{}
	}
	r.groups[key] = g
	return g, nil
}

// named returns the group that a node names.
func (t *reading) named(r *rank, n *node) (*group, error) {
	list, known := t.groups.ofRank[r.number][n.group]
	if !known {
		list, known = t.groups.ofFile[n.group]
	}
	switch {
	case known && len(list) > 0:
		g, err := t.resolve(n.group, list)
		if err != nil {
			return nil, r.wrong(n, "%w", err)
		}
		return g, nil
	case known, n.group == "", n.group == "0":
		return t.resolve(everybody, t.all())
	}
	var names []string
	for name := range t.groups.ofFile {
		names = append(names, name)
	}
	for name := range t.groups.ofRank[r.number] {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return nil, r.wrong(n, "%w", optional(fmt.Sprintf("its process group %q is not defined", readable.Clip(n.group)),
			fmt.Sprintf(`put a JSON file such as {"%s": [0, 1]} into the folder of the trace, or name one`, readable.Clip(n.group)), groupsOption))
	}
	return nil, r.wrong(n, "its process group %q is not defined; %s", readable.Clip(n.group), nearest.Remedy(n.group, "there are", names))
}

// all returns all ranks.
func (t *reading) all() []int32 {
	list := make([]int32, t.files.ranks)
	for i := range list {
		list[i] = int32(i)
	}
	return list
}

// resolve returns the group with a name and ranks. Ranks may have groups of the same name with different
// ranks.
func (t *reading) resolve(name string, ranks []int32) (*group, error) {
	key := fmt.Sprint(name, ranks)
	if g := t.groups.resolved[key]; g != nil {
		return g, nil
	}
	g := &group{name: name, ranks: ranks, place: make(map[int32]int, len(ranks)), came: make([]int, len(ranks))}
	for i, one := range ranks {
		if _, twice := g.place[one]; twice || one < 0 || int(one) >= t.files.ranks {
			return nil, fmt.Errorf("its process group %q lists rank %d, which is there twice or not among ranks 0 to %d; correct the group", readable.Clip(name), one, t.files.ranks-1)
		}
		g.place[one] = i
	}
	t.groups.resolved[key] = g
	return g, nil
}

// alongDims returns the group of a collective over some dimensions: the ranks that differ in these alone.
func (t *reading) alongDims(r *rank, n *node) (*group, error) {
	all := 1
	for _, d := range t.Dims {
		all *= max(d, 0)
	}
	switch {
	case len(t.Dims) == 0:
		return nil, r.wrong(n, "%w", optional("it is over some dimensions of the network (involved_dim "+n.dims+")", "say how many ranks each dimension has, as ASTRA-sim's npus_count does", dimsOption))
	case len(t.Dims) != len(n.dims) || all != t.files.ranks:
		return nil, r.wrong(n, "%w", optional(fmt.Sprintf("it has %s (involved_dim), and %s", readable.Count(len(n.dims), "dimension"), readable.Count(t.files.ranks, "rank")),
			fmt.Sprintf("give as many dimensions with %d ranks in all, and not %v", t.files.ranks, t.Dims), dimsOption))
	}
	// Places of the rank in the dimensions that are not involved are the same for the whole group.
	same := func(rank int) (place int) {
		stride := 1
		for i, d := range t.Dims {
			if n.dims[i] == '0' {
				place += rank % d * stride
				stride *= d
			}
			rank /= d
		}
		return place
	}
	mine := same(int(r.number))
	var ranks []int32
	for other := range t.files.ranks {
		if same(other) == mine {
			ranks = append(ranks, int32(other))
		}
	}
	return t.resolve(fmt.Sprintf("dims %s.%d", n.dims, mine), ranks)
}
