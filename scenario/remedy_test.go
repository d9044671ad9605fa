package scenario_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"weft"
	"weft/record"
	"weft/scenario"
)

// remedy is a small scenario that raises a notice. What the notice says to write is read from its text and done; the notice must be
// gone then, and the run no worse.
type remedy struct {
	name, text string
	says       string // part of the notice
	// at are the places of keys that are not written in full; "it" is what is left out.
	at map[string]string
	// by is what to set where the text says it in words only.
	by []string
	// fewer tells that the notice may stay, with a smaller number in the beginning.
	fewer bool
	gain  gain
	// of is what must become less; nil is the mean completion time.
	of   func(*record.Summary) float64
	sets []string // what the command line says
	// files are those that the scenario names, in the folder DIR, and recounted the same with the number that a notice says to write there.
	files, recounted map[string]string
}

// gain is what a remedy does to the run.
type gain int

const (
	// faster: the messages take less time, or fewer frames are lost or sent again, and neither is worse by much.
	faster gain = iota
	// noWorse: they do not take longer.
	noWorse
	// same: nothing changes, since the option had no effect.
	same
	// noted: the notice is about what numbers mean, and not about the run.
	noted
	// planned: there is nothing to run for; the scenario must be accepted.
	planned
)

// outcome is what came of a scenario.
type outcome struct {
	notices []string
	summary record.Summary
}

