package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"weft/config"
)

// knownIn explains that only variants of a file know a key that the command line sets for
// the whole file, such as an option of a balancer that only they use. It shows how to set
// the key for them. It returns "" if no variant knows the key. If particular variants were
// asked for, it looks only at those.
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

// setOfVariant returns the path of the nth variant's set, with a dot at the end.
func setOfVariant(n int, name string) string {
	if !plainName.MatchString(name) {
		return fmt.Sprintf("%s[%d].%s.", compareKey, n, setKey)
	}
	return fmt.Sprintf("%s.%s.%s.", compareKey, name, setKey)
}

// plainName matches names of variants that can be part of a path.
var plainName = regexp.MustCompile(`^[\pL\pN_-]+$`)

// takes reports whether a file can be read with an assignment to a key of its nth variant,
// and whether the assignment has an effect. The variant may replace the value later, which
// leaves no effect.
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
