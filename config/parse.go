package config

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"weft/internal/printable"
	"weft/problem"
	"weft/unit"
)

// Limits on what is read, far beyond what a person writes. The time to parse grows with the
// square of the depth, and aliases can multiply.
const (
	// MaxText is the size of the largest text.
	MaxText  = 4 * unit.MiB
	maxDepth = 100
	maxNodes = 1 << 20
	// maxKeys is the most keys of a mapping. The parser's time grows with their square, and
	// its stack with their number.
	maxKeys = 2000
)

// Parse reads one YAML document. Messages call the file by name. It accepts a byte order
// mark, anchors, aliases and merge keys. It refuses tags, several documents, keys that are
// not scalars, and duplicate keys. Its error is an *Error.
func Parse(name string, text []byte) (*Node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	return parse(NewSource(name, text), text)
}

func parse(src *Source, text []byte) (n *Node, err error) {
	start := Place{src, 1, 1}
	// The parser comes from a library. If a user's text makes it panic, report the text as
	// wrong.
	defer func() {
		if r := recover(); r != nil {
			n, err = nil, Problemf(start, "this is not YAML that can be read: %v", r)
		}
	}()
	switch {
	case len(text) > int(MaxText):
		return nil, Wrong(Place{Source: src}, problem.New("this is larger than %v, too large for a configuration", MaxText).Mend("give a smaller file"))
	case bytes.HasPrefix(text, []byte{0xff, 0xfe}), bytes.HasPrefix(text, []byte{0xfe, 0xff}):
		return nil, Wrong(Place{Source: src}, problem.New("this is not text in UTF-8 but in UTF-16").Mend("save it as UTF-8"))
	case !utf8.Valid(text) || strings.ContainsRune(string(text), 0):
		return nil, Wrong(Place{Source: src}, notText())
	}
	tokens := lexer.Tokenize(string(text))
	if tk := tooDeep(tokens); tk != nil {
		return nil, Wrong(place(src, tk), tooNested())
	}
	if tk := tooMany(tokens); tk != nil {
		return nil, Wrong(place(src, tk), tooManyKeys())
	}
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(src, err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, Wrong(place(src, doc.Body.GetToken()), problem.New("a second document begins here, and a file holds one").Mend("remove the line --- before it, or write a file for each"))
		}
		body = doc.Body
	}
	if body == nil {
		return nil, Wrong(Place{Source: src}, problem.New("the file is empty").Mend("write keys and values, as in name: first"))
	}
	c := converter{src: src, anchors: map[string]*Node{}}
	n = c.node(body, 0)
	return n, c.errs.Err()
}

// tooDeep returns the token at which nesting exceeds maxDepth, or nil. It counts only
// nesting within a line, since deep nesting by indentation needs long lines.
func tooDeep(tokens token.Tokens) *token.Token {
	flow, inLine, line := 0, 0, 0
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, inLine = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.AnchorType, token.AliasType, token.TagType:
			inLine++
		}
		if flow > maxDepth || inLine > maxDepth {
			return tk
		}
	}
	return nil
}

func tooManyKeys() error {
	return problem.New("too many keys: a mapping has at most %d", maxKeys).Mend("write fewer keys")
}

func tooNested() error {
	return problem.New("values are nested more than %d deep", maxDepth).Mend("nest fewer lists and mappings")
}

func notText() error {
	return problem.New("this is not text in UTF-8").Mend("give a YAML file, saved as UTF-8")
}

// tooMany returns the token with which a mapping exceeds maxKeys, or nil. The keys of a
// mapping stand in one column, with no token further to the left between them.
func tooMany(tokens token.Tokens) *token.Token {
	type keys struct{ column, count int }
	var open []keys // of the enclosing mappings, innermost last
	flow, line, begin, column := 0, 0, 0, 0
	for i, tk := range tokens {
		if tk.Position.Line != line {
			line, begin, column = tk.Position.Line, i, tk.Position.Column
			for len(open) > 0 && open[len(open)-1].column > column {
				open = open[:len(open)-1]
			}
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.DocumentHeaderType:
			open = nil
		case token.SequenceEntryType: // the item begins at the next token
			if i+1 < len(tokens) {
				column = tokens[i+1].Position.Column
			}
		case token.MappingValueType:
			if flow > 0 && i > begin+1 {
				continue // one of several keys in a line
			}
			if len(open) == 0 || open[len(open)-1].column < column {
				open = append(open, keys{column: column})
			}
			last := &open[len(open)-1]
			if last.count++; last.count > maxKeys {
				return tokens[begin]
			}
		}
	}
	return nil
}

