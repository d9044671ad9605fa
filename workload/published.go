package workload

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"weft/catalog"
	"weft/internal/nearest"
	"weft/problem"
	"weft/scenarios/data"
)

// Published is the name of a published table of message sizes, or empty for none.
type Published string

// UnmarshalText reads a name or an alias, ignoring case.
func (p *Published) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = ""
		return nil
	}
	w, ok := data.Find(string(text))
	if !ok {
		return noWorkload(string(text))
	}
	*p = Published(w.Name)
	return nil
}

// MarshalText writes the name.
func (p Published) MarshalText() ([]byte, error) { return []byte(p), nil }

// Form describes how a Published is written.
func (Published) Form() catalog.Form {
	f := catalog.Form{Name: "workload", Example: "websearch"}
	var all []string
	for _, w := range data.Workloads() {
		f.Words = append(f.Words, w.Name)
		for _, name := range append([]string{w.Name}, w.Aliases...) {
			all = append(all, anyCase(name))
		}
	}
	f.Pattern = "^(" + strings.Join(all, "|") + ")?$"
	return f
}

// anyCase returns a regular expression that matches a name in any case. JSON Schema's regular
// expressions have no flag for that.
func anyCase(name string) string {
	var b strings.Builder
	for _, r := range name {
		if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
			fmt.Fprintf(&b, "[%c%c]", lower, upper)
		} else {
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	return b.String()
}

// noWorkload returns an error that lists the workloads and the one that a word may mean.
func noWorkload(name string) error {
	var names, all []string
	for _, w := range data.Workloads() {
		names = append(names, w.Name)
		all = append(append(all, w.Name), w.Aliases...)
	}
	remedy := "there are"
	if near, ok := nearest.Name(strings.ToLower(name), all); ok {
		remedy = fmt.Sprintf("did you mean %q? There are", near)
	}
	return fmt.Errorf("there is no workload %.40q; %s %s", name, remedy, catalog.Either(names))
}

// published returns the sizes of the workload that s names.
func (s SizeSpec) published() (Sizes, error) {
	w, ok := data.Find(string(s.Workload))
	if !ok {
		return nil, noWorkload(string(s.Workload))
	}
	rule := Rule(w.Rule)
	switch {
	case s.CDF != "" || s.Fixed != 0:
		return nil, problem.At("workload", "workload says how large messages are, and so does cdf or fixed").Mend("give one of them")
	case s.Rule != Linear && s.Rule != rule: // linear is also the value if no rule was given
		return nil, problem.At("workload", "workload %s draws by the rule %s, and rule is %s; give the table as cdf to draw otherwise", w.Name, rule, s.Rule)
	}
	return ReadCDF(strings.NewReader(w.Table), w.Name, rule)
}
