//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// emulation is a run of weft emulate.
type emulation struct {
	// Weft is the program, File the scenario and Variant one of its variants.
	Weft, File, Variant string
	Sets                []string
	// At are the commands for hosts, in order.
	At []placed
}

// placed is a call of this program, with arguments, on a host.
type placed struct {
	host string
	args []string
}

// report holds the fields of weft emulate --json that are used here.
type report struct {
	Seconds  float64 `json:"seconds"`
	Commands []struct {
		Host, Command, Error string
		Status               int
	} `json:"commands"`
	Packets struct {
		Left    uint64 `json:"left"`
		Dropped uint64 `json:"dropped"`
		Marked  uint64 `json:"marked"`
		Refused uint64 `json:"refused_by_full_hosts"`
		Lost    uint64 `json:"not_read_in_time"`
	} `json:"packets"`
	Late late `json:"late"`
}

// late is how late packets were.
type late struct {
	P50      float64 `json:"p50_us"`
	P99      float64 `json:"p99_us"`
	Worst    float64 `json:"worst_us"`
	P99Frame float64 `json:"p99_frames"`
	Void     bool    `json:"void"`
}

// run runs the emulation. A run with packets that were too late still has a report;
// a run with a failed command has none.
func (e *emulation) run(ctx context.Context) (*report, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"emulate", e.File, "--json"}
	if e.Variant != "" {
		args = append(args, "--variant", e.Variant)
	}
	for _, s := range e.Sets {
		args = append(args, "--set", s)
	}
	for _, p := range e.At {
		words := []string{"exec", quote(self)}
		for _, a := range p.args {
			words = append(words, quote(a))
		}
		args = append(args, "--at", p.host+"="+strings.Join(words, " "))
	}
	var out, said bytes.Buffer
	cmd := exec.CommandContext(ctx, e.Weft, args...)
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("run %s: %w; build it with go build -o weft ./cmd/weft, and name it with --weft", e.Weft, err)
	}
	var r report
	if out.Len() == 0 {
		return nil, fmt.Errorf("%s emulate: %w: %s", e.Weft, err, bytes.TrimSpace(said.Bytes()))
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		return nil, fmt.Errorf("read what %s emulate printed: %w", e.Weft, err)
	}
	for _, c := range r.Commands {
		if c.Status != 0 || c.Error != "" {
			return nil, fmt.Errorf("on %s: exit status %d %s: %s", c.Host, c.Status, c.Error, bytes.TrimSpace(said.Bytes()))
		}
	}
	if err != nil && !r.Late.Void {
		return nil, fmt.Errorf("%s emulate: %w: %s", e.Weft, err, bytes.TrimSpace(said.Bytes()))
	}
	return &r, nil
}

// quote quotes a word for the shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// results is a folder in which programs leave their JSON.
type results struct{ folder string }

func newResults() (results, error) {
	folder, err := os.MkdirTemp("", "rivals")
	return results{folder}, err
}

func (r results) path(name string) string { return filepath.Join(r.folder, name+".json") }

func (r results) read(name string, to any) error {
	text, err := os.ReadFile(r.path(name))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("read what %s measured: %w", name, err)
	}
	return nil
}

func (r results) remove() error { return os.RemoveAll(r.folder) }
