package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/config"
)

// knownIn tells that variants of a file know a key that the command line sets and the file
// as a whole does not, such as an option of a kind that only they have, and how it is set for
// them; "" if none does. If variants are asked for, only they are looked at.
func (l *loader) knownIn(file *config.Node, key string) string {
	i := slices.IndexFunc(l.sets, func(a assignment) bool { return within(key, a.path) })
	list := file.Get(compareKey)
	if i < 0 || list == nil {
		return ""
	}
	var names []string
	first := ""
	for n, item := range list.Items {
		name := item.Get(nameKey)
		if name == nil || len(l.only) > 0 && !slices.Contains(l.only, name.Text) {
			continue
		}
		set := setOfVariant(n, name.Text) + l.sets[i].Text
		if !l.takes(file, n, set, key) {
			continue
		}
		if names = append(names, name.Text); first == "" {
			first = set
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf("variant %s has it; write --set %s", names[0], pasted(first))
	default:
		return fmt.Sprintf("variants %s and %s have it; write --set %s for the first, and likewise for others", strings.Join(names[:n-1], ", "), names[n-1], pasted(first))
	}
}

// setOfVariant is the path of what the nth variant sets, with a full stop behind it.
func setOfVariant(n int, name string) string {
	if !plainName.MatchString(name) {
		return fmt.Sprintf("%s[%d].%s.", compareKey, n, setKey)
	}
	return fmt.Sprintf("%s.%s.%s.", compareKey, name, setKey)
}

// plainName fits names of variants that can be part of a path.
var plainName = regexp.MustCompile(`^[\pL\pN_-]+$`)

// takes tells whether a file can be read with an assignment that sets the key of its nth
// variant, and whether that has an effect: what the variant sets after it may take its place.
func (l *loader) takes(file *config.Node, n int, set, key string) bool {
	trial := loader{path: l.path, reg: l.reg, d: l.d}
	trial.d.Unknown = nil
	root, err := trial.assign(file, Sets(set))
	if err != nil {
		return false
	}
	base, err := trial.decode(root, "")
	if err != nil {
		return false
	}
	root, err = trial.vary(root.Without(studyKeys...), n, base.Compare[n])
	if err != nil {
		return false
	}
	at := root
	for name := range strings.SplitSeq(key, ".") {
		if at = at.Get(name); at == nil {
			return false
		}
	}
	_, err = trial.decode(root, "")
	return err == nil
}