// try runs a scenario, or plans it.
func (r *remedy) try(t *testing.T, files map[string]string, sets ...string) (outcome, error) {
	t.Helper()
	text := r.text
	if len(files) > 0 {
		dir := t.TempDir()
		text = strings.ReplaceAll(text, "DIR", dir)
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	f, err := scenario.Parse("testdata/scenario.yaml", []byte(text), weft.Builtin(), exactly(text, sets))
	if err != nil {
		return outcome{}, err
	}
	v := f.Variants[len(f.Variants)-1]
	if r.gain == planned {
		notices, err := v.Verify()
		return outcome{notices: append(f.Notices, notices...)}, err
	}
	res, err := scenario.Run(t.Context(), v, scenario.RunOptions{})
	if err != nil {
		return outcome{}, err
	}
	list := append(f.Notices, res.Manifest.Notices...)
	for _, n := range res.Summary.Notices() {
		if n.Kind == record.NoticeUnfinished { // the others are there
			list = append(list, n.Text)
		}
	}
	return outcome{append(list, res.Summary.Cause), res.Summary}, nil
}

// raised returns the notice that a row is about, "" if it is not there.
func (r *remedy) raised(notices []string) string {
	if i := slices.IndexFunc(notices, func(n string) bool { return strings.Contains(n, r.says) }); i >= 0 {
		return notices[i]
	}
	return ""
}

// troubles counts frames that were lost or sent again.
func (o *outcome) troubles() int64 {
	s := &o.summary
	return s.Drops.Total() + s.Trims + s.Retransmits
}

// worse says what is worse, or not better if it must be; "" if all is well.
func (r *remedy) worse(g gain, before, after outcome) string {
	was, is := &before.summary, &after.summary
	switch {
	case g == planned || g == noted:
		return ""
	case is.Unfinished > was.Unfinished:
		return fmt.Sprintf("%d messages did not finish in place of %d", is.Unfinished, was.Unfinished)
	case g == same && is.ResultHash != was.ResultHash:
		return "the result is another"
	case is.Unfinished < was.Unfinished, g == same:
		return ""
	}
	of := r.of
	if of == nil {
		of = func(s *record.Summary) float64 { return float64(s.FCT.Mean) }
	}
	then, now, lost, losses := of(was), of(is), before.troubles(), after.troubles()
	if now > 1.01*then || now > then && losses > lost || g == faster && now >= then && losses >= lost {
		return fmt.Sprintf("it is %.6g in place of %.6g, with %d frames lost or sent again in place of %d", now, then, losses, lost)
	}
	return ""
}

var (
	counts = regexp.MustCompile(`write (\d+) there`)
	resets = regexp.MustCompile(`write --set (\S+) for it`)
)

// TestRemediesHelp does what each notice advises.
func TestRemediesHelp(t *testing.T) {
	t.Parallel()
	oneThread(t)
	var told sync.Map
	t.Run("rows", func(t *testing.T) {
		for i := range remedyRows {
			r := &remedyRows[i]
			t.Run(r.name, func(t *testing.T) {
				before, err := r.try(t, r.files, r.sets...)
				if err != nil {
					t.Fatalf("%v\n%s", err, r.text)
				}
				notice := r.raised(before.notices)
				if notice == "" {
					t.Fatalf("no notice says %q, of\n%s", r.says, strings.Join(before.notices, "\n"))
				}
				told.Store(notice, true)
				tries, files := [][]string{}, r.files
				if m := counts.FindStringSubmatch(notice); m != nil {
					tries, files = append(tries, nil), map[string]string{}
					for name, content := range r.recounted {
						files[name] = fmt.Sprintf(content, m[1])
					}
				}
				if m := resets.FindStringSubmatch(notice); m != nil {
					tries = append(tries, []string{m[1]})
				}
				for _, alternative := range remedies(notice) {
					var sets []string
					for _, c := range alternative {
						set, ok := c.set(r.at)
						if !ok {
							t.Fatalf("the row has no place for %s, which is in %q", c.key, notice)
						}
						sets = append(sets, set)
					}
					tries = append(tries, sets)
				}
				if r.by != nil {
					tries = append(tries, r.by)
				}
				if len(tries) == 0 {
					t.Fatalf("nothing to write in %q", notice)
				}
				for _, sets := range tries {
					after, err := r.try(t, files, sets...)
					if err != nil {
						t.Errorf("%v, for %q and %q", err, sets, notice)
						continue
					}
					if again := r.raised(after.notices); again != "" && !(r.fewer && leading(again) < leading(notice)) {
						t.Errorf("%q does not help: %s", sets, again)
					}
					want := r.gain
					if want == same && !strings.HasSuffix(sets[0], "=null") && r.by == nil { // the other way is to have an effect
						want = noWorse
					}
					if text := r.worse(want, before, after); text != "" {
						t.Errorf("%q: %s, for %s", sets, text, notice)
					}
				}
			})
		}
	})
	t.Run("all", func(t *testing.T) { everyAdviceIsTried(t, &told) })
}

// leading returns the number that a notice begins with.
func leading(notice string) (n int) {
	if _, err := fmt.Sscan(notice, &n); err != nil {
		panic(err)
	}
	return n
}

// everyAdviceIsTried checks that each text in the code that advises, and is in no error, is in a notice that a row raised, or exempt.
func everyAdviceIsTried(t *testing.T, told *sync.Map) {
	list, tells := texts(t, ".", "../protocol", "../route", "../fault", "../record", "../transport", "../topo", "../workload", "../fabric")
	if len(list) < 100 {
		t.Fatalf("%d texts were found; the test looks at the wrong places", len(list))
	}
	why, used := map[string]string{}, map[string]bool{}
	for reason, of := range exempt {
		for _, one := range of {
			why[one] = reason
		}
	}
	for _, one := range list {
		if why[one.file] != "" && tells[one.file] {
			t.Errorf("%s makes notices, so that it cannot be exempt as a whole", one.file)
		}
		if why[one.file] != "" || why[one.text] != "" {
			used[one.file], used[one.text] = true, true
			continue
		}
		p, tried := pattern(one.text), false
		told.Range(func(notice, _ any) bool {
			tried = p.MatchString(notice.(string))
			return !tried
		})
		if !tried {
			t.Errorf("%s: no row of remedyRows follows %q", one.file, one.text)
		}
	}
	for one, reason := range why {
		if !used[one] {
			t.Errorf("nothing has %q, of which exempt says: %s", one, reason)
		}
	}
}
