package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"weft/config"
	"weft/problem"
	"weft/transport"
)

// checkCounts refuses absurdly long lists before time is spent on each item.
func checkCounts(root *config.Node) error {
	for _, list := range []struct {
		key, of string
		most    int
	}{
		{"traffic", "groups", transport.MaxGroups},
		{"faults", "faults", maxFaults},
		{compareKey, "variants", maxLevels},
		{matrixKey, "axes", maxAxes},
	} {
		if n := root.Get(list.key); n != nil && len(n.Items) > list.most {
			return config.Wrong(n.Items[list.most].Place, problem.At(list.key, "%s: there are %d %s", list.key, len(n.Items), list.of).Mend("at most %d are allowed", list.most))
		}
	}
	return nil
}

// foldVariants moves the keys next to a variant's name into its set, both in a file and in
// assignments to it. Assignments to a set are flattened to one path per value, so that they
// follow the file's values however those are nested.
func foldVariants(root *config.Node) *config.Node {
	list := root.Get(compareKey)
	if list == nil {
		return root
	}
	folded := *list
	folded.Items, folded.Fields = slices.Clone(list.Items), slices.Clone(list.Fields)
	for i, item := range list.Items {
		folded.Items[i] = foldVariant(item)
	}
	for i, f := range list.Fields { // in assignments: variants by index or name
		item := foldVariant(f.Value)
		if set := item.Get(setKey); set != nil {
			item = item.With(config.Field{Key: setKey, Place: set.Place, Value: flat(set)})
		}
		folded.Fields[i].Value = item
	}
	return root.With(config.Field{Key: compareKey, Place: list.Place, Value: &folded})
}

// flatLevels flattens assignments to named levels of axes to one path per value, as
// foldVariants does for variants.
func flatLevels(over *config.Node) *config.Node {
	axes := over.Get(matrixKey)
	if axes == nil {
		return over
	}
	out := *axes
	out.Fields = slices.Clone(axes.Fields)
	for i, axis := range axes.Fields {
		levels := axis.Value.Get(levelsKey)
		if levels == nil {
			continue
		}
		named := *levels
		named.Fields = slices.Clone(levels.Fields)
		for j, level := range levels.Fields {
			named.Fields[j].Value = flat(level.Value)
		}
		out.Fields[i].Value = axis.Value.With(config.Field{Key: levelsKey, Place: levels.Place, Value: &named})
	}
	return over.With(config.Field{Key: matrixKey, Place: axes.Place, Value: &out})
}

// flat returns a mapping with one path per value that is not a mapping itself.
func flat(n *config.Node) *config.Node {
	out := *n
	out.Fields = nil
	for _, f := range n.Fields {
		out.Fields = append(out.Fields, config.Leaves(f)...)
	}
	return &out
}

func foldVariant(item *config.Node) *config.Node {
	set := item.Get(setKey)
	if item.Kind != config.Mapping || set != nil && set.Kind != config.Mapping && set.Kind != config.Null {
		return item
	}
	beside := item.Without(nameKey, setKey)
	if len(beside.Fields) == 0 {
		return item
	}
	all := config.Node{Kind: config.Mapping, Place: beside.Fields[0].Place}
	if set != nil && set.Kind == config.Mapping {
		all = *set
	}
	all.Fields = append(append([]config.Field(nil), all.Fields...), beside.Fields...)
	folded := config.Node{Kind: config.Mapping, Place: item.Place}
	for _, f := range item.Fields {
		if f.Key == nameKey {
			folded.Fields = append(folded.Fields, f)
		}
	}
	folded.Fields = append(folded.Fields, config.Field{Key: setKey, Place: all.Place, Value: &all})
	return &folded
}

