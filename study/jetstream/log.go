package jetstream

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// watchLog is the log of a server. It remembers what it complains of, and writes
// all into a file if there is one.
type watchLog struct {
	out *os.File

	mu sync.Mutex
	// complaint is the first warning or error, unwritten the first that tells of
	// something that could not be written.
	complaint, unwritten string
}

func (w *watchLog) first() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.complaint
}

func (w *watchLog) writeError() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unwritten
}

func (w *watchLog) write(level, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out != nil {
		// A log that cannot be written is the least that is wrong then.
		_, _ = fmt.Fprintf(w.out, "%s %s %s\n", time.Now().Format(time.RFC3339Nano), level, text)
	}
	if level == "info" {
		return
	}
	if w.complaint == "" {
		w.complaint = text
	}
	if level == "error" && w.unwritten == "" &&
		(strings.Contains(text, "failed to store") || strings.Contains(text, "write error") || strings.Contains(text, "no space left")) {
		w.unwritten = text
	}
}

func (w *watchLog) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.out != nil {
		w.out.Close()
		w.out = nil
	}
}

func line(format string, v []any) string { return strings.TrimSpace(fmt.Sprintf(format, v...)) }

// Noticef and the others implement server.Logger.
func (w *watchLog) Noticef(format string, v ...any) { w.write("info", line(format, v)) }
func (w *watchLog) Debugf(string, ...any)           {}
func (w *watchLog) Tracef(string, ...any)           {}
func (w *watchLog) Warnf(format string, v ...any)   { w.write("warning", line(format, v)) }
func (w *watchLog) Errorf(format string, v ...any)  { w.write("error", line(format, v)) }
func (w *watchLog) Fatalf(format string, v ...any)  { w.write("fatal", line(format, v)) }

// noticeLog passes on the complaints of a server.
type noticeLog struct {
	watchLog
	notice func(string)
}

func (l *noticeLog) tell(level, text string) {
	if level != "warning" {
		l.write(level, text)
	}
	if l.notice != nil {
		l.notice(text)
	}
}

// Warnf and the others implement server.Logger.
func (l *noticeLog) Warnf(format string, v ...any)  { l.tell("warning", line(format, v)) }
func (l *noticeLog) Errorf(format string, v ...any) { l.tell("error", line(format, v)) }
func (l *noticeLog) Fatalf(format string, v ...any) { l.tell("fatal", line(format, v)) }
