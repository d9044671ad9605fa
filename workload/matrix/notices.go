package matrix

import "fmt"

// oddity is a peculiarity that some lines of a file have.
type oddity struct {
	lines int
	first int // first such line
}

func (o *oddity) at(line int) {
	if o.lines++; o.lines == 1 {
		o.first = line
	}
}

// where returns the position of the lines, for messages.
func (o oddity) where(name string) string {
	text := fmt.Sprintf("%s:%d", name, o.first)
	if more := o.lines - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// notices reports what htsim, or some version of it, would interpret differently or reject.
func (p *parser) notices() {
	if o := p.fractions; o.lines > 0 {
		p.m.Notices = append(p.m.Notices, o.where(p.name)+": the start is a fraction of a picosecond, and is rounded; if the file counts in microseconds, as those of old versions of htsim, multiply its starts by 1000000")
	}
	if o := p.nameless; o.lines > 0 {
		p.m.Notices = append(p.m.Notices, o.where(p.name)+": a trigger starts a connection without id, which htsim does not accept")
	}
}
