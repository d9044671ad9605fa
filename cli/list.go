package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"weft/catalog"
	"weft/config"
	"weft/internal/nearest"
	"weft/internal/tabular"
	"weft/report"
	"weft/scenario"
)

func (p *program) list() *cobra.Command {
	var asJSON, pairs, wide, every bool
	c := &cobra.Command{
		Use:   "list [SECTION | KIND | KEY]...",
		Short: "List what scenarios can name, with options: topologies, balancers and so on",
		Long: `List what scenarios can name: topologies, balancers, routing, faults and more. Without
arguments it shows their names by section. A section or a name shows the options, and
--all those of everything. A key of scenarios, or an option, is shown wherever it
occurs. More of its path narrows the search, as in record.credit or sird.b.`,
		Example: `  weft list
  weft list balancers routing
  weft list arcane poisson
  weft list credit
  weft list sird.b
  weft list --pairs
  weft list --json`,
		ValidArgsFunction: p.listed,
		RunE: func(_ *cobra.Command, names []string) error {
			if pairs {
				return p.writePairs(asJSON)
			}
			all := p.sections()
			if len(names) == 0 && !every && !asJSON {
				return writeNames(p.stdout, all, width(p.stdout, wide))
			}
			names, notices := called(all, names)
			sections, err := choose(all, names)
			if err != nil {
				return err
			}
			p.notices(notices)
			addFacts(sections)
			if asJSON {
				return writeJSON(p.stdout, sections)
			}
			return writeList(p.stdout, sections, width(p.stdout, wide))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	addWide(c, &wide)
	c.Flags().BoolVar(&every, "all", false, "show the options of every entry")
	c.Flags().BoolVar(&pairs, "pairs", false, "list the pairs of balancer and congestion control that do not work together")
	return c
}

// section is a section of the registry as it is listed.
type section struct {
	Section string `json:"section"`
	// Key is where a scenario names one of the entries; of keys, the page that has all.
	Key     string  `json:"key"`
	Entries []entry `json:"entries"`

	// facts tells of an entry what only building it tells; nil if there is no more.
	facts func(name string) scenario.Facts
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
	// State is what a balancer keeps, and Keeps what another entry says that it does.
	*state
	Keeps string `json:"keeps,omitempty"`
	// Needs is what an entry cannot do without, of balancers and congestion controls with their
	// defaults, and Without what it does where it lacks what it can do without.
	Needs   []string `json:"needs,omitempty"`
	Without []string `json:"without,omitempty"`
	// Brings is what a congestion control brings where a file leaves it open.
	Brings []scenario.Brought `json:"brings,omitempty"`

	// part tells that only the options that were asked for are shown.
	part bool
}

// addFacts fills in what only building entries tells: what they need, bring and keep.
func addFacts(sections []section) {
	for _, s := range sections {
		if s.facts == nil {
			continue
		}
		for i := range s.Entries {
			e := &s.Entries[i]
			if e.part {
				continue
			}
			f := s.facts(e.Name)
			e.Needs, e.Without, e.Brings = append(e.Needs, f.Needs...), f.Without, f.Brings
			if f.State != nil {
				e.state = stateOf(f.Defaults, f.State)
			}
		}
	}
}

// choose returns the sections and entries of those names, or everything; and of names that
// are keys or options, where these are.
func choose(all []scenario.Section, names []string) ([]section, error) {
	var known []string
	used := map[string]bool{}
	var list []section
	words := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(titles(all), name) })
	keys := scenarioKeys()
	if called := keysCalled(keys, words); len(called.Entries) > 0 {
		list = append(list, called)
		for _, k := range keys {
			use(used, words, k.Name)
		}
	}
	for _, s := range all {
		known = append(known, s.Title)
		whole := len(names) == 0 || slices.Contains(names, s.Title) || slices.Contains(names, s.Title+"s")
		used[s.Title], used[s.Title+"s"] = true, true // as routings
		out := section{Section: s.Title, Key: s.Key, facts: s.Facts}
		for _, name := range s.Entries.Names() {
			known = append(known, name)
			used[name] = true
			info, _ := s.Entries.Find(name)
			params := info.Params()
			if params == nil {
				params = []catalog.Param{}
			}
			if whole || slices.Contains(names, name) {
				out.Entries = append(out.Entries, entry{Name: info.Name, Summary: info.Summary, Source: info.Source, Aliases: info.Aliases, Known: info.Known, Params: params, Keeps: info.Keeps, Needs: info.Needs})
				continue
			}
			options := flatten("", params)
			for _, o := range options {
				known = append(known, name+"."+o.Name)
				use(used, words, name+"."+o.Name)
			}
			if options = matching(words, name, options); len(options) > 0 {
				out.Entries = append(out.Entries, entry{Name: info.Name, Summary: info.Summary, Params: options, Keeps: info.Keeps, part: true})
			}
		}
		if len(out.Entries) > 0 {
			list = append(list, out)
		}
	}
	for _, k := range keys {
		known = append(known, k.Name[strings.LastIndexByte(k.Name, '.')+1:])
	}
	for _, name := range names {
		if used[name] {
			continue
		}
		hint := ""
		if near, ok := nearest.Name(name, known); ok {
			hint = fmt.Sprintf("; did you mean %q?", near)
		} else if where := telling(all, keys, name); len(where) > 0 {
			const most = 5
			if more := len(where) - most; more > 0 {
				where = append(where[:most], fmt.Sprintf("%d more", more))
			}
			hint = "; described by " + strings.Join(where, ", ")
		}
		return nil, badInput(fmt.Errorf("nothing is called %q%s\nSections: %s; %s has the keys of scenarios", name, hint, strings.Join(titles(all), ", "), keysPage))
	}
	return list, nil
}

