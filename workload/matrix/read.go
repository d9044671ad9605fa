package matrix

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"weft/internal/readable"
	"weft/problem"
	"weft/unit"
)

// Limits on the content of a file, far beyond what can be simulated.
const (
	maxNodes = 1 << 26
	maxSize  = 1 << 50
	maxItems = 1 << 31
)

// Read reads a matrix and reports its mistakes: in words and numbers, counts and references, and
// connections that can never start. Errors begin with the file's name, the line and usually the
// column.
func Read(r io.Reader, name string) (*Matrix, error) {
	p := parser{name: name, header: map[string]int{}, lines: map[string]int{}, m: &Matrix{}}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		text := lines.Text()
		if p.line++; p.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if err := p.read(text); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		p.line++
		if errors.Is(err, bufio.ErrTooLong) {
			return nil, p.errorf(0, "the line is too long for a connection")
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if err := p.counts(); err != nil {
		return nil, err
	}
	p.notices()
	return p.m, p.check()
}

// Keys of the header.
const (
	nodesKey       = "Nodes"
	connectionsKey = "Connections"
	triggersKey    = "Triggers"
	failuresKey    = "Failures"
)

var headerKeys = []string{nodesKey, connectionsKey, triggersKey, failuresKey}

type parser struct {
	name   string
	line   int // counted from 1
	header map[string]int
	lines  map[string]int // lines of the header's keys
	m      *Matrix
	// Peculiarities that htsim interprets differently.
	fractions, nameless oddity
}

// errorf returns an error at a column, counted from 1, of the current line. Column 0 means the
// whole line.
func (p *parser) errorf(column int, format string, args ...any) error {
	return p.errorAt(p.line, column, format, args...)
}

func (p *parser) errorAt(line, column int, format string, args ...any) error {
	at := p.name
	if line > 0 {
		at += fmt.Sprintf(":%d", line)
	}
	if column > 0 {
		at += fmt.Sprintf(":%d", column)
	}
	return fmt.Errorf("%s: %w", at, fmt.Errorf(format, args...))
}

// read reads a line.
func (p *parser) read(line string) error {
	w := words{parser: p, list: split(line)}
	first, ok := w.next()
	switch {
	case !ok:
		return nil
	case strings.Contains(first, "->"):
		return p.connection(&w, first)
	case first == "trigger":
		return p.trigger(&w)
	case first == "failure":
		return p.failure(&w)
	}
	for _, key := range headerKeys {
		if key != first {
			continue
		}
		if _, twice := p.header[key]; twice {
			return w.wrongf("%s is given twice; leave one", key)
		}
		if len(p.m.Connections)+len(p.m.Triggers)+len(p.m.Failures) > 0 {
			return w.wrongf("%s belongs in the header, before the first connection", key)
		}
		n, err := w.integer(key, 0, maxItems)
		if err != nil {
			return err
		}
		p.header[key], p.lines[key] = int(n), p.line
		if key == nodesKey {
			if n < 1 || n > maxNodes {
				return w.wrongf("Nodes is %d; it must be from 1 to %d", n, maxNodes)
			}
			p.m.Nodes = int(n)
		}
		return w.end()
	}
	return w.wrongf("no line begins with %q%s", readable.Clip(first), unknown(first, append([]string{"trigger", "failure"}, headerKeys...)))
}

// connection reads a connection. first is its first word, which names the hosts.
func (p *parser) connection(w *words, first string) error {
	c := Connection{line: p.line}
	src, dst, _ := strings.Cut(first, "->")
	if p.m.Nodes == 0 {
		return w.wrongf("the header has no Nodes; write the number of hosts before the first connection, as in Nodes 16")
	}
	for _, end := range []struct {
		text string
		into *int32
	}{{src, &c.Src}, {dst, &c.Dst}} {
		n, err := strconv.ParseInt(end.text, 10, 32)
		if err != nil {
			return w.wrongf("%q is not a connection; write the numbers of both hosts without blanks, as in 0->5", readable.Clip(first))
		}
		if n < 0 || int(n) >= p.m.Nodes {
			return w.wrongf("host %d does not exist; Nodes is %d, and hosts count from 0", n, p.m.Nodes)
		}
		*end.into = int32(n)
	}
	if c.Src == c.Dst {
		return w.wrongf("host %d would send to itself; name two hosts", c.Src)
	}
	given := map[string]bool{}
	for {
		key, ok := w.next()
		if !ok {
			break
		}
		if given[key] {
			return w.wrongf("%s is given twice; leave one", readable.Clip(key))
		}
		given[key] = true
		if err := c.read(w, key); err != nil {
			return err
		}
	}
	switch {
	case given["start"] && given["trigger"]:
		return p.errorf(0, "%w", problem.New("the connection has a start and a trigger").Mend("leave only one"))
	case !given["start"] && !given["trigger"]:
		return p.errorf(0, "%w", problem.New("nothing starts the connection").Mend("add start and a time in picoseconds, or trigger and its id"))
	case !given["size"]:
		return p.errorf(0, "%w", problem.New("the connection has no size").Mend("add size and its bytes"))
	case c.Message && c.ID == 0:
		return p.errorf(0, "%w", problem.New("a message (msg) belongs to a connection").Mend("add the id of that"))
	}
	if c.Trigger > 0 && c.ID == 0 {
		p.nameless.at(p.line)
	}
	p.m.Connections = append(p.m.Connections, c)
	return nil
}

// read reads the value of a key.
func (c *Connection) read(w *words, key string) (err error) {
	id := func(into *uint32) error {
		n, err := w.integer(key, 1, math.MaxUint32)
		*into = uint32(n)
		return err
	}
	switch key {
	case "id":
		return id(&c.ID)
	case "trigger":
		return id(&c.Trigger)
	case "send_done_trigger":
		return id(&c.SendDone)
	case "recv_done_trigger":
		return id(&c.RecvDone)
	case "start":
		c.Start, err = w.start()
	case "size":
		var n int64
		n, err = w.integer(key, 0, maxSize)
		if err == nil && n == 0 {
			return w.wrongf("%w", problem.New("size is 0, which programs of htsim take differently: for NDP, TCP, RoCE and HPCC the connection never ends, and for UEC it sends nothing").
				Mend("remove the connection, or write the bytes that it can send until the run ends (12500 per microsecond at 100 Gb/s) and set until"))
		}
		c.Size = unit.Bytes(n)
	case "prio":
		var n int64
		n, err = w.integer(key, math.MinInt32, math.MaxUint32)
		c.Priority = &n
	case "msg":
		c.Message = true
		if len(w.list) > 0 { // some files number their messages
			if _, number := strconv.ParseUint(w.list[0].text, 10, 32); number == nil {
				w.next()
			}
		}
	case "addon":
		c.Addon = true
	default:
		return w.wrongf("a connection has no %q%s", readable.Clip(key), unknown(key, connectionKeys))
	}
	return err
}

func (p *parser) trigger(w *words) error {
	t := Trigger{line: p.line}
	counted := false
	for {
		key, ok := w.next()
		if !ok {
			break
		}
		switch kind := Kind(key); kind {
		case Oneshot, Multishot, Barrier:
			if t.Kind != "" {
				return w.wrongf("the trigger is already a %s; leave one", t.Kind)
			}
			t.Kind = kind
			continue
		}
		switch key {
		case "id":
			n, err := w.integer(key, 1, math.MaxUint32)
			if err != nil {
				return err
			}
			t.ID = uint32(n)
		case "count":
			n, err := w.integer(key, 1, maxItems)
			if err != nil {
				return err
			}
			t.Count, counted = int(n), true
		default:
			return w.wrongf("a trigger has no %q%s", readable.Clip(key), unknown(key, []string{"id", "count", "oneshot", "multishot", "barrier"}))
		}
	}
	switch {
	case t.ID == 0:
		return p.errorf(0, "%w", problem.New("the trigger has no id").Mend("add one, as in trigger id 1 oneshot"))
	case t.Kind == "":
		return p.errorf(0, "%w", problem.New("the trigger has no kind").Mend("add oneshot, multishot or barrier"))
	case t.Kind == Barrier && !counted:
		return p.errorf(0, "%w", problem.New("the barrier has no count").Mend("add how many connections it waits for, as in count 16"))
	case t.Kind != Barrier && counted:
		return p.errorf(0, "%w", problem.New("only a barrier counts").Mend("remove count, or write barrier instead of %s", t.Kind))
	}
	p.m.Triggers = append(p.m.Triggers, t)
	return nil
}

func (p *parser) failure(w *words) error {
	f := Failure{Switch: -1, Link: -1}
	for {
		key, ok := w.next()
		if !ok {
			break
		}
		switch key {
		case "switch_type":
			kind, _ := w.next()
			if kind != "TOR" && kind != "AGG" && kind != "CORE" {
				return w.wrongf("switch_type is %q; it must be TOR, AGG or CORE", readable.Clip(kind))
			}
			f.SwitchType = kind
		case "switch_id", "link_id":
			n, err := w.integer(key, 0, maxNodes)
			if err != nil {
				return err
			}
			if key == "switch_id" {
				f.Switch = int(n)
			} else {
				f.Link = int(n)
			}
		default:
			return w.wrongf("a failure has no %q%s", readable.Clip(key), unknown(key, []string{"switch_type", "switch_id", "link_id"}))
		}
	}
	if f.SwitchType == "" || f.Switch < 0 || f.Link < 0 {
		return p.errorf(0, "%w", problem.New("the failure is incomplete").Mend("write as in failure switch_type TOR switch_id 0 link_id 1"))
	}
	p.m.Failures = append(p.m.Failures, f)
	return nil
}

// counts compares the header's counts with the items that follow.
func (p *parser) counts() error {
	p.line = 0
	for _, c := range []struct {
		key  string
		have int
		must bool
	}{{nodesKey, p.m.Nodes, true}, {connectionsKey, len(p.m.Connections), true}, {triggersKey, len(p.m.Triggers), false}, {failuresKey, len(p.m.Failures), false}} {
		said, ok := p.header[c.key]
		switch {
		case !ok && c.key == nodesKey:
			return p.errorf(0, "the header has no %s; add the number of hosts, as in %[1]s 16", c.key)
		case !ok && (c.must || c.have > 0):
			return p.errorf(0, "the header has no %s; add the line %[1]s %d", c.key, c.have)
		case said != c.have:
			return p.errorAt(p.lines[c.key], 0, "the header has %s %d, but the file has %d; correct the header, or complete the file", c.key, said, c.have)
		}
	}
	return nil
}
