package matrix

import "fmt"

// oddity is what some lines of a file have in common.
type oddity struct {
	lines int
	first int // line
}

func (o *oddity) at(line int) {
	if o.lines++; o.lines == 1 {
		o.first = line
	}
}

// where names the lines after the name of a file.
func (o oddity) where(name string) string {
	text := fmt.Sprintf("%s:%d", name, o.first)
	if more := o.lines - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// notices tells what is taken here and means something else to some htsim, or nothing.
func (p *parser) notices() {
	if o := p.fractions; o.lines > 0 {
		p.m.Notices = append(p.m.Notices, o.where(p.name)+": the start is a fraction of a picosecond, and is rounded; if the file counts in microseconds, as those of old versions of htsim, multiply its starts by 1000000")
	}
	if o := p.nameless; o.lines > 0 {
		p.m.Notices = append(p.m.Notices, o.where(p.name)+": a trigger starts a connection without id, which htsim does not accept")
	}
}
