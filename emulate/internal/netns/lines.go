package netns

import "bytes"

// longest is how much of a line Lines keeps before it hands it over unfinished.
const longest = 64 << 10

// Lines is a writer that hands over whole lines.
type Lines struct {
	// Each gets a line without its end. It must not keep it.
	Each func(line []byte) error
	rest []byte
}

// Write hands over the lines that p ends, and keeps what is left.
func (l *Lines) Write(p []byte) (int, error) {
	for done := 0; ; {
		end := bytes.IndexByte(p[done:], '\n')
		if end < 0 {
			l.rest = append(l.rest, p[done:]...)
			if len(l.rest) >= longest {
				return len(p), l.Close()
			}
			return len(p), nil
		}
		line := p[done : done+end]
		if len(l.rest) > 0 {
			l.rest = append(l.rest, line...)
			line = l.rest
		}
		err := l.Each(bytes.TrimSuffix(line, []byte("\r")))
		l.rest = l.rest[:0]
		done += end + 1
		if err != nil {
			return done, err
		}
	}
}

// Close hands over a last line that has no end.
func (l *Lines) Close() error {
	if len(l.rest) == 0 {
		return nil
	}
	line := l.rest
	l.rest = nil
	return l.Each(line)
}
