package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"weft"
	"weft/papers"
	"weft/scenario"
)

const (
	longestShort    = 80 // characters
	longestSentence = 40 // words
)

// banned are phrases that describe what has a name, or that read like a translation.
// What to say instead is in the message.
var banned = []struct{ phrase, instead string }{
	{`of which`, "two sentences"},
	{`of whom`, "two sentences"},
	{`what is \w+ of`, "the noun"},
	{`what holds of`, "what is reproduced"},
	{`has otherwise|have otherwise`, "overrides"},
	{`serves? (a host|hosts) as a whole`, "host transport"},
	{`when absent`, "(default: …)"},
	{`when empty`, "(default: …)"},
	{`for good`, "permanently"},
	{`for ever`, "never ends"},
	{`nothing is between`, "nothing is ever unowned"},
	{`without a word`, "with no error output"},
	{`fell over`, "failed"},
	{`stands still`, "is stuck"},
	{`did not end`, "unfinished"},
	{`for nothing`, "spurious"},
	{`goes on|go on with`, "continues"},
	{`a row a`, "one row per"},
	{`is told`, "is reported"},
	{`tells? (which|how|why|whether|of)`, "shows"},
	{`under way`, "in flight"},
	{`otherwise than`, "overrides"},
}

var bannedPhrases = func() *regexp.Regexp {
	var all []string
	for _, b := range banned {
		all = append(all, b.phrase)
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(all, "|") + `)\b`)
}()

// checkPlain complains about banned phrases in a text.
func checkPlain(t *testing.T, where, text string) {
	t.Helper()
	text = strings.Join(strings.Fields(text), " ")
	for _, at := range bannedPhrases.FindAllStringIndex(text, -1) {
		phrase, instead := text[at[0]:at[1]], ""
		for _, b := range banned {
			if regexp.MustCompile(`(?i)^(` + b.phrase + `)$`).MatchString(phrase) {
				instead = b.instead
			}
		}
		t.Errorf("%s: …%s…: instead of %q write as in %q", where, text[max(0, at[0]-40):min(len(text), at[1]+20)], phrase, instead)
	}
}

// imperatives are the verbs that the one-line descriptions of commands begin with.
var imperatives = strings.Fields(`Add Analyze Bound Build Check Collect Compare Compute Continue Count Draw Evaluate
	Execute Explain Find List Measure Print Publish Remove Report Run Send Serve Show Simulate Submit Write`)

var (
	sentenceEnd = regexp.MustCompile(`[.?]( |$)`)
	firstWord   = regexp.MustCompile(`^[A-Z][a-z]+`)
)

// sentences returns those of a help text, without what is indented.
func sentences(text string) []string {
	var out []string
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(paragraph, " ") {
			continue
		}
		out = append(out, sentenceEnd.Split(strings.Join(strings.Fields(paragraph), " "), -1)...)
	}
	return out
}

// TestWordsOfHelp holds the help of every command to short, plain sentences.
func TestWordsOfHelp(t *testing.T) {
	verbs := map[string]bool{}
	for _, v := range imperatives {
		verbs[v] = true
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		name := c.CommandPath()
		switch n := utf8.RuneCountInString(c.Short); {
		case n == 0 && !c.Hidden:
			t.Errorf("%s: Short is missing", name)
		case n > longestShort:
			t.Errorf("%s: Short has %d characters, more than %d: %s", name, n, longestShort, c.Short)
		case strings.HasSuffix(c.Short, "."):
			t.Errorf("%s: Short ends with a period: %s", name, c.Short)
		case !c.Hidden && !strings.HasPrefix(name, "weft theory ") && !verbs[firstWord.FindString(c.Short)]:
			t.Errorf("%s: Short does not begin with a verb that the test knows: %s", name, c.Short)
		}
		for _, s := range sentences(c.Long) {
			if n := len(strings.Fields(s)); n > longestSentence {
				t.Errorf("%s: a sentence of %d words, more than %d: %s", name, n, longestSentence, s)
			}
		}
		checkPlain(t, name+": Short", c.Short)
		checkPlain(t, name+": Long", c.Long)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { checkPlain(t, name+" --"+f.Name, f.Usage) })
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk((&program{reg: weft.Builtin()}).root())
}

// TestWordsOfList does so for the banned phrases in what can be named: entries and
// their options, keys of scenarios and of ledgers.
func TestWordsOfList(t *testing.T) {
	p := &program{reg: weft.Builtin()}
	sections, err := choose(p.sections(), nil)
	if err != nil {
		t.Fatal(err)
	}
	addFacts(sections)
	var list, reference bytes.Buffer
	if err := writeList(&list, sections, 0); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(list.String()) {
		checkPlain(t, "weft list", line)
	}
	if err := scenario.WriteReference(&reference, p.reg); err != nil {
		t.Fatal(err)
	}
	if err := papers.WriteReference(&reference); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(reference.String()) {
		checkPlain(t, "weft docs", line)
	}
}