// variants returns the scenarios that a file compares. It leaves out unwanted variants
// whose options conflict.
func (l *loader) variants(root *config.Node, base *Scenario) ([]*Scenario, error) {
	var own Problems
	rest := root.Without(studyKeys...)
	var list []*Scenario
	for i, v := range base.Compare {
		if own.full() {
			own.cut = true
			break
		}
		told := len(l.notices)
		changed, err := l.vary(rest, i, v)
		if err != nil {
			own.Add(v.Name, err)
			continue
		}
		s, err := l.decode(changed, v.Name)
		if err != nil {
			own.Add(v.Name, err)
			continue
		}
		lost := noticesOf(lostKeys(rest, changed, v.who()), changed, s)
		l.notices, l.lost = append(l.notices, lost...), append(l.lost, lost...)
		wanted := len(l.only) == 0 || slices.Contains(l.only, v.Name)
		if !wanted {
			l.notices = l.notices[:told]
		}
		if err := l.validate(s); err == nil {
			list = append(list, s)
		} else if wanted {
			own.Add(v.Name, err)
		}
	}
	return list, own.Err(len(base.Compare))
}

// Problems collects the mistakes in variants. The zero value is empty.
type Problems struct {
	list []shared
	more int  // the number of problems that are not kept
	cut  bool // some variants were not checked
}

// shared is a problem of some variants, in the words of the first of them.
type shared struct {
	config.Problem
	of []string
	// differs reports that other variants have another text, with names and numbers of their own topologies.
	differs bool
}

func (p *Problems) full() bool { return len(p.list) >= config.MostProblems }

// Add adds the mistakes of a variant, if err is not nil.
func (p *Problems) Add(variant string, err error) {
	if err == nil {
		return
	}
	all := new(config.Error)
	all.Append(err)
	p.more += all.More
	for _, one := range all.Problems {
		i := slices.IndexFunc(p.list, func(s shared) bool {
			return s.Problem == one || !slices.Contains(s.of, variant) && sameMistake(s.Problem, one)
		})
		if i < 0 && p.full() {
			p.more++
			continue
		}
		if i < 0 {
			i = len(p.list)
			p.list = append(p.list, shared{Problem: one})
		}
		s := &p.list[i]
		if !slices.Contains(s.of, variant) {
			s.of = append(s.of, variant)
		}
		s.differs = s.differs || s.Problem != one
	}
}

// Err returns all problems as a *config.Error, or nil. It names the variants with a
// problem, since they may share the problem's place with others. It names none if all
// variants have the problem.
func (p *Problems) Err(variants int) error {
	errs := new(config.Error)
	for _, s := range p.list {
		who := ""
		switch {
		case len(s.of) == variants:
		case len(s.of) == 1:
			who = fmt.Sprintf("in variant %q", s.of[0])
		default:
			who = "in variants " + some(s.of)
		}
		if s.differs {
			who = strings.TrimPrefix(who+fmt.Sprintf("; shown for %q", s.of[0]), "; ")
		}
		if who != "" {
			who = " (" + who + ")"
		}
		errs.Append(s.With(who).Err())
	}
	errs.More, errs.Cut = p.more, p.cut
	return errs.Err()
}

// sameMistake reports whether two problems are one mistake at one place of the file, found in several variants or
// combinations. Their texts have the same words; numbers and remedies may depend on the topology.
func sameMistake(a, b config.Problem) bool {
	return a.Place == b.Place && a.Path == b.Path && (a.Text == b.Text || words(a.Text) == words(b.Text))
}

// words returns a text with a sign for each number.
func words(text string) string { return numbers.ReplaceAllString(text, "#") }

var numbers = regexp.MustCompile(`\d+`)

// some joins names; of a long list it joins the first and counts the rest.
func some(names []string) string {
	const most = 12
	if more := len(names) - most; more > 1 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}

// vary applies the changes of the nth variant.
func (l *loader) vary(root *config.Node, n int, v Variant) (*config.Node, error) {
	if v.Set == nil || v.Set.Kind == config.Null {
		return root, nil
	}
	if v.Set.Kind != config.Mapping {
		return nil, config.Wrong(v.Set.Place, problem.New("set must be a mapping of paths to values, not %v", v.Set.Kind).Mend("write it as in set: {transport.balancer: ecmp}"))
	}
	return l.change(root, v.Set, v.who(), setOfVariant(n, v.Name))
}

