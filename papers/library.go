package papers

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"weft/problem"
)

// Library holds the ledgers that a program carries: the files of each by its name.
type Library map[string]fs.FS

// Names lists the ledgers.
func (l Library) Names() []string { return slices.Sorted(maps.Keys(l)) }

// ErrNoLedgers: a ledger is named, and the program carries none.
var ErrNoLedgers = errors.New("this program carries no ledgers; name the folder of one with --dir")

// Extract writes a ledger into a folder below dir, which is called like it, and
// returns that folder. Its scenarios name files beside them, which runs read. What is
// there already is left alone if it is the same.
func (l Library) Extract(name, dir string) (string, error) {
	if len(l) == 0 {
		return "", ErrNoLedgers
	}
	files, ok := l[name]
	if !ok {
		return "", problem.New("there is no paper %q", name).Mend("%s; name a ledger of your own with --dir", remedy(name, l.Names()))
	}
	folder := filepath.Join(dir, name)
	err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(folder, filepath.FromSlash(file))
		if d.IsDir() {
			return os.MkdirAll(to, 0o777)
		}
		if filepath.Ext(file) == ".go" {
			return nil // it embeds the others
		}
		text, err := fs.ReadFile(files, file)
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
	return folder, nil
}
