package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"weft/analysis"
	"weft/catalog"
	"weft/papers"
	"weft/record"
	"weft/scenario"
	"weft/topo"
)

// What shells complete beside commands and flags, which cobra knows: what stands in
// scenarios, results, ledgers and the registry. What cannot be read has no completions;
// the command itself says what is wrong with it. Shells choose among the words by what was
// typed.

// completes adds words to a flag.
func completes(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic(err) // the command has no such flag
	}
}

// among completes one of a few words.
func among(words ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// argument completes a command's only argument.
func argument(f cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return f(c, args, begun)
	}
}

// word is what can be written, and what it is.
type word struct{ text, about string }

// described returns the words of a list that are not used yet.
func described[T any](list []T, of func(T) word, used ...string) (words []cobra.Completion) {
	for _, item := range list {
		if w := of(item); !slices.Contains(used, w.text) {
			words = append(words, cobra.CompletionWithDesc(w.text, w.about))
		}
	}
	return words
}

// scenarioFiles completes files that may be scenarios.
func scenarioFiles(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeVariant completes --variant by the scenario file that is the first argument, as
// sets change it.
func (p *program) completeVariant(c *cobra.Command, sets *[]string) {
	completes(c, "variant", func(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
		// Of most commands the flag takes one name, and then this is empty.
		chosen, _ := c.Flags().GetStringArray("variant")
		if len(args) > 0 {
			if f, err := scenario.Load(args[0], p.reg, *sets); err == nil {
				names = described(f.Variants, func(s *scenario.Scenario) word { return word{text: s.Variant} }, chosen...)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
}

// recordedVariants completes the names of runs in a folder of results.
func recordedVariants(_ *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) > 0 {
		if list, err := record.Variants(args[0]); err == nil {
			names = described(list, func(v record.Variant) word { return word{text: v.Name} })
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// listed completes what weft list shows: sections, and the entries of all.
func (p *program) listed(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all := p.sections()
	names := titles(all)
	for _, s := range all {
		names = append(names, s.Entries.Names()...)
	}
	// Several sections may have entries of the same name.
	slices.Sort(names)
	about := func(name string) word { return word{name, aboutListed(all, name)} }
	return described(slices.Compact(names), about, args...), cobra.ShellCompDirectiveNoFileComp
}

// aboutListed says of a section where scenarios name its entries, and of an entry what it is.
func aboutListed(all []scenario.Section, name string) string {
	for _, s := range all {
		if s.Title == name {
			return "section: " + s.Key
		}
		if info, ok := s.Entries.Find(name); ok {
			return info.Summary
		}
	}
	return ""
}

// topologyKinds completes kinds of topology, or files.
func (p *program) topologyKinds(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	about := func(e catalog.Entry[*topo.Graph]) word { return word{e.Name, e.Summary} }
	return described(p.reg.Topologies.Entries(), about), cobra.ShellCompDirectiveDefault
}

// graphFormats completes names of formats of graph files.
func graphFormats(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return described(topo.Formats(), func(f topo.Format) word { return word{f.Name, f.About} }), cobra.ShellCompDirectiveNoFileComp
}

// analyzedFigures and modelledFigures complete names of figures.
func analyzedFigures(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return described(publishedFigures(), func(f published) word { return word{f.name, f.about} }), cobra.ShellCompDirectiveNoFileComp
}

func modelledFigures(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return described(analysis.Figures(), func(f analysis.Figure) word { return word{f.Name, f.About} }), cobra.ShellCompDirectiveNoFileComp
}

// paperNames completes names of ledgers that the program carries.
func (p *program) paperNames(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return p.library.Names(), cobra.ShellCompDirectiveNoFileComp
}

// withinPaper completes the name of a paper, unless --dir makes up for it, and then words
// of its ledger.
func (p *program) withinPaper(flags *ledgerFlags, words func(*papers.Ledger) []word) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		name, rest, err := paperName(*flags, args)
		if err != nil {
			return p.paperNames(c, args, begun)
		}
		l, done, err := p.ledger(*flags, name, "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer done()
		return described(words(l), func(w word) word { return w }, rest...), cobra.ShellCompDirectiveNoFileComp
	}
}

// studiesAndFigures are the words of chosenStudies.
func studiesAndFigures(l *papers.Ledger) []word {
	list := studyWords(l)
	named := map[string]bool{}
	for _, id := range l.StudyIDs() {
		s, _ := l.Study(id)
		figure := "fig" + s.Figure
		named[id] = true
		if s.Figure != "" && !named[figure] {
			named[figure] = true
			list = append(list, word{figure, "studies of Figure " + s.Figure})
		}
	}
	return list
}

// studiesAndClaims are the words of only.
func studiesAndClaims(l *papers.Ledger) []word {
	list := studyWords(l)
	for _, c := range l.Claims {
		if _, both := l.Study(c.ID); !both {
			list = append(list, word{c.ID, c.Where})
		}
	}
	return list
}

func studyWords(l *papers.Ledger) (list []word) {
	for _, id := range l.StudyIDs() {
		s, _ := l.Study(id)
		list = append(list, word{id, s.About})
	}
	return list
}
