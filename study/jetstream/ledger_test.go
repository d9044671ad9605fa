package jetstream

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"weft/study"
	"weft/study/internal/enginetest"
	"weft/study/remote"
	"weft/study/workers"
)

func TestVerdicts(t *testing.T) {
	lack, refusal := &study.Failure{Message: "no memory"}, &study.Failure{Message: "refused", Permanent: true}
	sent := entry{state: queued, session: "s", attempt: 2}
	for name, c := range map[string]struct {
		entry entry
		news  outcomeMeta
		want  verdict
		says  string
	}{
		"result":                       {sent, outcomeMeta{Session: "s", Attempt: 2}, finish, ""},
		"result of another attempt":    {sent, outcomeMeta{Session: "s", Attempt: 1}, finish, ""},
		"result of another execution":  {sent, outcomeMeta{Session: "r", Attempt: 7}, finish, ""},
		"result before it was sent":    {entry{}, outcomeMeta{Session: "r", Attempt: 1}, finish, ""},
		"result while it rests":        {entry{state: resting, session: "s", attempt: 2}, outcomeMeta{Session: "s", Attempt: 2}, finish, ""},
		"second result":                {entry{state: ended}, outcomeMeta{Session: "s", Attempt: 2}, ignore, ""},
		"refusal":                      {sent, outcomeMeta{Session: "s", Attempt: 2, Failure: refusal}, finish, "refused"},
		"refusal of another":           {sent, outcomeMeta{Session: "r", Attempt: 2, Failure: refusal}, ignore, ""},
		"refusal of another attempt":   {sent, outcomeMeta{Session: "s", Attempt: 1, Failure: refusal}, ignore, ""},
		"refusal before it was sent":   {entry{}, outcomeMeta{Failure: refusal}, ignore, ""},
		"refusal while it rests":       {entry{state: resting, session: "s", attempt: 2}, outcomeMeta{Session: "s", Attempt: 2, Failure: refusal}, ignore, ""},
		"crash of another":             {sent, outcomeMeta{Session: "r", Attempt: 2, Failure: refusal, Lost: true}, ignore, ""},
		"lack before it was sent":      {entry{}, outcomeMeta{Failure: lack}, ignore, ""},
		"lack":                         {sent, outcomeMeta{Session: "s", Attempt: 2, Failure: lack}, repeat, "no memory"},
		"lack of an attempt gone by":   {sent, outcomeMeta{Session: "s", Attempt: 1, Failure: lack}, ignore, ""},
		"lack of a former execution":   {sent, outcomeMeta{Session: "r", Attempt: 2, Failure: lack}, ignore, ""},
		"lack of one that was adopted": {entry{state: queued, session: "r", attempt: 4}, outcomeMeta{Session: "r", Attempt: 4, Failure: lack}, repeat, "no memory"},
		"lack told twice":              {entry{state: resting, session: "s", attempt: 2}, outcomeMeta{Session: "s", Attempt: 2, Failure: lack}, ignore, ""},
		"third lack":                   {entry{state: queued, session: "s", attempt: 2, tries: workers.Tries{Failed: 2}}, outcomeMeta{Session: "s", Attempt: 2, Failure: lack}, finish, "it failed 3 times, last: no memory"},
		"third death":                  {entry{state: queued, session: "s", attempt: 2, tries: workers.Tries{Failed: 2}}, outcomeMeta{Session: "s", Attempt: 2, Failure: lack, Lost: true}, finish, "its process died 3 times, last: no memory"},
		"crash":                        {sent, outcomeMeta{Session: "s", Attempt: 2, Failure: refusal, Lost: true}, finish, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.entry
			got, failure := e.outcome(c.news, 3)
			if got != c.want {
				t.Errorf("verdict %d, want %d", got, c.want)
			}
			said := ""
			if failure != nil {
				said = failure.Message
			}
			if said != c.says {
				t.Errorf("it says %q, want %q", said, c.says)
			}
		})
	}
}

