package netns

import "bytes"

// longest is the most bytes of an unfinished line that Lines keeps before it passes them on.
const longest = 64 << 10

// Lines is a writer that passes on whole lines.
type Lines struct {
	// Each receives a line without its end. It must not keep the slice.
	Each func(line []byte) error
	rest []byte
}

// Write passes on the lines that p completes and keeps the rest.
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

// Close passes on a last line without an end.
func (l *Lines) Close() error {
	if len(l.rest) == 0 {
		return nil
	}
	line := l.rest
	l.rest = nil
	return l.Each(line)
}
