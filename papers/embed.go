package papers

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// embedded holds the ledgers that come with weft.
//
//go:embed arcane fatpaths sird
var embedded embed.FS

// Names lists the ledgers that come with weft.
func Names() []string {
	entries, err := fs.ReadDir(embedded, ".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Extract writes an embedded ledger into a folder below dir, which is called like
// it, and returns that folder. Its scenarios name files beside them, which runs
// read. What is there already is left alone if it is the same.
func Extract(name, dir string) (string, error) {
	if !slices.Contains(Names(), name) {
		return "", fmt.Errorf("there is no paper %q; %s; name a ledger of your own with --dir", name, remedy(name, Names()))
	}
	err := fs.WalkDir(embedded, name, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(file))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		text, err := fs.ReadFile(embedded, path.Clean(file))
		if err != nil {
			return err
		}
		if have, err := os.ReadFile(to); err == nil && string(have) == string(text) {
			return nil
		}
		return os.WriteFile(to, text, 0o666)
	})
	if err != nil {
		return "", fmt.Errorf("the ledger of %s cannot be unpacked: %w", name, err)
	}
	return filepath.Join(dir, name), nil
}
