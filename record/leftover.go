package record

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// stagingFolder is in the name of the hidden folder in which a result is written.
const stagingFolder = "tmp"

// siblingName returns what hidden folders next to a result are called, by their purpose. The first number is that of a process.
func siblingName(base, purpose string) *regexp.Regexp {
	return regexp.MustCompile(`^\.` + base + `\.` + purpose + `-([0-9]+)-[0-9]+$`)
}

// anyStaging matches the folders in which results of any name are written.
var anyStaging = siblingName(".+", stagingFolder)

// removeLeftovers removes the folders into which processes that were killed wrote a result for a place. It leaves those of processes
// that live, those with a complete result, which could not be put in its place, and those in which there is anything that weft does not
// write. What cannot be removed stays: it is in nobody's way.
func removeLeftovers(place string) {
	parent, base := filepath.Split(place)
	name := siblingName(regexp.QuoteMeta(base), stagingFolder)
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		m := name.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		pid, err := strconv.Atoi(m[1])
		if err != nil || lives(pid) {
			continue
		}
		dir := filepath.Join(parent, e.Name())
		release, held := hold(dir)
		if held && halfWritten(dir) {
			_ = os.RemoveAll(dir)
		}
		release()
	}
}

// errForeign: something is there that weft does not write.
var errForeign = errors.New("not weft's")

// halfWritten tells whether a folder has parts of a result and nothing else. The files that make a result whole come last.
func halfWritten(dir string) bool {
	for _, name := range []string{manifestFile, comparisonFile} {
		if _, err := os.Lstat(filepath.Join(dir, name)); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case path == dir:
		case e.IsDir():
			if name != FiguresFolder && name != folderName(name) && !anyStaging.MatchString(name) {
				return errForeign
			}
		case !e.Type().IsRegular():
			return errForeign
		case filepath.Base(filepath.Dir(path)) == FiguresFolder: // of a variant that is kept
			if name != figuresList && !slices.Contains(figureEndings, filepath.Ext(name)) {
				return errForeign
			}
		case !ours(name):
			return errForeign
		}
		return nil
	}) == nil
}
