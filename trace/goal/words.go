package goal

import (
	"fmt"

	"weft/internal/nearest"
	"weft/trace"
)

// words takes a line apart.
type words struct {
	text []byte
	at   int
	line int
}

// begin goes on with the next line.
func (w *words) begin(text []byte) { w.text, w.at = text, 0 }

func (w *words) skip() {
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case ' ', '\t', '\r', '\n':
			w.at++
		default:
			return
		}
	}
}

// over tells whether nothing is left.
func (w *words) over() bool {
	w.skip()
	return w.at == len(w.text)
}

// take takes a character if it is next.
func (w *words) take(c byte) bool {
	if w.over() || w.text[w.at] != c {
		return false
	}
	w.at++
	return true
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// word takes a word: a letter, and then letters, digits and underscores. It is empty if none is next.
func (w *words) word() []byte {
	w.skip()
	from := w.at
	for w.at < len(w.text) {
		c := w.text[w.at]
		if !letter(c) && (w.at == from || !digit(c) && c != '_') {
			break
		}
		w.at++
	}
	return w.text[from:w.at]
}

// number takes a number from 0 to most.
func (w *words) number(what string, most int64) (int64, error) {
	w.skip()
	from, n := w.at, int64(0)
	for w.at < len(w.text) && digit(w.text[w.at]) {
		d := int64(w.text[w.at] - '0')
		if n > (most-d)/10 {
			return 0, fmt.Errorf("%s %s is too large; it is at most %d", what, w.digits(from), most)
		}
		n = n*10 + d
		w.at++
	}
	if w.at == from {
		return 0, fmt.Errorf("%s stands where a number is due for %s", w.rest(), what)
	}
	return n, nil
}

// digits returns the number that begins at a place.
func (w *words) digits(from int) string {
	to := from
	for to < len(w.text) && digit(w.text[to]) {
		to++
	}
	return clip(w.text[from:to])
}

// any takes -1.
func (w *words) any() bool {
	w.skip()
	if w.at+1 >= len(w.text) || w.text[w.at] != '-' || w.text[w.at+1] != '1' || w.at+2 < len(w.text) && digit(w.text[w.at+2]) {
		return false
	}
	w.at += 2
	return true
}

// rest returns the word, number or character that is next, for a message.
func (w *words) rest() string {
	if w.over() {
		return "the end of the line"
	}
	to := w.at + 1
	for to < len(w.text) && w.text[to] > ' ' {
		to++
	}
	return clip(w.text[w.at:to])
}

// clip quotes a word of the file.
func clip(word []byte) string {
	if len(word) > 40 {
		return fmt.Sprintf("%q...", word[:40])
	}
	return fmt.Sprintf("%q", word)
}

// operation reads an operation whose kind is a word.
func (t *textReader) operation(kind []byte) (o trace.Operation, err error) {
	switch string(kind) {
	case "send":
		o.Kind = trace.Send
	case "recv":
		o.Kind = trace.Recv
	case "calc":
		o.Kind = trace.Calc
		if o.Size, err = t.number("the nanoseconds of calc", trace.MaxSize); err != nil {
			return o, t.errorf("%w; write as in calc 1500", err)
		}
		return o, t.options(&o)
	default:
		if len(kind) == 0 {
			return o, t.errorf("%s stands where an operation is due; write send, recv or calc", t.rest())
		}
		return o, t.errorf("%s is no operation; %s", clip(kind), nearest.Remedy(string(kind), "known:", []string{"send", "recv", "calc"}))
	}
	if o.Size, err = t.number("the size", trace.MaxSize); err != nil {
		return o, t.errorf("%w; write as in %s", err, example(o.Kind))
	}
	if unit := t.word(); string(unit) != "b" {
		return o, t.errorf("the size of %v has no b behind it; sizes are in bytes, as in %s", o.Kind, example(o.Kind))
	}
	to := "to"
	if o.Kind == trace.Recv {
		to = "from"
	}
	if word := t.word(); string(word) != to {
		return o, t.errorf("%v needs %s and a rank, as in %s", o.Kind, to, example(o.Kind))
	}
	if o.Kind == trace.Recv && t.any() {
		o.Peer = trace.AnySource
	} else {
		n, err := t.number("the rank", trace.MaxRank)
		if err != nil {
			return o, t.errorf("%w; write as in %s", err, example(o.Kind))
		}
		o.Peer = int32(n)
	}
	return o, t.options(&o)
}

func example(k trace.Kind) string {
	if k == trace.Recv {
		return "recv 1024b from 3 tag 7, or from -1 for any rank"
	}
	return "send 1024b to 3 tag 7"
}

// options reads tag, processor and NIC of an operation.
func (t *textReader) options(o *trace.Operation) error {
	const (
		tag = 1 << iota
		cpu
		nic
	)
	seen := 0
	for !t.over() {
		word := t.word()
		what := 0
		switch string(word) {
		case "tag":
			what = tag
		case "cpu":
			what = cpu
		case "nic":
			what = nic
		}
		switch {
		case len(word) == 0:
			return nil // the caller names what follows
		case what == 0 || o.Kind == trace.Calc && what != cpu:
			names := []string{"tag", "cpu", "nic"}
			if o.Kind == trace.Calc {
				names = names[1:2]
			}
			return t.errorf("%s is no option of %v; %s", clip(word), o.Kind, nearest.Remedy(string(word), "known:", names))
		case seen&what != 0:
			return t.errorf("%s is given twice; leave one", word)
		}
		seen |= what
		if what == tag && t.any() {
			if o.Kind == trace.Send {
				return t.errorf("the tag of a send is -1; only receives take any tag, so give the message a tag of its own")
			}
			o.Tag = trace.AnyTag
			continue
		}
		var n int64
		var err error
		switch what {
		case tag:
			o.Tag, err = t.number("tag", trace.MaxTag)
		case cpu:
			n, err = t.number("cpu", trace.MaxCPU)
			o.CPU = uint16(n)
		case nic:
			n, err = t.number("nic", trace.MaxNIC)
			o.NIC = uint16(n)
		}
		if err != nil {
			return t.errorf("%w", err)
		}
	}
	return nil
}