func (v Variant) who() string { return fmt.Sprintf("variant %q", v.Name) }

// change applies a mapping of paths to values. who names the owner of the mapping for
// messages. own is how the command line sets these values, if it can.
func (l *loader) change(root, set *config.Node, who, own string) (*config.Node, error) {
	for i, f := range set.Fields {
		if key := firstKey(f.Key); slices.Contains(fileKeys(), key) {
			return nil, config.Wrong(f.Place, problem.New("a variant cannot change %q, which is set for the whole file", key).Mend("remove it here, and write it at the top of the file"))
		} else if key == setKey {
			return nil, config.Wrong(f.Place, problem.New("set stands within set").Mend("write its parameters directly, as in set: {transport.balancer: ecmp}"))
		}
		err := replaces(f, set.Fields[:i])
		if err != nil {
			return nil, err
		}
		if root, err = l.apply(root, f.Key, f.Place, f.Value); err != nil {
			return nil, err
		}
	}
	l.notice(root, set, who, own)
	return root, nil
}

// replaces refuses a value that would overwrite an earlier value of the same mapping.
// Choosing a kind discards options that were set for another kind.
func replaces(f config.Field, before []config.Field) error {
	if f.Value.Kind != config.Scalar && (f.Value.Kind != config.Mapping || f.Value.Get(config.KindKey) == nil) {
		return nil
	}
	for _, b := range before {
		if b.Key != f.Key && within(b.Key, f.Key) {
			return config.Wrong(f.Place, problem.New("%s comes after %s and replaces it", f.Key, b.Key).Mend("write it before"))
		}
	}
	return nil
}

// fileKeys returns the keys that apply to the whole file, so that variants cannot change
// them.
func fileKeys() []string { return append([]string{"weft", nameKey, "about"}, studyKeys...) }

// firstKey returns the first key of a path.
func firstKey(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// notice warns that a variant or an axis, which led to root, overrides an assignment of the
// command line. It is silent if the assignment would not change anything.
func (l *loader) notice(root, by *config.Node, who, own string) {
	for _, set := range l.sets {
		path := overlap(by, set.path)
		text := fmt.Sprintf("%v does not reach %s, which sets %s itself", set, who, path)
		if path == "" || l.told[text] {
			continue
		}
		quiet := loader{path: l.path, reg: l.reg, d: l.d}
		quiet.d.Unknown = nil
		again, err := quiet.apply(root, set.path, set.value.Place, set.value)
		var with string
		if err == nil {
			with, err = quiet.resolved(again)
		}
		if err == nil {
			if without, wrong := quiet.resolved(root); wrong == nil && with == without {
				continue
			}
		}
		if l.told == nil {
			l.told = map[string]bool{}
		}
		l.told[text] = true
		if err == nil && own != "" {
			text += fmt.Sprintf("; write --set %s for it", pasted(own+set.Text))
		}
		l.notices = append(l.notices, text)
	}
}

// pasted quotes an assignment for a command line. An equals sign alone needs no quotes.
func pasted(set string) string {
	bare := strings.ReplaceAll(set, "=", "")
	if quoted, err := syntax.Quote(bare, syntax.LangBash); err != nil || quoted == bare {
		return set
	}
	quoted, err := syntax.Quote(set, syntax.LangBash)
	if err != nil {
		return set
	}
	return quoted
}

// overlap returns the first path of a mapping that is above or below the given path, or "".
func overlap(by *config.Node, path string) string {
	for _, f := range flat(by).Fields {
		if within(path, f.Key) || within(f.Key, path) {
			return f.Key
		}
	}
	return ""
}

// resolved returns a tree as text with every default filled in.
func (l *loader) resolved(root *config.Node) (string, error) {
	s, err := l.decode(root, "")
	if err != nil {
		return "", err
	}
	n, err := s.Resolved()
	if err != nil {
		return "", err
	}
	return string(n.YAML()), nil
}

// within reports whether path equals root or lies below it.
func within(path, root string) bool {
	rest, ok := strings.CutPrefix(path, root)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
