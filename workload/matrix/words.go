package matrix

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/unit"
)

// words holds the unread words of a line.
type words struct {
	*parser
	list []word
	last word // the word read last
}

type word struct {
	text   string
	column int
}

func split(line string) (list []word) {
	if i := strings.IndexByte(line, '#'); i >= 0 {
		line = line[:i]
	}
	begin := -1
	for i := 0; i <= len(line); i++ {
		blank := i == len(line) || line[i] == ' ' || line[i] == '\t' || line[i] == '\r'
		switch {
		case blank && begin >= 0:
			list = append(list, word{line[begin:i], begin + 1})
			begin = -1
		case !blank && begin < 0:
			begin = i
		}
	}
	return list
}

// next returns the next word.
func (w *words) next() (string, bool) {
	if len(w.list) == 0 {
		return "", false
	}
	w.last = w.list[0]
	w.list = w.list[1:]
	return w.last.text, true
}

// wrongf returns an error about the word read last.
func (w *words) wrongf(format string, args ...any) error {
	return w.errorf(w.last.column, format, args...)
}

// integer reads the number that follows a key.
func (w *words) integer(key string, least, most int64) (int64, error) {
	text, ok := w.next()
	if !ok {
		return 0, w.errorf(w.last.column, "%s has no number after it", key)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, w.wrongf("%s is %q; it must be a whole number from %d to %d", key, readable.Clip(text), least, most)
	}
	return n, nil
}

// start reads a time in picoseconds, which may have a fraction.
func (w *words) start() (unit.Time, error) {
	text, ok := w.next()
	if !ok {
		return 0, w.errorf(w.last.column, "start has no time after it")
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return unit.Time(n), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !(f >= 0 && f < 1<<62) {
		return 0, w.wrongf("start is %q; it must be a number of picoseconds, not negative", readable.Clip(text))
	}
	if f != math.Trunc(f) {
		w.fractions.at(w.line)
	}
	return unit.Time(math.Round(f)), nil
}

func unknown(text string, known []string) string {
	if near, ok := nearest.Name(text, known); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return "; known: " + strings.Join(known, ", ")
}

// end returns an error if the line has more words.
func (w *words) end() error {
	if text, ok := w.next(); ok {
		return w.wrongf("%q is too much here; write one item per line", readable.Clip(text))
	}
	return nil
}

var connectionKeys = []string{"id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger", "prio", "msg", "addon"}