func syntaxError(src *Source, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) {
		return Problemf(Place{src, 1, 1}, "this is not YAML: %v", err)
	}
	if strings.Contains(at.GetMessage(), "'\t'") {
		return Wrong(place(src, at.GetToken()), problem.New("YAML cannot be indented with tabs").Mend("use spaces"))
	}
	return Wrong(place(src, at.GetToken()), problem.New("this is not YAML: %s", at.GetMessage()).Mend("%s", syntaxRemedy(at.GetMessage())))
}

// syntaxRemedy chooses a remedy by the parser's message.
func syntaxRemedy(message string) string {
	for _, of := range []struct {
		remedy string
		says   []string
	}{
		{"close the bracket or the quote", []string{"not found", "find end character", "must be specified"}},
		{"put the text into single quotes", []string{"reserved character", "directive value", "escape character"}},
		{"put a text with a colon into quotes, and indent keys of one mapping alike", []string{"mapping value is not allowed"}},
	} {
		for _, words := range of.says {
			if strings.Contains(message, words) {
				return of.remedy
			}
		}
	}
	return "write key: value, and check brackets and indentation here and on the line before"
}

func place(src *Source, tk *token.Token) Place {
	if tk == nil || tk.Position == nil {
		return Place{src, 1, 1}
	}
	return Place{src, tk.Position.Line, tk.Position.Column}
}

// converter turns the parser's tree into Nodes.
type converter struct {
	src     *Source
	anchors map[string]*Node
	nodes   int
	swollen bool // aliases produced too many nodes
	errs    Error
}

func (c *converter) fail(n ast.Node, what error) *Node {
	at := place(c.src, n.GetToken())
	c.errs.Report(at, what)
	return &Node{Place: at}
}

func (c *converter) node(n ast.Node, depth int) *Node {
	if n == nil {
		return &Node{Place: Place{Source: c.src}}
	}
	if depth > maxDepth {
		return c.fail(n, tooNested())
	}
	out := &Node{Place: place(c.src, n.GetToken())}
	switch n := n.(type) {
	case *ast.NullNode:
		// An empty value has no token of its own; its place is after its key.
	case *ast.StringNode:
		out.Kind, out.Text = Scalar, c.text(n, n.Value)
	case *ast.LiteralNode:
		out.Kind, out.Text = Scalar, c.text(n, strings.TrimRight(n.Value.Value, "\n"))
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		out.Kind, out.Text, out.literal = Scalar, n.GetToken().Value, true
	case *ast.SequenceNode:
		out.Kind = Sequence
		for _, v := range n.Values {
			out.Items = append(out.Items, c.node(v, depth+1))
		}
	case *ast.MappingNode:
		return c.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return c.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.AnchorNode:
		v := c.node(n.Value, depth+1)
		c.anchors[n.Name.GetToken().Value] = v
		return v
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		v, ok := c.anchors[name]
		if !ok {
			return c.fail(n, problem.New("there is no anchor &%s before this", name).Mend("if a name or pattern that begins with * is meant, quote it: \"*%s\"", name))
		}
		if c.nodes <= maxNodes {
			c.nodes += size(v)
		}
		if c.nodes > maxNodes {
			if !c.swollen { // report it once
				c.swollen = true
				c.errs.Report(out.Place, problem.New("the aliases make too many values: more than %d", maxNodes).Mend("use fewer aliases of lists and mappings that have aliases themselves"))
			}
			return &Node{Place: out.Place}
		}
		return v
	case *ast.TagNode:
		return c.fail(n, problem.New("tags such as %s are not supported", n.GetToken().Value).Mend("remove it"))
	default:
		return c.fail(n, problem.New("a %s is not allowed here", strings.ToLower(n.Type().String())).Mend("write a value, a list or a mapping"))
	}
	c.nodes++
	return out
}

// text checks and returns a text of the file. It refuses characters that control a
// terminal, forge lines of its output, or are not allowed in XML, since names of scenarios,
// variants, axes and groups appear in terminals, pictures and tables.
func (c *converter) text(n ast.Node, text string) string {
	if err := unprintable(text); err != nil {
		c.errs.Report(place(c.src, n.GetToken()), err)
	}
	return text
}

