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

// stagingFolder is part of the name of the hidden folder in which a result is written.
const stagingFolder = "tmp"

// siblingName returns the pattern of hidden folders next to a result, by purpose. The first
// number is a process ID.
func siblingName(base, purpose string) *regexp.Regexp {
	return regexp.MustCompile(`^\.` + base + `\.` + purpose + `-([0-9]+)-[0-9]+$`)
}

// anyStaging matches the folders in which results of any name are written.
var anyStaging = siblingName(".+", stagingFolder)

// removeLeftovers removes the folders in which killed processes were writing a result for a
// place. It keeps folders of live processes, folders with a complete result that could not be put
// in its place, and folders that contain anything that weft does not write. It ignores errors,
// because a remaining folder does no harm.
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

// errForeign reports something that weft did not write.
var errForeign = errors.New("not weft's")

// halfWritten reports whether a folder has parts of a result and nothing else. The files that
// complete a result are written last.
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
		case filepath.Base(filepath.Dir(path)) == FiguresFolder: // figures of a kept variant
			if name != figuresList && !slices.Contains(figureEndings, filepath.Ext(name)) {
				return errForeign
			}
		case !ours(name):
			return errForeign
		}
		return nil
	}) == nil
}
