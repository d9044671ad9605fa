package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weft/catalog"
	"weft/config"
	"weft/internal/nearest"
	"weft/report"
	"weft/scenario"
)

func (p *program) list() *cobra.Command {
	var asJSON, pairs, wide bool
	c := &cobra.Command{
		Use:   "list [SECTION | KIND]...",
		Short: "Show what scenarios can name: topologies, balancers, routing, faults and so on, with their options",
		Example: `  weft list
  weft list balancers routing
  weft list arcane poisson
  weft list --pairs
  weft list --json`,
		ValidArgsFunction: p.listed,
		RunE: func(_ *cobra.Command, names []string) error {
			if pairs {
				return p.writePairs(asJSON)
			}
			all := p.sections()
			names, notices := called(all, names)
			sections, err := choose(all, names)
			if err != nil {
				return err
			}
			p.notices(notices)
			p.addState(sections)
			addKept(sections)
			p.addNeeds(sections)
			if asJSON {
				return writeJSON(p.stdout, sections)
			}
			if len(names) == 0 {
				fmt.Fprintf(p.stdout, "Sections: %s\nweft list balancers shows one of them, weft list arcane one entry.\n\n", strings.Join(titles(all), ", "))
			}
			return writeList(p.stdout, sections, width(p.stdout, wide))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	addWide(c, &wide)
	c.Flags().BoolVar(&pairs, "pairs", false, "list the pairs of balancer and congestion control that cannot go together")
	return c
}

// section is a section of the registry as it is listed.
type section struct {
	Section string `json:"section"`
	// Key is where a scenario names one of the entries.
	Key     string  `json:"key"`
	Entries []entry `json:"entries"`
}

type entry struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Source  string `json:"source,omitempty"`
	// Aliases are other names that it is known by, which scenarios cannot say.
	Aliases []string `json:"aliases,omitempty"`
	// Known says why, where that is no matter of course.
	Known  string          `json:"known,omitempty"`
	Params []catalog.Param `json:"params"`
	// State is what a balancer keeps, and Keeps what a routing policy does.
	*state
	Keeps string `json:"keeps,omitempty"`
	// Needs is what a congestion control cannot do without, with its defaults, and Unmarked
	// what it does where no port marks.
	Needs    []string `json:"needs,omitempty"`
	Unmarked string   `json:"unmarked,omitempty"`
}

const (
	balancerKey   = "transport.balancer"
	congestionKey = "transport.congestion"
)

// addNeeds fills in what congestion controls need.
func (p *program) addNeeds(sections []section) {
	for _, s := range sections {
		if s.Key != congestionKey {
			continue
		}
		for i := range s.Entries {
			e := &s.Entries[i]
			e.Needs, e.Unmarked = scenario.ControlNeeds(p.reg, e.Name)
		}
	}
}

// choose returns the sections and entries of those names, or everything.
func choose(all []scenario.Section, names []string) ([]section, error) {
	var known []string
	used := map[string]bool{}
	var list []section
	for _, s := range all {
		known = append(known, s.Title)
		whole := len(names) == 0 || slices.Contains(names, s.Title)
		used[s.Title] = true
		out := section{Section: s.Title, Key: s.Key}
		for _, name := range s.Entries.Names() {
			known = append(known, name)
			used[name] = true
			if !whole && !slices.Contains(names, name) {
				continue
			}
			info, _ := s.Entries.Find(name)
			params := info.Params()
			if params == nil {
				params = []catalog.Param{}
			}
			out.Entries = append(out.Entries, entry{Name: info.Name, Summary: info.Summary, Source: info.Source, Aliases: info.Aliases, Known: info.Known, Params: params})
		}
		if whole || len(out.Entries) > 0 {
			list = append(list, out)
		}
	}
	for _, name := range names {
		if used[name] {
			continue
		}
		hint := ""
		if have := having(all, name); len(have) > 0 {
			hint = fmt.Sprintf("; it is an option of %s", strings.Join(have, ", "))
		} else if near, ok := nearest.Name(name, known); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, badInput(fmt.Errorf("nothing is called %q%s\nSections: %s", name, hint, strings.Join(titles(all), ", ")))
	}
	return list, nil
}

// called puts the entries that are known by a name elsewhere in its place, if nothing has
// that name here, and says so.
func called(all []scenario.Section, names []string) (entries, notices []string) {
	for _, name := range names {
		var found []string
		if !slices.ContainsFunc(all, func(s scenario.Section) bool { return s.Title == name || slices.Contains(s.Entries.Names(), name) }) {
			for _, s := range all {
				for _, entry := range catalog.Called(name, s.Entries) {
					info, _ := s.Entries.Find(entry)
					found = append(found, entry)
					notices = append(notices, fmt.Sprintf("%s is called %s here%s: a scenario says %s: %[2]s", name, entry, because(info.Known), keyOfName(s.Key)))
				}
			}
		}
		if len(found) == 0 {
			found = []string{name}
		}
		entries = append(entries, found...)
	}
	return entries, notices
}

func because(known string) string {
	if known == "" {
		return ""
	}
	return " (" + known + ")"
}

// keyOfName is where a scenario writes the name of an entry and nothing else.
func keyOfName(section string) string {
	switch {
	case section == routingKey:
		return routingKey + "." + routingPolicy
	case strings.HasSuffix(section, "[]"):
		return section + "." + config.KindKey
	}
	return section
}

// having returns the entries of all sections that have an option of that name.
func having(all []scenario.Section, name string) (have []string) {
	for _, s := range all {
		for _, e := range s.Entries.Names() {
			info, _ := s.Entries.Find(e)
			entry := strconv.Quote(e)
			if !slices.Contains(have, entry) && slices.ContainsFunc(info.Params(), func(p catalog.Param) bool { return p.Name == name }) {
				have = append(have, entry)
			}
		}
	}
	return have
}

func titles(all []scenario.Section) []string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.Title
	}
	return list
}

