package jetstream

import (
	"fmt"
	"strings"
	"sync"
)

// noticeLog forwards the warnings and errors of a server, and remembers its first error.
type noticeLog struct {
	notice func(string)

	mu        sync.Mutex
	complaint string
}

func (l *noticeLog) first() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.complaint
}

func (l *noticeLog) failed(format string, v []any) {
	text := line(format, v)
	l.mu.Lock()
	if l.complaint == "" {
		l.complaint = text
	}
	l.mu.Unlock()
	l.tell(text)
}

func (l *noticeLog) tell(text string) {
	if l.notice != nil {
		l.notice(text)
	}
}

func line(format string, v []any) string { return strings.TrimSpace(fmt.Sprintf(format, v...)) }

// Noticef and the following methods implement server.Logger.
func (l *noticeLog) Noticef(string, ...any)         {}
func (l *noticeLog) Debugf(string, ...any)          {}
func (l *noticeLog) Tracef(string, ...any)          {}
func (l *noticeLog) Warnf(format string, v ...any)  { l.tell(line(format, v)) }
func (l *noticeLog) Errorf(format string, v ...any) { l.failed(format, v) }
func (l *noticeLog) Fatalf(format string, v ...any) { l.failed(format, v) }