func TestTaskMetaTravels(t *testing.T) {
	want := taskMeta{Key: "a key with spaces", Session: "s", Attempt: 3, AckWait: 1500 * time.Millisecond, Inputs: true}
	got, err := readTaskMeta(taskMessage("x", want, nil).Header)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", "s 1 1s true", "s 1 1s true ", "s x 1s true k", "s 1 1 true k", "s 1 0s true k", "s 1 1s maybe k"} {
		if m, err := readTaskMeta(nats.Header{taskHeader: {text}}); err == nil {
			t.Errorf("%q is read as %+v", text, m)
		}
	}
}

func FuzzOutcomes(f *testing.F) {
	for _, m := range []outcomeMeta{{Key: "k"}, {Key: "k", Failure: &study.Failure{Message: "m"}, Object: resultsOf("k") + "o"}} {
		b, err := m.encode([]byte("packed"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)-8])
	}
	f.Add([]byte{})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, body []byte) {
		m, packed, err := decodeOutcome(body)
		if err != nil {
			return
		}
		again, err := m.encode(packed)
		if err != nil {
			t.Fatal(err)
		}
		m2, packed2, err := decodeOutcome(again)
		if err != nil || string(packed2) != string(packed) || cmp.Diff(m, m2) != "" {
			t.Errorf("%q is %+v and %q, then %+v and %q (%v)", body, m, packed, m2, packed2, err)
		}
	})
}

// FuzzTaskMeta reads any header of a task, and its body as a worker's supervisor does.
func FuzzTaskMeta(f *testing.F) {
	good := taskMessage("x", taskMeta{Key: "k", Session: "s", Attempt: 3, AckWait: time.Second, Inputs: true}, nil).Header.Get(taskHeader)
	f.Add(good, "weft.task.p.s.k", []byte(`{"key": "k", "scenario": {"a": "/x"}, "inputs": [{"path": "/x", "sha256": "00"}]}`))
	f.Add("", "", []byte{})
	f.Add("s 1 1ns true k", "weft.task...", []byte(`{"inputs": [{}]}`))
	in := newInputs("")
	f.Fuzz(func(t *testing.T, header, subject string, body []byte) {
		if m, err := readTaskMeta(nats.Header{taskHeader: {header}}); err == nil {
			again, err := readTaskMeta(taskMessage("x", m, nil).Header)
			if err != nil || again != m {
				t.Errorf("%q is %+v, then %+v (%v)", header, m, again, err)
			}
			if m.AckWait/3 <= 0 {
				t.Errorf("%q: heard of every %v", header, m.AckWait/3)
			}
		}
		if s, ok := scopeOf(subject); ok && !strings.HasPrefix(subject, s.task("")[:len(taskSubjects)]) {
			t.Errorf("%q is of %+v", subject, s)
		}
		if local, failure := in.localize(t.Context(), nil, scope{}, body); failure == nil && !json.Valid(local) {
			t.Errorf("%q becomes %q", body, local)
		}
	})
}

