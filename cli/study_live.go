package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"weft/internal/printable"
	"weft/study"
)

// live shows how a study fares: a small table that is painted over on a terminal,
// and a line now and then elsewhere. It is a study.Watcher.
type live struct {
	out      io.Writer
	terminal bool
	plan     *study.Plan
	part     study.Part
	now      func() time.Time

	mu      sync.Mutex
	began   time.Time
	cells   map[string]int // of runs, by key
	total   int            // runs that are to be executed
	had     int            // runs that were there
	done    int
	partial int
	failed  int
	running map[string]*inFlight
	most    int // that ran at a time
	took    estimate
	byCell  map[int]*estimate
	latest  string                 // failure
	around  func(ended int) string // how what this study belongs to fares; or nil
	painted int                    // lines on the terminal
	said    time.Time
	notices map[string]bool
}

// inFlight is a run that is being executed.
type inFlight struct {
	worker string
	since  time.Time
	share  float64
}

// tellingShare is how much of a run must be done until its speed says how long all of it
// takes: it begins empty, and a packet network fills.
const tellingShare = 0.02

// whole is how long a run takes at the speed that it had, 0 if too little is done.
func (r *inFlight) whole(now time.Time) time.Duration {
	if r.share < tellingShare {
		return 0
	}
	return time.Duration(float64(now.Sub(r.since)) / r.share)
}

// estimate is a mean of durations.
type estimate struct {
	sum time.Duration
	n   int
}

func (e *estimate) add(d time.Duration) { e.sum += d; e.n++ }

func (e *estimate) mean() time.Duration {
	if e == nil || e.n == 0 {
		return 0
	}
	return e.sum / time.Duration(e.n)
}

const (
	repaintEvery = 200 * time.Millisecond
	// sayEvery is how often a line tells the state where there is no terminal.
	sayEvery = 15 * time.Second
)

// newLive is of a part of a plan.
func newLive(out io.Writer, p *study.Plan, part study.Part) *live {
	l := &live{
		out: out, terminal: isTerminal(out), plan: p, part: part, now: time.Now,
		cells: map[string]int{}, running: map[string]*inFlight{}, byCell: map[int]*estimate{}, notices: map[string]bool{},
	}
	for _, r := range p.Runs() {
		l.cells[r.Key] = r.Cell
	}
	return l
}

// planned notes what is there and what is to be done.
func (l *live) planned(have []study.Entry, missing int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.began, l.said = l.now(), l.now()
	l.total, l.had = missing, len(have)
	for _, e := range have {
		l.learn(e.Key, e.Took)
	}
	text := l.plan.Name + ": " + product(l.plan, len(l.plan.In(l.part)))
	if l.had > 0 {
		text += fmt.Sprintf(", of which %d are there", l.had)
	}
	fmt.Fprintln(l.out, text)
}

func (l *live) learn(key string, took time.Duration) {
	if took <= 0 {
		return
	}
	l.took.add(took)
	c := l.cells[key]
	if l.byCell[c] == nil {
		l.byCell[c] = new(estimate)
	}
	l.byCell[c].add(took)
}

// show repaints until the context ends.
func (l *live) show(ctx context.Context) {
	tick := time.NewTicker(repaintEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			l.mu.Lock()
			l.clear()
			l.mu.Unlock()
			return
		case <-tick.C:
			l.mu.Lock()
			l.tick()
			l.mu.Unlock()
		}
	}
}

func (l *live) tick() {
	switch now := l.now(); {
	case l.began.IsZero():
	case l.terminal:
		l.paint()
	case now.Sub(l.said) >= sayEvery:
		l.said = now
		fmt.Fprintln(l.out, l.headline())
	}
}

func (l *live) clear() {
	if l.painted > 0 {
		control(l.out, fmt.Sprintf(clearBelow, l.painted))
		l.painted = 0
	}
}

// paint writes the table over the one before.
func (l *live) paint() {
	width, height := 80, 24
	if f, ok := fileOf(l.out); ok {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 20 && h > 4 {
			width, height = w, h
		}
	}
	lines := []string{l.headline(), l.bar(min(width-1, 72))}
	keys := slices.SortedFunc(maps.Keys(l.running), func(a, b string) int {
		return cmp.Or(cmp.Compare(l.running[a].worker, l.running[b].worker), cmp.Compare(a, b))
	})
	for _, key := range keys[:min(len(keys), max(1, height-5))] {
		r := l.running[key]
		share := "    "
		if r.share > 0 {
			share = fmt.Sprintf("%3.0f%%", 100*r.share)
		}
		lines = append(lines, fmt.Sprintf("  %s %7s  %s  %s", share, clock(l.now().Sub(r.since)), l.plan.Cells[l.cells[key]].Name, r.worker))
	}
	if l.latest != "" {
		lines = append(lines, "  failed: "+l.latest)
	}
	l.clear()
	for _, line := range lines {
		fmt.Fprintln(l.out, clip(printable.Line(line), width-1))
	}
	l.painted = len(lines)
}

