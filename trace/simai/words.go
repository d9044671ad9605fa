package simai

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/problem"
)

// mostLine is how long a line is at most.
const mostLine = 1 << 20

// words reads a file word by word, and knows the place of each.
type words struct {
	name  string
	lines *bufio.Scanner
	line  int
	text  string // of the line
	next  int    // offset of what is not read yet
	at    place  // of the last word
}

type place struct{ line, column int }

func newWords(r io.Reader, name string) *words {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	return &words{name: name, lines: lines}
}

// nextLine goes to the next line, and reports false at the end of the file.
func (w *words) nextLine() (bool, error) {
	if !w.lines.Scan() {
		err := w.lines.Err()
		switch {
		case errors.Is(err, bufio.ErrTooLong):
			return false, w.errorAt(place{w.line + 1, 1}, problem.New("the line is longer than %d bytes", mostLine).Mend("a layer has a line of 12 words"))
		case err != nil:
			return false, fmt.Errorf("%s: %w", w.name, err)
		}
		return false, nil
	}
	w.line++
	w.text, w.next = w.lines.Text(), 0
	if w.line == 1 {
		w.text = strings.TrimPrefix(w.text, "\ufeff")
	}
	return true, nil
}

const blanks = " \t\r\v\f"

// wordOfLine reads the next word of the line, "" at its end.
func (w *words) wordOfLine() string {
	rest := w.text[w.next:]
	begin := len(rest) - len(strings.TrimLeft(rest, blanks))
	rest = rest[begin:]
	w.at = place{w.line, w.next + begin + 1}
	n := strings.IndexAny(rest, blanks)
	if n < 0 {
		n = len(rest)
	}
	w.next += begin + n
	return rest[:n]
}

// word reads the next word, in whichever line. It is "" at the end of the file.
func (w *words) word() (string, error) {
	for {
		if word := w.wordOfLine(); word != "" {
			return word, nil
		}
		more, err := w.nextLine()
		if err != nil || !more {
			return "", err
		}
	}
}

// errorAt begins an error with the place of what is wrong.
func (w *words) errorAt(at place, err error) error {
	return fmt.Errorf("%s:%d:%d: %w", w.name, at.line, at.column, err)
}

// wrong is an error about the last word.
func (w *words) wrong(err error) error { return w.errorAt(w.at, err) }

// number reads the next word as a number from least to most.
func (w *words) number(what string, least, most int64) (int64, error) {
	word, err := w.word()
	if err != nil {
		return 0, err
	}
	return w.asNumber(word, what, least, most)
}

func (w *words) asNumber(word, what string, least, most int64) (int64, error) {
	if word == "" {
		return 0, w.wrong(problem.New("the file ends where %s is due", what).Mend("complete it, or correct the number of layers in its second line"))
	}
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil || n < least || n > most {
		return 0, w.wrong(problem.New("%s is %q", what, readable.Clip(word)).Mend("write a whole number from %d to %d", least, most))
	}
	return n, nil
}
