package goal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"weft/internal/nearest"
	"weft/internal/readable"
	"weft/trace"
)

// mostLine is how long a line of text is at most.
const mostLine = 1 << 16

// textReader reads GOAL text line by line.
type textReader struct {
	words
	name  string
	visit visit
	b     trace.Builder
	ranks int // of num_ranks; 0 before it was read
	rank  int // whose block is open, or outside
	next  int // rank whose block is next

	openedAt int  // line of the open block, or of the open comment
	comment  bool // within one of several lines
	stripped []byte
	forward  []forward
	twice    map[string]bool // labels of several operations of the rank
	repeated int             // labels that another operation has, over all ranks
	markers  markers
}

const outside = -1

// forward is a dependency on a label that comes later.
type forward struct {
	line   int
	op, on string
	start  bool
}

func scanText(r io.Reader, name string, visit visit) ([]string, error) {
	t := &textReader{name: name, visit: visit, rank: outside}
	in := bufio.NewReaderSize(r, mostLine)
	for {
		line, err := in.ReadSlice('\n')
		t.line++
		switch {
		case err == bufio.ErrBufferFull:
			return nil, t.errorf("the line is longer than %d bytes; GOAL has one statement on a line", mostLine)
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if t.line == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if err := t.read(line); err != nil {
			return nil, err
		}
		if err == io.EOF {
			return t.notices(), t.end()
		}
	}
}

func (t *textReader) errorf(format string, args ...any) error {
	return t.errorAt(t.line, format, args...)
}

func (t *textReader) errorAt(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", t.name, line, fmt.Errorf(format, args...))
}

func (t *textReader) notices() []string {
	list := t.markers.notices()
	if t.repeated > 0 {
		list = append(list, fmt.Sprintf("%s with a label that another one of their rank has; no dependency names it after that", readable.Count(t.repeated, "operation")))
	}
	return list
}

// end tells whether the file is whole.
func (t *textReader) end() error {
	switch {
	case t.comment:
		return t.errorAt(t.openedAt, "the comment has no end; close it with */")
	case t.rank != outside:
		return t.errorAt(t.openedAt, "the block of rank %d has no end; close it with }", t.rank)
	case t.ranks == 0:
		return t.errorf("there is no num_ranks; begin the file with it, as in num_ranks 16")
	case t.next < t.ranks:
		return t.errorf("the blocks of %s are missing, from rank %d on, since num_ranks is %d; write an empty block for a rank that does nothing: rank %d { }",
			readable.Count(t.ranks-t.next, "rank"), t.next, t.ranks, t.next)
	}
	return nil
}

// read reads a line.
func (t *textReader) read(line []byte) error {
	if t.comment || bytes.IndexByte(line, '/') >= 0 {
		line = t.strip(line)
	}
	t.begin(line)
	for !t.over() {
		if err := t.statement(); err != nil {
			return err
		}
	}
	return nil
}

// strip removes comments from a line.
func (t *textReader) strip(line []byte) []byte {
	t.stripped = t.stripped[:0]
	for len(line) > 0 {
		if t.comment {
			_, after, ok := bytes.Cut(line, []byte("*/"))
			if !ok {
				break
			}
			t.comment, line = false, after
			t.stripped = append(t.stripped, ' ')
			continue
		}
		i := bytes.IndexByte(line, '/')
		if i < 0 || i+1 == len(line) || line[i+1] != '/' && line[i+1] != '*' {
			t.stripped = append(t.stripped, line[:max(i+1, 0)]...)
			if i >= 0 {
				line = line[i+1:]
				continue
			}
			t.stripped = append(t.stripped, line...)
			break
		}
		t.stripped = append(t.stripped, line[:i]...)
		if line[i+1] == '/' {
			break
		}
		t.comment, t.openedAt, line = true, t.line, line[i+2:]
	}
	return t.stripped
}

// statement reads the next statement of a line.
func (t *textReader) statement() error {
	if t.take('}') {
		return t.close()
	}
	word := t.word()
	switch {
	case len(word) == 0:
		return t.errorf("%s is no statement; write an operation, a dependency, num_ranks or a block of a rank", t.rest())
	case t.rank == outside:
		return t.header(string(word))
	}
	var label []byte
	switch string(word) {
	case "send", "recv", "calc":
	default:
		label = word
		if !t.take(':') {
			return t.dependency(label)
		}
		word = t.word()
	}
	o, err := t.operation(word)
	if err != nil {
		return err
	}
	if !t.over() {
		return t.errorf("%s follows an operation; a statement has a line for itself", t.rest())
	}
	if t.b.Len() == trace.MaxOperations {
		return t.errorf("rank %d has more than %d operations, which is too much for weft", t.rank, trace.MaxOperations)
	}
	t.markers.take(&o, t.ranks)
	if (o.Kind != trace.Calc) && (int(o.Peer) >= t.ranks) {
		return t.errorf("%v: there is no rank %d, since num_ranks is %d", o, o.Peer, t.ranks)
	}
	t.b.Add(o)
	if label != nil && !t.b.Label(label) {
		// As long as no dependency names it from here on, it does not matter.
		if t.twice == nil {
			t.twice = map[string]bool{}
		}
		t.twice[string(label)] = true
		t.repeated++
	}
	return nil
}

// header reads what stands outside of blocks.
func (t *textReader) header(word string) error {
	switch word {
	case "num_ranks":
		n, err := t.number("num_ranks", trace.MaxRank+1)
		switch {
		case err != nil:
			return t.errorf("%w", err)
		case n == 0:
			return t.errorf("num_ranks is 0; a trace has at least one rank")
		case t.ranks > 0:
			return t.errorf("num_ranks is given twice; leave one")
		}
		t.ranks = int(n)
		return nil
	case "rank":
		n, err := t.number("rank", trace.MaxRank)
		switch {
		case err != nil:
			return t.errorf("%w", err)
		case t.ranks == 0:
			return t.errorf("num_ranks comes before the first block; write as in num_ranks 16")
		case int(n) >= t.ranks:
			return t.errorf("there is no rank %d, since num_ranks is %d", n, t.ranks)
		case int(n) != t.next:
			return t.errorf("the block of rank %d comes where that of rank %d is due; write blocks in the order of ranks, each once", n, t.next)
		case !t.take('{'):
			return t.errorf("a block begins with {, as in rank %d {", n)
		}
		t.rank, t.openedAt = int(n), t.line
		return nil
	}
	return t.errorf("%s stands outside of a block; %s", clip([]byte(word)), nearest.Remedy(word, "known:", []string{"num_ranks", "rank"}))
}

// close ends the block of a rank.
func (t *textReader) close() error {
	if t.rank == outside {
		return t.errorf("} closes a block that is not open")
	}
	for _, f := range t.forward {
		op, ok := t.b.Find([]byte(f.op))
		on, found := t.b.Find([]byte(f.on))
		if t.twice[f.op] || t.twice[f.on] {
			return t.errorAt(f.line, "rank %d has several operations with the label %s or %s, so that this dependency is ambiguous; give them labels of their own", t.rank, clip([]byte(f.op)), clip([]byte(f.on)))
		}
		if !ok || !found {
			missing := f.op
			if ok {
				missing = f.on
			}
			return t.errorAt(f.line, "rank %d has no operation with the label %s; write it as in %s: calc 100", t.rank, missing, missing)
		}
		t.b.Require(op, on, f.start)
	}
	t.forward, t.twice = t.forward[:0], nil
	s := t.b.Schedule()
	rank := t.rank
	t.rank, t.next = outside, t.next+1
	return t.visit(rank, &s)
}

// dependency reads what follows the label of an operation that waits for another.
func (t *textReader) dependency(label []byte) error {
	start := false
	switch word := t.word(); string(word) {
	case "requires":
	case "irequires":
		start = true
	case "":
		return t.errorf("%s follows the label %s; write an operation as in %s: calc 100, or a dependency as in %s requires l1", t.rest(), clip(label), clip(label), clip(label))
	default:
		return t.errorf("%s: %s follows the label; %s", clip(label), clip(word), nearest.Remedy(string(word), "known:", []string{"requires", "irequires", "send", "recv", "calc"}))
	}
	other := t.word()
	switch {
	case len(other) == 0:
		return t.errorf("%s stands where the label of another operation is due, as in %s requires l1", t.rest(), clip(label))
	case !t.over():
		return t.errorf("%s follows a dependency; a statement has a line for itself", t.rest())
	case bytes.Equal(label, other):
		return t.errorf("%s waits for itself; remove this line", clip(label))
	}
	for _, l := range [][]byte{label, other} {
		if t.twice != nil && t.twice[string(l)] {
			return t.errorf("rank %d has several operations with the label %s, so that this dependency is ambiguous; give them labels of their own", t.rank, clip(l))
		}
	}
	op, ok := t.b.Find(label)
	on, found := t.b.Find(other)
	if !ok || !found {
		t.forward = append(t.forward, forward{t.line, string(label), string(other), start})
		return nil
	}
	t.b.Require(op, on, start)
	return nil
}