// ended is how many runs did, in whatever way.
func (l *live) ended() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.endedLocked()
}

func (l *live) endedLocked() int { return l.done + l.partial + l.failed }

// headline sums up in a line.
func (l *live) headline() string {
	ended := l.endedLocked()
	text := fmt.Sprintf("%s: %d of %d done, %d running%s", l.plan.Name, ended+l.had, l.total+l.had, len(l.running), l.shares())
	if l.partial > 0 {
		text += fmt.Sprintf(", %d stuck", l.partial)
	}
	if l.failed > 0 {
		text += fmt.Sprintf(", %d failed", l.failed)
	}
	text += ", " + clock(l.now().Sub(l.began))
	if left := l.left(); left > 0 {
		text += ", about " + clock(left) + " left"
	}
	if l.around != nil {
		text += "; " + l.around(ended)
	}
	return text
}

// mostShares is how many runs a line tells the shares of.
const mostShares = 8

// shares tells how far the runs are that are being executed, in an order of their keys; a
// terminal shows each in a line of its own.
func (l *live) shares() string {
	if l.terminal || len(l.running) == 0 || len(l.running) > mostShares {
		return ""
	}
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(l.running)) {
		parts = append(parts, fmt.Sprintf("%.0f%%", 100*l.running[key].share))
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// left estimates the time to the end: what runs of a cell took is what the others
// of it will take, and what is not known takes as long as the mean. A run that is being
// executed goes on as fast as it did.
func (l *live) left() time.Duration {
	if l.most == 0 {
		return 0
	}
	typical := l.took
	for _, r := range l.running {
		if whole := r.whole(l.now()); whole > 0 {
			typical.add(whole)
		}
	}
	if typical.n == 0 {
		return 0
	}
	rest := time.Duration(l.total-l.done-l.partial-l.failed-len(l.running)) * typical.mean()
	longest := time.Duration(0)
	for key, r := range l.running {
		whole := cmp.Or(r.whole(l.now()), l.byCell[l.cells[key]].mean(), typical.mean())
		mine := max(0, whole-l.now().Sub(r.since))
		rest += mine
		longest = max(longest, mine)
	}
	return max(longest, rest/time.Duration(l.most))
}

func (l *live) bar(width int) string {
	all := max(1, l.total+l.had)
	filled := width * (l.done + l.partial + l.failed + l.had) / all
	return strings.Repeat("█", filled) + strings.Repeat("░", width-filled)
}

// clock writes a duration as minutes and seconds.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// clip cuts a line to a width in characters.
func clip(line string, width int) string {
	line, _, _ = strings.Cut(line, "\n")
	if r := []rune(line); len(r) > width {
		return string(r[:max(0, width-1)]) + "…"
	}
	return line
}

func (l *live) Began(key, worker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running[key] = &inFlight{worker: worker, since: l.now()}
	l.most = max(l.most, len(l.running))
}

func (l *live) Progressed(key string, share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := l.running[key]; ok {
		r.share = share
	}
}

func (l *live) Lost(key, worker, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, key)
	l.say(fmt.Sprintf("note: %s starts again; its attempt on %s failed: %s", l.nameOf(key), worker, why))
}

func (l *live) Ended(o study.Outcome) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, o.Key)
	if o.Failure != nil {
		l.failed++
		message, _, _ := strings.Cut(o.Failure.Message, "\n")
		l.latest = l.nameOf(o.Key) + ": " + message
		if !l.terminal {
			l.say("failed: " + l.latest)
		}
		return nil
	}
	if o.Status == study.Partial {
		l.partial++
	} else {
		l.done++
	}
	l.learn(o.Key, o.Took)
	return nil
}

func (l *live) Notice(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.notices[text] {
		l.notices[text] = true
		l.say("note: " + text)
	}
}

// say writes a line that stays.
func (l *live) say(text string) {
	l.clear()
	fmt.Fprintln(l.out, text)
}

func (l *live) nameOf(key string) string {
	if c, ok := l.cells[key]; ok {
		return l.plan.Cells[c].Name
	}
	return key
}
