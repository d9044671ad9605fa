package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"weft/study"
)

// Play is the scenario of a test's task. It describes what the run does.
type Play struct {
	// Sleep is a time in milliseconds.
	Sleep int
	// Bytes is the size of the result.
	Bytes int
	// Die, Panic, Crash, Fail, Refuse: do so while the file Until does not exist, if it is
	// named.
	Die, Panic, Crash, Fail, Refuse bool
	Until                           string
	// Log is a file to which each attempt appends a line.
	Log string
	// Wait is a file to wait for. The run then writes its process number to a file of that
	// name with .pid.
	Wait string
	// Read is a file whose content is the result.
	Read string
}

func runner(ctx context.Context, t study.Task, progress func(float64)) ([]byte, *study.Failure) {
	var p Play
	if err := json.Unmarshal(t.Scenario, &p); err != nil {
		return nil, &study.Failure{Message: err.Error(), Permanent: true}
	}
	if p.Log != "" {
		f, err := os.OpenFile(p.Log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return nil, &study.Failure{Message: err.Error()}
		}
		fmt.Fprintln(f, t.Key)
		f.Close()
	}
	for end := time.Now().Add(time.Duration(p.Sleep) * time.Millisecond); time.Now().Before(end) || p.Wait != "" && !Exists(p.Wait); {
		if ctx.Err() != nil {
			return nil, &study.Failure{Message: "interrupted"}
		}
		time.Sleep(2 * time.Millisecond)
		progress(0.5)
	}
	if p.Until == "" || !Exists(p.Until) {
		switch {
		case p.Die:
			self, _ := os.FindProcess(os.Getpid())
			_ = self.Kill()
			select {}
		case p.Panic:
			panic("as told")
		case p.Crash:
			go func() { panic("in a thread of the engine") }()
			select {}
		case p.Fail:
			return nil, &study.Failure{Message: "no memory"}
		case p.Refuse:
			return nil, &study.Failure{Message: "no such topology", Permanent: true}
		}
	}
	if p.Read != "" {
		b, err := os.ReadFile(p.Read)
		if err != nil {
			return nil, &study.Failure{Message: err.Error()}
		}
		return b, nil
	}
	if p.Bytes > 0 {
		return []byte(strings.Repeat("x", p.Bytes)), nil
	}
	return []byte("result of " + t.Key), nil
}

// Exists reports whether a file exists.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Task returns a task whose run does what p says.
func Task(t testing.TB, key string, p Play) study.Task {
	t.Helper()
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return study.Task{Key: key, Cell: "cell", Name: "run " + key, Scenario: b, Seed: 1}
}

// Tasks returns n such tasks.
func Tasks(t testing.TB, n int, p Play) []study.Task {
	list := make([]study.Task, n)
	for i := range list {
		list[i] = Task(t, fmt.Sprintf("run-%04d", i), p)
	}
	return list
}
