package flowfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/unit"
)

// Limits on the content of a file, far beyond what can be simulated.
const (
	maxNode  = 1 << 26
	maxSize  = 1 << 50
	maxFlows = math.MaxInt32
	maxStart = unit.Forever / 4
)

// Read reads a flow file. Errors begin with the file's name, the line and usually the column.
func Read(r io.Reader, name string) (*File, error) {
	s := newScanner(r, name)
	file := &File{}
	if !s.next() {
		return nil, s.end("the file is empty; its first line is the number of flows")
	}
	if len(s.words) != 1 {
		return nil, s.errorf(s.words[1].column, "the first line has %d words; write the number of flows alone", len(s.words))
	}
	count, err := s.integer(0, "the number of flows", 0, maxFlows)
	if err != nil {
		return nil, err
	}
	counted := s.line
	for int64(len(file.Flows)) < count {
		if !s.next() {
			return nil, s.end("%s:%d: the file has %d flows, but its first line counts %d; correct the count, or complete the file", name, counted, len(file.Flows), count)
		}
		f, err := s.flow()
		if err != nil {
			return nil, err
		}
		file.Flows = append(file.Flows, f)
	}
	if err := file.passOver(s, count); err != nil {
		return nil, err
	}
	for i := 1; i < len(file.Flows); i++ {
		if file.Flows[i].Start < file.Flows[i-1].Start {
			file.Notices = append(file.Notices, fmt.Sprintf("%s:%d: the flow starts before the one above it; weft starts each at its time, but the simulators expect them in order", name, file.Flows[i].Line))
			break
		}
	}
	return file, nil
}

// passOver reads what follows the flows that the first line counts. The simulators ignore it:
// people lower that number to run a few flows, and explain the format below them.
func (file *File) passOver(s *scanner, count int64) error {
	var flows, text, firstFlow, firstText int
	for s.next() {
		if s.numbers() {
			if flows++; flows == 1 {
				firstFlow = s.line
			}
		} else if text++; text == 1 {
			firstText = s.line
		}
	}
	if flows > 0 {
		file.Notices = append(file.Notices, fmt.Sprintf("%s:%d: more flows follow the %d that the first line counts; they are left out, as the simulators do; for all, write %d there (flows left out: %d)", s.name, firstFlow, count, count+int64(flows), flows))
	}
	if text > 0 {
		file.Notices = append(file.Notices, fmt.Sprintf("%s:%d: text follows the %d flows that the first line counts, as in files of the simulators; it is ignored", s.name, firstText, count))
	}
	return s.err()
}

// flow reads the line of a flow.
func (s *scanner) flow() (f Flow, err error) {
	f.Line = s.line
	if n := len(s.words); n != 6 {
		return f, s.errorf(1, "the flow has %d words; write SRC DST PG DPORT SIZE START, as in 0 5 3 100 1000000 0.000001", n)
	}
	var src, dst, size int64
	for i, part := range []struct {
		what        string
		least, most int64
		into        *int64
	}{
		{"the sender", 0, maxNode, &src}, {"the receiver", 0, maxNode, &dst}, {"the priority group", 0, math.MaxInt32, &f.Priority},
		{"the port", 0, math.MaxUint16, &f.Port}, {"the size", 1, maxSize, &size},
	} {
		if *part.into, err = s.integer(i, part.what, part.least, part.most); err != nil {
			return f, err
		}
	}
	if src == dst {
		return f, s.errorf(s.words[1].column, "node %d would send to itself; name two hosts", src)
	}
	f.Src, f.Dst, f.Size = int32(src), int32(dst), unit.Bytes(size)
	f.Start, err = s.start(5)
	return f, err
}

// start reads a time in seconds.
func (s *scanner) start(i int) (unit.Time, error) {
	text := s.words[i].text
	// Decimals are exact. Other number formats that the simulators accept are rounded.
	if t, err := unit.ParseTime(text + "s"); err == nil && t >= 0 && t <= maxStart {
		return t, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if x *= float64(unit.Second); err != nil || !(x >= 0 && x <= float64(maxStart)) {
		return 0, s.errorf(s.words[i].column, "the start is %q; it must be a number of seconds from 0, as in 0.000001", readable.Clip(text))
	}
	return unit.Time(math.Round(x)), nil
}

// scanner reads words line by line and skips empty lines.
type scanner struct {
	name  string
	lines *bufio.Scanner
	line  int // counted from 1
	words []word
}

type word struct {
	text   string
	column int // counted from 1
}

func newScanner(r io.Reader, name string) *scanner {
	return &scanner{name: name, lines: bufio.NewScanner(r)}
}

// next advances to the next line that has words.
func (s *scanner) next() bool {
	for s.lines.Scan() {
		text := s.lines.Text()
		if s.line++; s.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		s.split(text)
		if len(s.words) > 0 {
			return true
		}
	}
	return false
}

func (s *scanner) split(text string) {
	s.words = s.words[:0]
	begin := -1
	for i := 0; i <= len(text); i++ {
		blank := i == len(text) || text[i] == ' ' || text[i] == '\t' || text[i] == '\r'
		switch {
		case blank && begin >= 0:
			s.words = append(s.words, word{text[begin:i], begin + 1})
			begin = -1
		case !blank && begin < 0:
			begin = i
		}
	}
}

// numbers reports whether the line begins with two numbers, like the line of a flow.
func (s *scanner) numbers() bool {
	if len(s.words) < 2 {
		return false
	}
	for _, w := range s.words[:2] {
		if _, err := strconv.ParseFloat(w.text, 64); err != nil {
			return false
		}
	}
	return true
}

// integer reads word i of the line.
func (s *scanner) integer(i int, what string, least, most int64) (int64, error) {
	w := s.words[i]
	n, err := strconv.ParseInt(w.text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, s.errorf(w.column, "%s is %q; it must be a whole number from %d to %d", what, readable.Clip(w.text), least, most)
	}
	return n, nil
}

// err returns the error that stopped reading before the end of the file.
func (s *scanner) err() error {
	err := s.lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		s.line++
		return s.errorf(1, "the line is too long for a flow")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	return nil
}

// end returns the error for a file that ends too soon. A format without arguments gets the file's
// name in front.
func (s *scanner) end(format string, args ...any) error {
	if err := s.err(); err != nil {
		return err
	}
	if len(args) == 0 {
		return fmt.Errorf("%s: %s", s.name, format)
	}
	return fmt.Errorf(format, args...)
}

func (s *scanner) errorf(column int, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", s.name, s.line, column, fmt.Sprintf(format, args...))
}
