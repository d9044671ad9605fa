package study

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"weft/record"
)

// TestStoreRefusesWhatIsTooLarge puts a file where a packed result would be, and where a failure would, that is larger than either
// can be. Neither is read into memory.
func TestStoreRefusesWhatIsTooLarge(t *testing.T) {
	key := strings.Repeat("a1", 16)
	s := Store{Dir: t.TempDir()}
	for _, ending := range []string{packedEnding, failedEnding} {
		path := s.place(key) + ending
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 3*record.MostPacked); err != nil { // which takes no room on disk
			t.Skip(err)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := s.Result(key)
	_, sumErr := s.summary(key)
	_, _, inspectErr := s.inspect(key)
	_, _, failureErr := s.entry(key, failure)
	runtime.ReadMemStats(&after)
	for what, err := range map[string]error{"result": err, "summary": sumErr, "inspected": inspectErr, "failure": failureErr} {
		if err == nil || !strings.Contains(err.Error(), "is larger than") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err == nil || !strings.Contains(err.Error(), "run the study again") {
		t.Errorf("no remedy: %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("%d bytes were allocated to refuse them", took)
	}
}