// use notes which words mean the key or option of a path.
func use(used map[string]bool, words []string, path string) {
	for _, w := range words {
		if means(w, path) {
			used[w] = true
		}
	}
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
					known, text := info.Known, info.Text(name)
					if text != entry {
						known = ""
					}
					notices = append(notices, fmt.Sprintf("%s is called %s here%s: in a scenario, write %s: %s", name, entry, because(known), keyOfName(s.Key), text))
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
	if strings.HasSuffix(section, "[]") {
		return section + "." + config.KindKey
	}
	return section
}

func titles(all []scenario.Section) []string {
	list := make([]string, len(all))
	for i, s := range all {
		list[i] = s.Title
	}
	return list
}

// namesWidth is how long lines of names are where nobody says how long they may be.
const namesWidth = 100

// writeNames lists the names of entries by section, so that they fit one screen.
func writeNames(w io.Writer, all []scenario.Section, width int) error {
	if width == 0 {
		width = namesWidth
	}
	var b strings.Builder
	for _, s := range all {
		indented(&b, s.Title+": "+strings.Join(s.Entries.Names(), ", "), "", "  ", width)
	}
	b.WriteByte('\n')
	indented(&b, "weft list balancers shows the options of a section, weft list arcane those of an entry, weft list --all everything.", "", "", width)
	_, err := io.WriteString(w, b.String())
	return err
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
				word := "; elsewhere "
				if s.Key == workloadsKey { // scenarios can say them
					word = "; also "
				}
				text += word + strings.Join(e.Aliases, ", ") + because(e.Known)
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
			for _, text := range e.Without {
				indented(&b, text, "    ", "      ", width)
			}
			if len(e.Brings) > 0 {
				indented(&b, "brings "+brought(e.Brings), "    ", "      ", width)
			}
			writeParams(&b, "    ", e.Params, width)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// brought lists defaults as a file would set them; their sources are in the notices of runs.
func brought(defaults []scenario.Brought) string {
	list := make([]string, len(defaults))
	for i, d := range defaults {
		list[i] = d.Path + ": " + d.Value
	}
	return strings.Join(list, ", ")
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
	fits := true
	lines := tabular.Table{Rows: rows, Left: 4}.Lines()
	for _, line := range lines {
		fits = fits && (width == 0 || utf8.RuneCountInString(line) <= width)
	}
	if fits {
		b.WriteString(strings.Join(append(lines, ""), "\n"))
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
