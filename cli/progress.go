package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"weft/scenario"
	"weft/unit"
)

// watch reads the progress of a process to its end, and shows it on a terminal as
// one line that is painted over. It returns why the process failed, if it says so.
func (v *variantRun) watch(from io.Reader) (failure string) {
	onTerminal := isTerminal(v.stderr)
	started := time.Now()
	shown := false
	what := "network"
	share, built := v.share(v.name() + "  " + what)
	for d := json.NewDecoder(from); ; {
		var p progress
		if d.Decode(&p) != nil {
			break
		}
		if p.Failure != "" {
			failure = p.Failure
			continue
		}
		if p.Building != "" {
			if p.Building != what {
				built()
				what = p.Building
				share, built = v.share(v.name() + "  " + what)
			}
			if share != nil {
				share(p.Share)
			}
			continue
		}
		if what != "" {
			built()
			what, started = "", time.Now()
		}
		if onTerminal {
			repaintLine(v.stderr, v.line(p, time.Since(started)))
			shown = true
		}
	}
	built()
	if shown {
		control(v.stderr, clearLine)
	}
	// A process that writes on must not be held up.
	_, _ = io.Copy(io.Discard, from)
	return failure
}

// name is the variant, with its number of several.
func (v *variantRun) name() string {
	name := cmp.Or(v.as, v.scenario.Variant)
	if v.of > 1 {
		return fmt.Sprintf("[%d/%d] %s", v.number, v.of, name)
	}
	return name
}

// line writes how far a run is after some time.
func (v *variantRun) line(p progress, took time.Duration) string {
	text := v.name()
	share := scenario.Progress{
		Now: unit.Time(p.Now), Until: unit.Time(p.Until),
		Delivered: unit.Bytes(p.Delivered), Total: unit.Bytes(p.Total),
	}.Share()
	if share > 0 {
		text += fmt.Sprintf("  %3.0f%%", 100*share)
	}
	text += fmt.Sprintf("  at %.1f us", float64(p.Now)/float64(unit.Microsecond))
	if seconds := took.Seconds(); seconds > 0.5 {
		text += fmt.Sprintf("  %.1f M events/s", float64(p.Events)/seconds/1e6)
		if share > 0.01 && share < 1 {
			left := time.Duration(float64(took) * (1 - share) / share)
			text += fmt.Sprintf("  about %v left", left.Round(time.Second))
		}
	}
	return text
}

// width is how many characters fit into a line of the terminal that w is; 0 if it is
// none, or if all columns are wanted.
func width(w io.Writer, wide bool) int {
	f, isFile := fileOf(w)
	if !isFile || wide {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// addWide adds the flag for tables that are wider than the terminal.
func addWide(c *cobra.Command, wide *bool) {
	c.Flags().BoolVar(wide, "wide", false, "show all columns, even if they do not fit the terminal; pipes always get all")
}

func isTerminal(w io.Writer) bool {
	f, isFile := fileOf(w)
	return isFile && term.IsTerminal(int(f.Fd()))
}

// quietFor is after what time progress is shown.
const quietFor = 2 * time.Second

// share returns a function that shows, on a terminal, which share of a computation
// is done, if it takes long; and one that removes what is shown.
func (p *program) share(name string) (progress func(float64), done func()) {
	if !isTerminal(p.stderr) {
		return nil, func() {}
	}
	started := time.Now()
	var lock sync.Mutex
	var shown time.Time
	var reached float64
	show := func() { // with the lock
		shown = time.Now()
		took := time.Since(started)
		if reached <= 0 {
			repaintLine(p.stderr, fmt.Sprintf("%s  building, for %v", name, took.Round(time.Second)))
			return
		}
		left := time.Duration(float64(took) * (1 - reached) / reached)
		repaintLine(p.stderr, fmt.Sprintf("%s  %3.0f%%  about %v left", name, 100*reached, left.Round(time.Second)))
	}
	progress = func(share float64) {
		lock.Lock()
		defer lock.Unlock()
		reached = share
		if time.Since(started) >= quietFor && time.Since(shown) >= quietFor/10 && share > 0 {
			show()
		}
	}
	// Nothing is reported while a graph is built, nor within a long search.
	over := make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		tick := time.NewTicker(quietFor)
		defer tick.Stop()
		for {
			select {
			case <-over:
				return
			case <-tick.C:
				lock.Lock()
				show()
				lock.Unlock()
			}
		}
	})
	return progress, sync.OnceFunc(func() {
		close(over)
		ticking.Wait()
		if !shown.IsZero() {
			control(p.stderr, clearLine)
		}
	})
}
