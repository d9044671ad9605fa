// Package pdftest reads what a PDF says, for tests, by a parser that shares nothing with what
// wrote it.
package pdftest

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// Texts returns the texts of a PDF's first page in the order in which they are shown. Each
// goes from its codes to Unicode by its font's map, as a reader's search does. It fails if a
// font has no glyph for a character: readers would see nothing there.
func Texts(document []byte) (texts []string, err error) {
	r, err := pdf.NewReader(bytes.NewReader(document), int64(len(document)))
	if err != nil {
		return nil, err
	}
	page := r.Page(1)
	fonts := map[string]*fontMap{}
	for _, name := range page.Fonts() {
		if fonts[name], err = newFontMap(page.Font(name)); err != nil {
			return nil, fmt.Errorf("font %s: %w", name, err)
		}
	}
	var current *fontMap
	pdf.Interpret(page.V.Key("Contents"), func(stack *pdf.Stack, operator string) {
		args := make([]pdf.Value, stack.Len())
		for i := len(args) - 1; i >= 0; i-- {
			args[i] = stack.Pop()
		}
		switch operator {
		case "Tf":
			current = fonts[args[0].Name()]
		case "Tj":
			text, wrong := current.decode(args[0].RawString())
			if err == nil {
				err = wrong
			}
			texts = append(texts, text)
		case "TJ", "'", `"`:
			err = fmt.Errorf("operator %s is not known here", operator)
		}
	})
	return texts, err
}

// fontMap is what a font makes of codes of two bytes.
type fontMap struct {
	unicode []unicodeRange
	// glyphs has two bytes a code, 0 where there is no glyph.
	glyphs []byte
}

type unicodeRange struct{ first, last, to uint16 }

func newFontMap(f pdf.Font) (*fontMap, error) {
	if encoding := f.V.Key("Encoding").Name(); encoding != "Identity-H" {
		return nil, fmt.Errorf("its encoding is %q, not Identity-H", encoding)
	}
	cmap, err := io.ReadAll(f.V.Key("ToUnicode").Reader())
	if err != nil {
		return nil, err
	}
	m := &fontMap{}
	ranges := false
	for line := range strings.Lines(string(cmap)) {
		var of [3]uint64
		words := strings.Fields(line)
		ranges = ranges && len(words) == len(of) || strings.HasSuffix(strings.TrimSpace(line), "beginbfrange")
		if !ranges || len(words) != len(of) {
			continue
		}
		for i, word := range words {
			if of[i], err = strconv.ParseUint(strings.Trim(word, "<>"), 16, 16); err != nil {
				return nil, err
			}
		}
		m.unicode = append(m.unicode, unicodeRange{uint16(of[0]), uint16(of[1]), uint16(of[2])})
	}
	m.glyphs, err = io.ReadAll(f.V.Key("DescendantFonts").Index(0).Key("CIDToGIDMap").Reader())
	return m, err
}

func (m *fontMap) decode(codes string) (string, error) {
	if m == nil || len(codes)%2 != 0 {
		return "", fmt.Errorf("%q is not in a font of two bytes a character", codes)
	}
	var text []uint16
	for i := 0; i < len(codes); i += 2 {
		code := uint16(codes[i])<<8 | uint16(codes[i+1])
		at := 2 * int(code)
		if at+1 >= len(m.glyphs) || m.glyphs[at] == 0 && m.glyphs[at+1] == 0 {
			return "", fmt.Errorf("code %04x of %q has no glyph", code, codes)
		}
		known := false
		for _, r := range m.unicode {
			if code >= r.first && code <= r.last {
				text, known = append(text, r.to+code-r.first), true
				break
			}
		}
		if !known {
			return "", fmt.Errorf("code %04x has no character", code)
		}
	}
	return string(utf16.Decode(text)), nil
}
