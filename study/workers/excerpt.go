package workers

import (
	"strings"
	"sync"
)

// excerpt keeps the beginning and the end of what is written to it. The message of a panic
// comes first, and most other errors come last.
type excerpt struct {
	mu         sync.Mutex
	head, tail []byte
	cut        bool
}

const excerptHalf = 4 << 10

func (e *excerpt) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(b)
	if room := excerptHalf - len(e.head); room > 0 {
		take := min(room, len(b))
		e.head = append(e.head, b[:take]...)
		b = b[take:]
	}
	e.tail = append(e.tail, b...)
	if over := len(e.tail) - excerptHalf; over > 0 {
		e.tail = append(e.tail[:0], e.tail[over:]...)
		e.cut = true
	}
	return n, nil
}

func (e *excerpt) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	between := ""
	if e.cut {
		between = "\n[…]\n"
	}
	return strings.TrimSpace(string(e.head) + between + string(e.tail))
}

// after returns the excerpt with text before it, or "" if the excerpt is empty.
func (e *excerpt) after(text string) string {
	if s := e.String(); s != "" {
		return text + s
	}
	return ""
}
