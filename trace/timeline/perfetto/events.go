package perfetto

import (
	"bufio"
	"encoding/json"
	"io"
	"strconv"
	"strings"

	"weft/unit"
)

// events writes trace events as JSON, one after another. Its errors are those of the writer, which close returns.
type events struct {
	w    *bufio.Writer
	some bool
	line []byte
	// start is the time that is written as 0.
	start unit.Time
}

func newEvents(w io.Writer, start unit.Time) events {
	return events{w: bufio.NewWriterSize(w, 1<<16), start: start}
}

// close ends the list and returns the first error.
func (e *events) close() error {
	if !e.some {
		e.w.WriteString(`{"traceEvents":[`)
	}
	e.w.WriteString("\n],\"displayTimeUnit\":\"ns\"}\n")
	return e.w.Flush()
}

// arg is one of the words and numbers that Perfetto shows of a slice.
type arg struct {
	name   string
	text   string
	number int64
	isText bool
}

func number(name string, n int64) arg { return arg{name: name, number: n} }
func words(name, text string) arg     { return arg{name: name, text: text, isText: true} }

// begin begins an event of a phase in a row.
func (e *events) begin(phase byte, in row, name string) {
	text := ",\n"
	if !e.some {
		e.some, text = true, "{\"traceEvents\":[\n"
	}
	e.line = append(e.line[:0], text...)
	e.line = append(e.line, `{"ph":"`...)
	e.line = append(e.line, phase)
	// Process 0 is the idle one to Perfetto.
	e.line = append(e.line, `","pid":`...)
	e.line = strconv.AppendInt(e.line, int64(in.rank)+1, 10)
	e.line = append(e.line, `,"tid":`...)
	e.line = strconv.AppendInt(e.line, int64(in.kind), 10)
	e.line = append(e.line, `,"name":`...)
	e.line = quoted(e.line, name)
}

func (e *events) at(t unit.Time) {
	e.line = append(e.line, `,"ts":`...)
	e.line = micros(e.line, t-e.start)
}

// end ends an event, with what is to be shown of it.
func (e *events) end(args []arg) {
	for i, a := range args {
		text := `,"args":{`
		if i > 0 {
			text = ","
		}
		e.line = append(e.line, text...)
		e.line = quoted(e.line, a.name)
		e.line = append(e.line, ':')
		if a.isText {
			e.line = quoted(e.line, a.text)
		} else {
			e.line = strconv.AppendInt(e.line, a.number, 10)
		}
	}
	if len(args) > 0 {
		e.line = append(e.line, '}')
	}
	e.line = append(e.line, '}')
	e.w.Write(e.line) // an error stays until close
}

// span writes what lasts from one time to another.
func (e *events) span(in row, name string, begin, end unit.Time, args []arg) {
	e.begin('X', in, name)
	e.at(begin)
	e.line = append(e.line, `,"dur":`...)
	e.line = micros(e.line, end-begin)
	e.end(args)
}

// process names a process, which are shown in the order of their numbers.
func (e *events) process(rank int32, name string, place int) {
	e.begin('M', row{rank, 0}, "process_name")
	e.end([]arg{words("name", name)})
	e.begin('M', row{rank, 0}, "process_sort_index")
	e.end([]arg{number("sort_index", int64(place))})
}

// thread names a row.
func (e *events) thread(in row, name string) {
	e.begin('M', in, "thread_name")
	e.end([]arg{words("name", name)})
	e.begin('M', in, "thread_sort_index")
	e.end([]arg{number("sort_index", int64(in.kind))})
}

// arrow writes the begin or the end of an arrow, in the span of a row that lasts at a time.
func (e *events) arrow(in row, id int, begin bool, at unit.Time) {
	phase := byte('s')
	if !begin {
		phase = 'f'
	}
	e.begin(phase, in, "message")
	e.line = append(e.line, `,"cat":"message","bp":"e","id":`...)
	e.line = strconv.AppendInt(e.line, int64(id), 10)
	e.at(at)
	e.end(nil)
}

// micros writes a time in microseconds, to the picosecond.
func micros(b []byte, t unit.Time) []byte {
	b = strconv.AppendInt(b, int64(t/unit.Microsecond), 10)
	part := int64(t % unit.Microsecond)
	if part == 0 {
		return b
	}
	digits := strconv.FormatInt(part+int64(unit.Microsecond), 10)[1:]
	return append(append(b, '.'), strings.TrimRight(digits, "0")...)
}

// quoted writes a text as JSON.
func quoted(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			whole, err := json.Marshal(text)
			if err != nil { // a text has none
				panic(err)
			}
			return append(b, whole...)
		}
	}
	b = append(b, '"')
	b = append(b, text...)
	return append(b, '"')
}
