//go:build unix

package jetstream

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"weft/study"
	"weft/study/internal/enginetest"
	"weft/study/remote"
)

// outcomesAt counts the outcomes of a study on a server.
func outcomesAt(t *testing.T, q *queue, s scope) int {
	t.Helper()
	there, err := q.present(t.Context(), outcomeStream, s.outcomes())
	if err != nil {
		t.Fatal(err)
	}
	return len(there)
}

// A stranger leaves messages for a study before it begins, and while it runs: such as cannot be
// read, and failures of attempts that were never made. All of its runs end with their results at
// their first attempt, and no message is met again.
func TestOutcomesOfStrangersAreDropped(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	o := sharedOptions(url)
	o.RetryDelay, o.MaxAttempts = time.Millisecond, 3
	q, s := queueAt(t, url), newScope(o.Program, o.Study)
	ctx := enginetest.Timeout(t, 60*time.Second)
	if err := q.prepare(ctx); err != nil {
		t.Fatal(err)
	}
	encoded := func(m outcomeMeta) []byte {
		b, err := m.encode([]byte("a result"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	list := enginetest.Tasks(t, 12, enginetest.Play{})
	bodies := [][]byte{
		nil, {0xff}, []byte("nonsense"), bytes.Repeat([]byte{0x80}, 20),
		encoded(outcomeMeta{}),
		encoded(outcomeMeta{Key: list[1].Key}), // of another run
		encoded(outcomeMeta{Key: list[6].Key, Object: "input/abc"}),
		encoded(outcomeMeta{Key: list[7].Key, Object: resultsOf(list[7].Key) + "none"}),
		append([]byte{0x90, 0x4e}, encoded(outcomeMeta{Key: list[8].Key})...),
		encoded(outcomeMeta{Key: list[9].Key, Session: "s", Attempt: 1, Failure: &study.Failure{Message: "forged", Permanent: true}}),
		encoded(outcomeMeta{Key: list[10].Key, Session: "s", Attempt: 1, Failure: &study.Failure{Message: "forged"}, Lost: true}),
	}
	send := func(i int) {
		// More often than a run may fail.
		for range 2 * o.MaxAttempts {
			body := bodies[i%len(bodies)]
			if _, err := q.js.Publish(ctx, s.outcome(list[i%len(bodies)].Key), body); err != nil {
				t.Error(err)
			}
		}
	}
	for i := range bodies {
		send(i)
	}
	if _, err := q.js.Publish(ctx, s.outcome("no-run-of-it"), []byte("nonsense")); err != nil {
		t.Fatal(err)
	}
	work(t, remote.WorkerOptions{URL: url})
	w := enginetest.NewWatcher(t)
	w.OnBegan = func(key, _ string) {
		if key == list[len(list)-1].Key {
			for i := range bodies {
				send(i)
			}
		}
	}
	if err := New(o).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	for i, task := range list {
		if n := w.Outcomes[task.Key].Attempts; n != 1 {
			t.Errorf("run %d has %d attempts, not 1", i, n)
		}
	}
	// What came in after the last result waits for the next execution, which may end before it
	// has met all of it.
	enginetest.Eventually(t, "no outcome stays", func() bool {
		again := enginetest.NewWatcher(t)
		if err := New(o).Execute(ctx, enginetest.Tasks(t, 1, enginetest.Play{}), again); err != nil || len(again.Losses) != 0 {
			t.Fatalf("it goes on: %v, lost %q", err, again.Losses)
		}
		return outcomesAt(t, q, s) == 0
	})
}

// Messages that are no tasks are dropped, and the worker goes on.
func TestWorkersDropWhatIsNoTask(t *testing.T) {
	url := serve(t, remote.ServeOptions{})
	o := sharedOptions(url)
	q, s := queueAt(t, url), newScope(o.Program, o.Study)
	ctx := enginetest.Timeout(t, 30*time.Second)
	if err := q.prepare(ctx); err != nil {
		t.Fatal(err)
	}
	for _, header := range []string{
		"", "x", "s 1 30s true", "s 1 1ns true key", "s 1 -5s true key", "s 1 9999h true key", "s -1 30s true key",
		"s 1 30s true another", "s 1 30s maybe key", strings.Repeat("s", 5000) + " 1 30s true key", "s 1 30s true key\x1b[2J",
	} {
		msg := nats.NewMsg(s.task("key"))
		msg.Header.Set(taskHeader, header)
		if _, err := q.js.PublishMsg(ctx, msg); err != nil {
			t.Fatal(err)
		}
	}
	said := make(chan string, 100)
	work(t, remote.WorkerOptions{URL: url, Notice: func(text string) { said <- text }})
	enginetest.Eventually(t, "all are dropped", func() bool {
		there, err := q.present(ctx, taskStream, s.tasks())
		return err == nil && len(there) == 0
	})
	list := enginetest.Tasks(t, 2, enginetest.Play{})
	w := enginetest.NewWatcher(t)
	if err := New(o).Execute(ctx, list, w); err != nil {
		t.Fatal(err)
	}
	w.WantResults(list)
	for len(said) > 0 {
		if text := <-said; strings.ContainsAny(text, "\x1b\n") || len(text) > 1000 {
			t.Errorf("it says %q", text)
		}
	}
}

// An outcome cannot have the study remove or read other files of its bucket.
func TestOutcomesNameTheirOwnResults(t *testing.T) {
	for object, ok := range map[string]bool{
		"": true, "result/key/x": true, "result/key2/x": false, "input/abc": false, "result/": false, "../result/key/x": false,
	} {
		b, err := outcomeMeta{Key: "key", Object: object}.encode(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := decodeOutcome(b); (err == nil) != ok {
			t.Errorf("%q: %v", object, err)
		}
	}
}

// Inputs that are no files are neither read nor waited for.
func TestInputsAreFiles(t *testing.T) {
	in := newInputs(t.TempDir())
	for _, path := range []string{"/dev/zero", t.TempDir(), os.DevNull} {
		if hash, err := in.files.Hash(path); err == nil {
			t.Errorf("%s has the hash %s", path, hash)
		}
	}
	for path, want := range map[string]string{
		"a/sizes.csv": ".csv", "a": "", "a.b/c": "", "x.properties": ".properties", "x." + strings.Repeat("y", 300): "", "x.a\x1bb": "", "x.": ".",
	} {
		if got := extension(path); got != want && !(want == "." && got == "") {
			t.Errorf("%q: %q", path, got)
		}
	}
}