// FuzzNews has a coordinator hear any outcomes and events of its only task.
func FuzzNews(f *testing.F) {
	for _, m := range []outcomeMeta{{Key: "k", Session: "s", Attempt: 1}, {Key: "k", Failure: &study.Failure{Message: "m"}}, {Key: "k", Failure: &study.Failure{Permanent: true}, Lost: true}} {
		b, err := m.encode([]byte("packed"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, []byte(`{"kind": "began", "key": "k", "session": "s", "attempt": 1, "worker": "w"}`), []byte(`{"kind": "progress", "key": "k", "worker": "v", "share": 0.5}`), false)
		f.Add(b, []byte(`{"kind": "returned", "key": "k", "worker": "w"}`), []byte(`{"kind": "began", "key": "k", "worker": "w"}`), true)
	}
	f.Fuzz(func(t *testing.T, body, first, second []byte, refuses bool) {
		w := enginetest.NewWatcher(t)
		if refuses {
			w.OnEnded = func(o study.Outcome) error {
				if o.Failure == nil {
					return study.ErrNotResult
				}
				return nil
			}
		}
		e := &entry{task: study.Task{Key: "k"}, state: queued, session: "s", attempt: 1}
		c := &coordinator{Options: remote.Options{MaxAttempts: 2, RetryDelay: time.Hour}, watcher: w, notes: newMailbox(), entries: map[string]*entry{"k": e}, order: []*entry{e}, open: 1, sent: 1}
		c.queue = &queue{}
		for _, b := range [][]byte{first, second} {
			var ev event
			if json.Unmarshal(b, &ev) == nil && ev.Kind != eventBegan {
				if err := c.event(t.Context(), ev); err != nil {
					t.Fatal(err)
				}
			}
		}
		m, packed, err := decodeOutcome(body)
		if err != nil || m.Key != "k" || m.Lost {
			return // what is lost is sent again, for which there is no server here
		}
		if err := c.settle(t.Context(), e, m, packed); err != nil {
			t.Fatal(err)
		}
		if e.state == ended != (len(w.Outcomes) == 1) || c.open != 1-len(w.Outcomes) {
			t.Errorf("state %d, %d outcomes, %d open", e.state, len(w.Outcomes), c.open)
		}
	})
}

func TestTokens(t *testing.T) {
	for text, plain := range map[string]bool{
		"0123abcdef": true, "Run-1_x": true, "": false, "a.b": false, "a*": false, "a>": false, "a b": false, "ü": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		got := token(text)
		if (got == text) != plain || got == "" || strings.ContainsAny(got, ".*> ") {
			t.Errorf("%q is %q", text, got)
		}
	}
	if token("a.b") == token("a.c") {
		t.Error("tokens of different texts are the same")
	}
	s := newScope("weft 1", "study")
	if got, ok := scopeOf(s.task("key")); !ok || got != s {
		t.Errorf("the scope of %s is %v", s.task("key"), got)
	}
	for _, subject := range []string{"", "weft.task.a.b", "weft.task.a.b.c.d", "other.task.a.b.c"} {
		if got, ok := scopeOf(subject); ok {
			t.Errorf("the scope of %q is %v", subject, got)
		}
	}
}

func TestStringsAreReplacedAndNothingElse(t *testing.T) {
	in := `{"a":"/x","b":["/x","/x/y",{"/x":"/x"}],"n":12345678901234567890,"f":1e400,"h":"<&>","t":true,"z":null}`
	want := `{"a":"/c","b":["/c","/x/y",{"/x":"/c"}],"f":1e400,"h":"<&>","n":12345678901234567890,"t":true,"z":null}`
	got, err := replaceStrings(json.RawMessage(in), map[string]string{"/x": "/c"})
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// TestUnreadableOutcomesOfWorkers: if the server has neither the task nor an outcome, the message
// that could not be read was a worker's, and its attempt has failed.
func TestUnreadableOutcomesOfWorkers(t *testing.T) {
	w := enginetest.NewWatcher(t)
	e := &entry{task: study.Task{Key: "k"}, state: queued, session: "s", attempt: 1, sent: time.Now().Add(-time.Second), unread: "its outcome cannot be read: cut off"}
	c := &coordinator{Options: remote.Options{MaxAttempts: 2, RetryDelay: time.Hour}, watcher: w, notes: newMailbox(), scope: newScope("p", "s"),
		entries: map[string]*entry{"k": e}, order: []*entry{e}, open: 1, sent: 1}
	h := holdings{asked: time.Now(), tasks: map[string]uint64{c.scope.task("k"): 1}}
	if err := c.compare(t.Context(), h); err != nil || e.state != queued || e.tries.Failed != 0 {
		t.Errorf("while a worker has it: state %d, %d failed, %v", e.state, e.tries.Failed, err)
	}
	h.tasks = nil
	if err := c.compare(t.Context(), h); err != nil || e.state != resting || e.tries.Failed != 1 || len(w.Losses) != 1 {
		t.Errorf("state %d, %d failed, lost %q, %v", e.state, e.tries.Failed, w.Losses, err)
	}
	e.state, c.sent = queued, 1
	if err := c.compare(t.Context(), h); err != nil || e.state != ended || w.Outcomes["k"].Failure == nil || w.Outcomes["k"].Attempts != 2 {
		t.Errorf("state %d, %+v, %v", e.state, w.Outcomes, err)
	}
}
