package workers

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"weft/study"
)

// Files caches the hashes of files on this machine.
type Files struct {
	mu    sync.Mutex
	known map[string]fileState
}

// fileState is the state of a file when it was hashed.
type fileState struct {
	size    int64
	changed time.Time
	hash    string
}

// NewFiles returns an empty cache.
func NewFiles() *Files { return &Files{known: map[string]fileState{}} }

// Hash returns the hash of a file. It computes the hash again only if the file has changed.
func (f *Files) Hash(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s: not a regular file", path)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := fileState{size: info.Size(), changed: info.ModTime()}
	if k, ok := f.known[path]; ok && k.size == now.size && k.changed.Equal(now.changed) {
		return k.hash, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	now.hash = hex.EncodeToString(sum.Sum(nil))
	f.known[path] = now
	return now.hash, nil
}

// Unchanged returns a failure if an input has changed since the study began.
func (f *Files) Unchanged(in study.Input) *study.Failure {
	hash, err := f.Hash(in.Path)
	if err == nil && hash != in.SHA256 {
		err = errors.New("it is not what it was when the study began; run the study again")
	}
	if err != nil {
		return &study.Failure{Message: fmt.Sprintf("input %s: %v", in.Path, err)}
	}
	return nil
}