// writeList lists sections; lines longer than width are broken, unless it is 0.
func writeList(w io.Writer, sections []section, width int) error {
	var b strings.Builder
	for i, s := range sections {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (%s)\n", strings.ToUpper(s.Section), s.Key)
		for _, e := range s.Entries {
			text := fmt.Sprintf("%s: %s", e.Name, e.Summary)
			if e.Source != "" {
				text += fmt.Sprintf(" [%s]", e.Source)
			}
			if len(e.Aliases) > 0 {
				text += "; elsewhere " + strings.Join(e.Aliases, ", ") + because(e.Known)
			}
			if e.state != nil {
				text += fmt.Sprintf("; keeps %s", e.state)
			}
			if e.Keeps != "" {
				text += "; keeps " + e.Keeps
			}
			b.WriteByte('\n')
			indented(&b, text, "  ", "      ", width)
			if e.state != nil {
				e.state.writeOthers(&b, "    ")
			}
			if len(e.Needs) > 0 {
				indented(&b, "needs "+strings.Join(e.Needs, ", "), "    ", "      ", width)
			}
			if e.Unmarked != "" {
				indented(&b, fmt.Sprintf("with fabric.ecn: off it %s", e.Unmarked), "    ", "      ", width)
			}
			writeParams(&b, "    ", e.Params, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// indented writes a text broken into lines of at most width characters.
func indented(b *strings.Builder, text, first, others string, width int) {
	indent := first
	for _, line := range report.Wrap(text, max(0, width-len(others)), len(first)-len(others)) {
		b.WriteString(indent + line + "\n")
		indent = others
	}
}

// writeParams lists options as a table; if that is wider than width, the documentation
// of each stands below it.
func writeParams(b *strings.Builder, indent string, params []catalog.Param, width int) {
	var rows [][]string
	for _, p := range flatten("", params) {
		standard := "derived"
		switch {
		case p.Required:
			standard = "required"
		case p.Default != "":
			standard = "= " + p.Default
		}
		what := p.Type
		if bounds := p.Bounds(); bounds != "" && len(p.Enum) > 0 {
			what = bounds
		} else if bounds != "" {
			what += " " + bounds
		}
		doc := p.Doc
		if p.Source != "" {
			doc += " [" + p.Source + "]"
		}
		rows = append(rows, []string{indent + p.Name, what, standard, doc})
	}
	var table strings.Builder
	t := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fits := true
	for _, row := range rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	t.Flush()
	for line := range strings.Lines(table.String()) {
		fits = fits && (width == 0 || utf8.RuneCountInString(line)-1 <= width)
	}
	if fits {
		b.WriteString(table.String())
		return
	}
	for _, row := range rows {
		indented(b, strings.TrimPrefix(row[0], indent)+"  "+row[1]+"  "+row[2], indent, indent+"    ", width)
		indented(b, row[3], indent+"    ", indent+"    ", width)
	}
}

// flatten lists options with those within them below, by their paths.
func flatten(path string, params []catalog.Param) []catalog.Param {
	var list []catalog.Param
	for _, p := range params {
		p.Name = path + p.Name
		list = append(list, p)
		within := p.Name + "."
		if strings.HasPrefix(p.Type, "list") {
			within = p.Name + "[]."
		}
		list = append(list, flatten(within, p.Params)...)
	}
	return list
}
