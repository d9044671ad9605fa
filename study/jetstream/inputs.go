package jetstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	js "github.com/nats-io/nats.go/jetstream"

	"weft/study"
	"weft/study/workers"
)

// inputs finds the files of tasks on this machine, or fetches them.
type inputs struct {
	// cache is the folder for fetched files. It is empty if all files are on this machine.
	cache string
	files *workers.Files
}

func newInputs(cache string) *inputs { return &inputs{cache: cache, files: workers.NewFiles()} }

// localize returns the task with the paths of its files on this machine.
func (in *inputs) localize(ctx context.Context, q *queue, s scope, body []byte) ([]byte, *study.Failure) {
	var t study.Task
	if err := json.Unmarshal(body, &t); err != nil {
		return nil, &study.Failure{Message: fmt.Sprintf("the task cannot be read: %v", err), Permanent: true}
	}
	moved := map[string]string{}
	for i, f := range t.Inputs {
		changed := in.files.Unchanged(f)
		if changed == nil {
			continue
		}
		if in.cache == "" {
			return nil, changed
		}
		path, err := in.fetch(ctx, q, s, f)
		if err != nil {
			return nil, &study.Failure{Message: fmt.Sprintf("input %s cannot be fetched: %v", f.Path, err)}
		}
		moved[f.Path] = path
		t.Inputs[i].Path = path
	}
	if len(moved) == 0 {
		return body, nil
	}
	var err error
	if t.Scenario, err = replaceStrings(t.Scenario, moved); err == nil {
		body, err = json.Marshal(t)
	}
	if err != nil {
		return nil, &study.Failure{Message: fmt.Sprintf("the scenario cannot be read: %v", err), Permanent: true}
	}
	return body, nil
}

// fetch copies a file from the study's bucket to the cache.
func (in *inputs) fetch(ctx context.Context, q *queue, s scope, f study.Input) (string, error) {
	if _, err := hex.DecodeString(f.SHA256); err != nil || len(f.SHA256) != 2*sha256.Size {
		return "", fmt.Errorf("%q is not a hash", f.SHA256)
	}
	path := filepath.Join(in.cache, f.SHA256+extension(f.Path))
	if hash, err := in.files.Hash(path); err == nil && hash == f.SHA256 {
		return path, nil
	}
	if err := os.MkdirAll(in.cache, 0o755); err != nil {
		return "", err
	}
	b, err := q.bucket(ctx, s, false)
	if err != nil {
		return "", err
	}
	object, err := b.Get(ctx, inputName(f.SHA256))
	if err != nil {
		return "", err
	}
	defer object.Close()
	temp, err := os.CreateTemp(in.cache, "fetching-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(temp.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(temp, sum), object)
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", err
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); hash != f.SHA256 {
		return "", fmt.Errorf("the server has another file under its hash (%s)", hash)
	}
	return path, os.Rename(temp.Name(), path)
}

// extension returns the extension of a file, from which readers infer its format. It
// returns "" unless the extension consists of letters and digits.
func extension(path string) string {
	ext := filepath.Ext(path)
	if token(strings.TrimPrefix(ext, ".")) != strings.TrimPrefix(ext, ".") || len(ext) > 16 {
		return ""
	}
	return ext
}

func inputName(hash string) string { return "input/" + hash }

// taskInputs lists the files of a task.
type taskInputs struct {
	name  string
	files []study.Input
}

// upload copies the files of tasks to the study's bucket.
func (in *inputs) upload(ctx context.Context, q *queue, s scope, tasks []taskInputs) error {
	var b js.ObjectStore
	seen := map[string]bool{}
	for _, t := range tasks {
		for _, f := range t.files {
			if seen[f.SHA256] {
				continue
			}
			seen[f.SHA256] = true
			var err error
			if b == nil {
				if b, err = q.bucket(ctx, s, true); err != nil {
					return fmt.Errorf("the store of inputs at %s: %w", q.shown, withRemedy(err))
				}
			}
			if _, err := b.GetInfo(ctx, inputName(f.SHA256)); err == nil {
				continue
			}
			hash, err := in.files.Hash(f.Path)
			if err != nil {
				return fmt.Errorf("an input of run %s: %w", t.name, err)
			}
			if hash != f.SHA256 {
				return fmt.Errorf("input %s of run %s changed since the study was read; run the study again", f.Path, t.name)
			}
			if err := put(ctx, b, inputName(f.SHA256), f.Path); err != nil {
				return fmt.Errorf("input %s cannot be sent to %s: %w", f.Path, q.shown, withRemedy(err))
			}
		}
	}
	return nil
}

func put(ctx context.Context, b js.ObjectStore, name, path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = b.Put(ctx, js.ObjectMeta{Name: name}, f)
	return err
}

// replaceStrings replaces the given strings in JSON, and leaves everything else unchanged.
func replaceStrings(in json.RawMessage, with map[string]string) (json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(replaced(v, with)); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func replaced(v any, with map[string]string) any {
	switch v := v.(type) {
	case string:
		if to, ok := with[v]; ok {
			return to
		}
	case []any:
		for i := range v {
			v[i] = replaced(v[i], with)
		}
	case map[string]any:
		for k := range v {
			v[k] = replaced(v[k], with)
		}
	}
	return v
}
