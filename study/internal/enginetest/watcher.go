package enginetest

import (
	"testing"

	"weft/study"
)

// Watcher records its calls. It calls its hooks first.
type Watcher struct {
	t        testing.TB
	Outcomes map[string]study.Outcome
	running  map[string]string
	begun    map[string]int
	Losses   []string
	Shares   int
	Notices  []string

	OnBegan func(key, worker string)
	OnEnded func(study.Outcome) error
}

// NewWatcher returns a Watcher without any calls.
func NewWatcher(t testing.TB) *Watcher {
	return &Watcher{t: t, Outcomes: map[string]study.Outcome{}, running: map[string]string{}, begun: map[string]int{}}
}

// Began implements study.Watcher.
func (w *Watcher) Began(key, name string) {
	if w.running[key] != "" {
		w.t.Errorf("%s began on %s while on %s", key, name, w.running[key])
	}
	w.running[key] = name
	w.begun[key]++
	if w.OnBegan != nil {
		w.OnBegan(key, name)
	}
}

// Progressed implements study.Watcher.
func (w *Watcher) Progressed(key string, share float64) { w.Shares++ }

// Lost implements study.Watcher.
func (w *Watcher) Lost(key, name, why string) {
	if w.running[key] != name {
		w.t.Errorf("%s was lost on %s, but ran on %s", key, name, w.running[key])
	}
	delete(w.running, key)
	w.Losses = append(w.Losses, key+": "+why)
}

// Ended implements study.Watcher.
func (w *Watcher) Ended(o study.Outcome) error {
	if w.OnEnded != nil {
		if err := w.OnEnded(o); err != nil {
			return err
		}
	}
	if _, twice := w.Outcomes[o.Key]; twice {
		w.t.Errorf("%s ended twice", o.Key)
	}
	if w.begun[o.Key] == 0 {
		w.t.Errorf("%s ended and had not begun", o.Key)
	}
	delete(w.running, o.Key)
	w.Outcomes[o.Key] = o
	return nil
}

// Notice implements study.Watcher.
func (w *Watcher) Notice(text string) { w.Notices = append(w.Notices, text) }

// Again forgets the tasks that a stopped execution left open.
func (w *Watcher) Again() { clear(w.running); w.OnEnded = nil }

// WantResults checks that all tasks ended with their results.
func (w *Watcher) WantResults(list []study.Task) {
	w.t.Helper()
	for _, t := range list {
		o, ok := w.Outcomes[t.Key]
		switch {
		case !ok:
			w.t.Errorf("%s has not ended", t.Key)
		case o.Failure != nil:
			w.t.Errorf("%s failed: %s", t.Key, o.Failure.Message)
		case string(o.Result) != "result of "+t.Key:
			w.t.Errorf("%s has the result %q", t.Key, o.Result)
		}
	}
	if len(w.Outcomes) != len(list) {
		w.t.Errorf("%d tasks ended, want %d", len(w.Outcomes), len(list))
	}
}