// unprintable refuses a text with a control character.
func unprintable(text string) error {
	r, found := printable.Hidden(text)
	if !found {
		return nil
	}
	return problem.New("the text holds the control character %U, which terminals and pictures cannot show", r).Mend("write it without: %s", printable.Without(text))
}

// size counts the nodes below n, but stops just above the limit.
func size(n *Node) int {
	total := 1
	for _, item := range n.Items {
		if total += size(item); total > maxNodes {
			return total
		}
	}
	for _, f := range n.Fields {
		if total += size(f.Value); total > maxNodes {
			return total
		}
	}
	return total
}

func (c *converter) mapping(out *Node, values []*ast.MappingValueNode, depth int) *Node {
	out.Kind = Mapping
	if len(values) > maxKeys {
		return c.fail(values[maxKeys].Key, tooManyKeys())
	}
	var merged []*Node
	lines := map[string]int{}
	for _, v := range values {
		at := place(c.src, v.Key.GetToken())
		if v.Key.IsMergeKey() {
			m := c.node(v.Value, depth+1)
			if m.Kind == Sequence {
				merged = append(merged, m.Items...)
			} else {
				merged = append(merged, m)
			}
			continue
		}
		key, ok := c.key(v.Key)
		if !ok {
			continue
		}
		value := c.node(v.Value, depth+1)
		if line, given := lines[key]; given {
			c.errs.Report(at, problem.New("duplicate key %q: line %d already sets it", key, line).Mend("remove one of them"))
			continue
		}
		lines[key] = at.Line
		out.Fields = append(out.Fields, Field{Key: key, Place: at, Value: value})
	}
	for _, m := range merged {
		if m.Kind != Mapping {
			c.errs.Report(m.Place, problem.New("<< merges mappings, but this is %v", m.Kind).Mend("write as in <<: *base, where &base stands at a mapping"))
			continue
		}
		for _, f := range m.Fields {
			if _, given := lines[f.Key]; !given {
				lines[f.Key] = f.Place.Line
				out.Fields = append(out.Fields, f)
			}
		}
	}
	if len(values) > 0 && out.Place.Source != nil {
		if first := place(c.src, values[0].Key.GetToken()); first.Line < out.Place.Line ||
			first.Line == out.Place.Line && first.Column < out.Place.Column {
			out.Place = first
		}
	}
	c.nodes++
	return out
}

func (c *converter) key(k ast.MapKeyNode) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return c.text(k, k.Value), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return k.GetToken().Value, true
	case *ast.MappingKeyNode:
		if inner, ok := k.Value.(*ast.StringNode); ok {
			return c.text(inner, inner.Value), true
		}
	}
	c.errs.Report(place(c.src, k.GetToken()), problem.New("a key must be a word").Mend("write as in seed: 1"))
	return "", false
}

// ParseArgument parses an assignment path=value from a command line. flag, such as "--set",
// is for messages. The value is a scalar, or YAML if it begins like a list, a mapping or a
// quoted text. null stands for the default. Its error is an *Error.
func ParseArgument(flag, text string) (path string, value *Node, err error) {
	src := NewArgument(flag + " " + text)
	at := Place{Source: src}
	path, rest, ok := strings.Cut(text, "=")
	path, rest = strings.TrimSpace(path), strings.TrimSpace(rest)
	if !ok || path == "" {
		return "", nil, Wrong(at, problem.New("this is not of the form path=value").Mend("write as in %s seed=2", flag))
	}
	switch {
	case rest == "":
		return "", nil, Wrong(at, problem.New("%s has no value", path).Mend("write %s=VALUE, or %[1]s=null for the default", path))
	case rest == "null" || rest == "~":
		return path, &Node{Place: at}, nil
	case strings.ContainsRune(`[{"'`, rune(rest[0])):
		value, err := parse(src, []byte(rest))
		return path, value, err
	}
	if !utf8.ValidString(rest) {
		return "", nil, Wrong(Place{Source: NewArgument(fmt.Sprintf("%s %q", flag, text))}, problem.New("this is not text in UTF-8").Mend("write it in UTF-8"))
	}
	if err := unprintable(rest); err != nil {
		return "", nil, Wrong(Place{Source: NewArgument(fmt.Sprintf("%s %q", flag, text))}, err)
	}
	return path, &Node{Kind: Scalar, Text: rest, Place: at}, nil
}
