package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"weft/record"
)

// runPair is the folders of two runs, one of which is empty if only the other one is there; Name is the variant's, if there are several.
type runPair struct{ name, a, b string }

func (p *runPair) lone() bool { return p.a == "" || p.b == "" }

// pairRuns finds the runs to compare in two folders.
func pairRuns(a, b string) ([]runPair, error) {
	as, err := record.Variants(a)
	if err != nil {
		return nil, err
	}
	bs, err := record.Variants(b)
	if err != nil {
		return nil, err
	}
	if len(as) == 1 && len(bs) == 1 {
		return []runPair{{a: as[0].Folder, b: bs[0].Folder}}, nil
	}
	folders := map[string]string{}
	for _, v := range bs {
		folders[v.Name] = v.Folder
	}
	var pairs []runPair
	for _, v := range as {
		pairs = append(pairs, runPair{v.Name, v.Folder, folders[v.Name]})
		delete(folders, v.Name)
	}
	for _, v := range bs {
		if folder, left := folders[v.Name]; left {
			pairs = append(pairs, runPair{name: v.Name, b: folder})
		}
	}
	return pairs, nil
}

// unpaired refuses variants that only one of two folders has.
func unpaired(pairs []runPair, a, b string) error {
	at := slices.IndexFunc(pairs, func(p runPair) bool { return p.lone() })
	if at < 0 {
		return nil
	}
	lone, has, lacks := pairs[at], a, b
	in := func(p runPair) string { return p.b }
	if lone.a == "" {
		has, lacks = b, a
		in = func(p runPair) string { return p.a }
	}
	var names []string
	for _, p := range pairs {
		if in(p) != "" {
			names = append(names, p.name)
		}
	}
	return fmt.Errorf("%s has no variant %q, but %s has; its variants: %s; name the folder of a variant to compare that alone, as in %s",
		lacks, lone.name, has, strings.Join(names, ", "), cmp.Or(lone.a, lone.b))
}
