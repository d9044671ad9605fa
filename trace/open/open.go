// Package open reads traces of applications in any format that weft knows, which it tells by their content.
package open

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"weft/internal/userfile"
	"weft/trace"
	"weft/trace/chakra"
	"weft/trace/generate"
	"weft/trace/goal"
	"weft/trace/simai"
	"weft/unit"
)

// Options say what traces do not. Each format takes those that it needs.
type Options struct{ Chakra chakra.Options }

// Info is what a trace has beside the schedules of its ranks.
type Info struct {
	// Format names the format of the trace.
	Format  string
	Calls   []trace.Call
	Notices []string
}

// file is what a path leads to.
type file struct {
	path string
	dir  bool
	head []byte // the first bytes, or none
}

// format is one that weft reads.
type format struct {
	name string
	// is tells whether a file has the format. The first format that a file has is taken.
	is func(file) bool
	// scan reads a trace rank by rank if that is possible.
	scan func(path string, o Options, visit visit) (Info, error)
	// takes is which options have an effect.
	takes takes
	// plain tells that errors are clear without the format.
	plain bool
}

// takes is which of the options a format takes.
type takes uint8

const (
	nothing     takes = iota
	collectives       // how collectives become messages
	all
)

// idle says which options have no effect on a format, if some were given.
func (o *Options) idle(f *format) (notices []string) {
	c := &o.Chakra
	if (len(c.Choice) > 0 || c.Reduction > 0) && f.takes < collectives {
		notices = append(notices, "it has messages and no collectives, so algorithms and speeds of collectives have no effect")
	}
	if (c.Groups != "" || len(c.Dims) > 0 || c.Operations > 0 || c.Memory > 0) && f.takes < all {
		notices = append(notices, "it is no trace of Chakra, so process groups, dimensions and speeds of accelerators have no effect")
	}
	return notices
}

// visit is called for each rank in order.
type visit = func(rank int, s *trace.Schedule) error

// formats returns what weft reads. An entry is all that a format needs here.
func formats() []format {
	return []format{
		{"Chakra (a folder with a file per rank, such as app.0.et)", func(f file) bool { return chakra.Is(f.path) }, whole(func(path string, o Options) (*trace.Trace, error) { return chakra.Read(path, o.Chakra) }), all, false},
		{"GOAL in binary form", func(f file) bool { return goal.IsBinary(f.head) }, scanGoal, nothing, false},
		{"layers of SimAI and ASTRA-sim 1", func(f file) bool { return simai.Is(f.head) }, scanLayers, collectives, false},
		{"a file of weft trace generate", func(f file) bool { return !f.dir && isText(f.head) && generate.Is(f.path, f.head) }, scanGenerated, collectives, true},
		{"GOAL text", func(f file) bool { return !f.dir && isText(f.head) && !isJSON(f.head) }, scanGoal, nothing, false},
	}
}

func scanGoal(path string, _ Options, visit visit) (info Info, err error) {
	info.Notices, err = goal.Scan(path, visit)
	return info, err
}

func scanLayers(path string, o Options, visit visit) (info Info, err error) {
	info.Calls, info.Notices, err = simai.Scan(path, o.Chakra.Settings, visit)
	return info, err
}

func scanGenerated(path string, o Options, visit visit) (Info, error) {
	s, err := generate.Open(path)
	if err != nil {
		return Info{}, err
	}
	s.Override(o.Chakra.Settings)
	calls, err := s.ScanCalls(visit)
	return Info{Calls: calls}, err
}

// whole scans a trace that is read as a whole.
func whole(read func(path string, o Options) (*trace.Trace, error)) func(string, Options, visit) (Info, error) {
	return func(path string, o Options, visit visit) (Info, error) {
		t, err := read(path, o)
		if err != nil {
			return Info{}, err
		}
		for r := range t.Ranks {
			if err := visit(r, &t.Ranks[r]); err != nil {
				return Info{}, err
			}
		}
		return Info{Calls: t.Calls, Notices: t.Notices}, nil
	}
}

// Read reads a trace.
func Read(path string, o Options) (*trace.Trace, Info, error) {
	t := &trace.Trace{}
	info, err := Scan(path, o, func(_ int, s *trace.Schedule) error {
		t.Append(s)
		return nil
	})
	if err != nil {
		return nil, info, err
	}
	t.Calls, t.Notices = info.Calls, info.Notices
	return t, info, nil
}

// Scan reads a trace, and calls visit for each of its ranks. Formats that have one rank after another are not
// held as a whole.
func Scan(path string, o Options, visit func(rank int, s *trace.Schedule) error) (Info, error) {
	f, err := look(path)
	if err != nil {
		return Info{}, err
	}
	for _, one := range formats() {
		if !one.is(f) {
			continue
		}
		name, _, _ := strings.Cut(one.name, " (")
		info, err := one.scan(path, o, visit)
		if err != nil && !one.plain {
			err = fmt.Errorf("%w (read as %s)", err, name)
		}
		info.Format = name
		info.Notices = append(info.Notices, o.idle(&one)...)
		return info, err
	}
	return Info{}, unknown(f)
}

// headSize is how many bytes of a file tell its format.
const headSize = 512

// look looks at a path. One that does not exist may be the prefix of files.
func look(path string) (file, error) {
	f := file{path: path}
	info, err := os.Stat(path)
	switch {
	case err != nil && chakra.Is(path):
		return f, nil
	case err != nil:
		return f, err
	case info.IsDir():
		f.dir = true
		return f, nil
	}
	r, err := userfile.Open(path, 1<<42*unit.Byte)
	if err != nil {
		return f, err
	}
	defer r.Close()
	f.head = make([]byte, headSize)
	n, err := r.ReadAt(f.head, 0)
	if err != nil && err != io.EOF {
		return f, err
	}
	f.head = f.head[:n]
	return f, nil
}

// isText tells whether bytes begin a text.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax || r < ' ' && !strings.ContainsRune("\t\n\r\f", r) {
			return false
		}
		head = head[n:]
	}
	return true
}

// isJSON tells whether a text is an object or a list of JSON.
func isJSON(head []byte) bool {
	head = bytes.TrimLeft(head, "\ufeff \t\r\n")
	return len(head) > 0 && (head[0] == '{' || head[0] == '[')
}

// unknown is the error of a path that has no format.
func unknown(f file) error {
	var names []string
	for _, one := range formats() {
		names = append(names, one.name)
	}
	known := "weft reads " + strings.Join(names, ", ")
	switch {
	case f.dir:
		return fmt.Errorf("%s: the folder has no trace; %s", f.path, known)
	case isText(f.head) && isJSON(f.head):
		return fmt.Errorf("%s: this is JSON, and no trace that weft knows; %s", f.path, known)
	}
	return fmt.Errorf("%s: this is no trace that weft knows; it begins with the bytes % x; %s", f.path, f.head[:min(8, len(f.head))], known)
}
