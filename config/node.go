// Package config reads strict YAML into structs whose fields are described by the tags of
// package catalog. It also describes such structs for people and editors. It keeps the
// place of everything that it reads, so that a later error can point there. It knows
// nothing about the meaning of the values.
package config

import (
	"fmt"
	"slices"
	"strings"

	"weft/catalog"
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of node.
const (
	Null Kind = iota
	Scalar
	Sequence
	Mapping
)

// String returns a word for messages: "a list".
func (k Kind) String() string {
	return [...]string{"empty", "a single value", "a list", "a mapping"}[k]
}

// Node is a value of a configuration that is not yet decoded.
type Node struct {
	Kind Kind
	// Text is the text of a scalar, without quotes.
	Text string
	// Items are the elements of a sequence.
	Items []*Node
	// Fields are the fields of a mapping, in the order in which they were written.
	Fields []Field
	// Place is where the value begins.
	Place Place

	// literal marks a number or a boolean, which JSON writes without quotes.
	literal bool
	// options marks the mapping of a struct or a choice that was encoded.
	options bool
}

// Form describes how a Node is written: in any way, since it is not decoded.
func (*Node) Form() catalog.Form { return catalog.Form{Name: "value"} }

// Text returns a scalar with a text.
func Text(text string, at Place) *Node { return &Node{Kind: Scalar, Text: text, Place: at} }

// Field is a key of a mapping with its value.
type Field struct {
	Key   string
	Place Place
	Value *Node

	// original marks an option that has its original value (see Distinct).
	original bool
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	if i := n.index(key); i >= 0 {
		return n.Fields[i].Value
	}
	return nil
}

func (n *Node) index(key string) int {
	return slices.IndexFunc(n.Fields, func(f Field) bool { return f.Key == key })
}

// Without returns a copy of mapping n without the fields of some keys. It shares
// the values with n.
func (n *Node) Without(keys ...string) *Node {
	out := *n
	out.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f Field) bool { return slices.Contains(keys, f.Key) })
	return &out
}

// With returns a copy of mapping n with one field added or replaced. It shares
// the other values with n.
func (n *Node) With(f Field) *Node {
	out := *n
	out.Fields = slices.Clone(n.Fields)
	if i := n.index(f.Key); i >= 0 {
		out.Fields[i] = f
	} else {
		out.Fields = append(out.Fields, f)
	}
	return &out
}

// Source is the text of a configuration.
type Source struct {
	// Name is the name of a file, or the argument of a command line itself.
	Name string
	// Given is the place in a file from which a program made the argument.
	Given Place

	argument bool
	lines    []string
}

// NewSource returns the source of a file's text.
func NewSource(name string, text []byte) *Source {
	return &Source{Name: name, lines: strings.Split(string(text), "\n")}
}

// NewArgument returns the source of an argument of a command line.
func NewArgument(text string) *Source {
	return &Source{Name: text, argument: true}
}

// Place is a place in a source. Lines and columns count from 1; columns are in characters.
// The zero Place is nowhere.
type Place struct {
	Source       *Source
	Line, Column int
}

// Argument reports whether the place is an argument of a command line.
func (p Place) Argument() bool { return p.Source != nil && p.Source.argument }

// String returns file:line:column, or the argument.
func (p Place) String() string {
	switch {
	case p.Source == nil:
		return ""
	case p.Source.argument || p.Line == 0:
		return p.Source.Name
	}
	return fmt.Sprintf("%s:%d:%d", p.Source.Name, p.Line, p.Column)
}

// Excerpt returns the line of the place and a line with a caret below the column. It
// returns "" if there is no line to show.
func (p Place) Excerpt() string {
	if p.Source == nil || p.Source.argument || p.Line < 1 || p.Line > len(p.Source.lines) {
		return ""
	}
	const width = 100
	line := []rune(strings.TrimRight(p.Source.lines[p.Line-1], "\r"))
	for i, r := range line {
		if r < ' ' || r == 0x7f {
			line[i] = ' '
		}
	}
	column := min(max(p.Column, 1), len(line)+1) - 1
	first := 0
	if column > width*3/4 {
		first = column - width/2
	}
	shown := line[first:min(len(line), first+width)]
	gutter := fmt.Sprintf("%5d | ", p.Line)
	return gutter + strings.TrimRight(string(shown), " ") + "\n" +
		strings.Repeat(" ", len(gutter)-2) + "| " + strings.Repeat(" ", column-first) + "^"
}
