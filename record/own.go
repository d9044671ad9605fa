package record

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"weft/internal/userfile"
)

// A folder of results can also hold the user's files. weft removes from it only what it is known
// to have written: the files of runs by their names, if a manifest says that there is a run; the
// figures listed in a file next to them; and a report that carries weft's mark. A link is never
// weft's, and neither is its target.

// runFiles lists the files of a run.
var runFiles = []string{manifestFile, summaryFile, flowsFile, portsFile, seriesFile, faultsFile, nodesFile, snapshotsFile, pausesFile, ranksFile, activitiesFile, collectivesFile}

// figuresList is the file in the folder of figures that lists those that weft drew.
const (
	figuresList    = ".weft-figures.json"
	figuresFormat  = "weft-figures"
	reportMark     = `<meta name="generator" content="weft">`
	reportMarkSize = 4096 // the mark is within this many bytes from the start
)

// figureEndings lists the file extensions of figures.
var figureEndings = []string{".png", ".svg", ".pdf"}

type figuresJSON struct {
	format
	Files []string `json:"files"`
}

// written lists what weft wrote into a folder of results, as paths below it.
func written(dir string) []string {
	list := writtenRun(dir)
	variants, err := comparison(dir)
	if err != nil {
		return list
	}
	list = append(list, comparisonFile)
	for _, v := range variants {
		// A folder that weft would not name so is not weft's, whatever the list says.
		if v.Folder != folderName(v.Folder) || !isFolder(filepath.Join(dir, v.Folder)) {
			continue
		}
		for _, name := range writtenRun(filepath.Join(dir, v.Folder)) {
			list = append(list, filepath.Join(v.Folder, name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// writtenRun lists what weft wrote into a folder, except for the folders of variants in it.
func writtenRun(dir string) (list []string) {
	if _, err := readManifest(dir); err == nil {
		for _, name := range runFiles {
			if isFile(filepath.Join(dir, name)) {
				list = append(list, name)
			}
		}
	}
	if isReport(filepath.Join(dir, ReportFile)) {
		list = append(list, ReportFile)
	}
	figures := filepath.Join(dir, FiguresFolder)
	if !isFolder(figures) {
		return list
	}
	if drawn := drawnFigures(figures); drawn != nil {
		for _, name := range append(drawn, figuresList) {
			list = append(list, filepath.Join(FiguresFolder, name))
		}
	}
	return list
}

// KeepFigures records in a folder of figures that weft drew these files, so that they count as
// weft's when the results are replaced.
func KeepFigures(dir string, names []string) error {
	list := figuresJSON{format{figuresFormat, formatVersion}, append(drawnFigures(dir), names...)}
	slices.Sort(list.Files)
	list.Files = slices.Compact(list.Files)
	text, err := indented(list)
	if err != nil {
		return err
	}
	return userfile.WriteBytes(filepath.Join(dir, figuresList), text)
}

// drawnFigures lists the figures in a folder that weft drew. It returns nil if there is no list.
func drawnFigures(dir string) []string {
	path := filepath.Join(dir, figuresList)
	if !isFile(path) {
		return nil
	}
	text, err := userfile.Read(path, maxText)
	if err != nil {
		return nil
	}
	var list figuresJSON
	if decode(path, text, figuresFormat, &list) != nil {
		return nil
	}
	drawn := []string{}
	for _, name := range list.Files {
		if filepath.IsLocal(name) && name == filepath.Base(name) && slices.Contains(figureEndings, filepath.Ext(name)) && isFile(filepath.Join(dir, name)) {
			drawn = append(drawn, name)
		}
	}
	return drawn
}

// isReport reports whether weft made the page at a path.
func isReport(path string) bool {
	if !isFile(path) {
		return false
	}
	f, err := userfile.Open(path, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, reportMarkSize)
	n, _ := f.ReadAt(head, 0)
	return bytes.Contains(head[:n], []byte(reportMark))
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// foreign lists everything in a folder that is not in own, as paths below it. A folder that
// contains nothing of own is listed as a whole.
func foreign(dir string, own []string) (list []string, err error) {
	holds := map[string]bool{}
	for _, name := range own {
		for ; name != "."; name = filepath.Dir(name) {
			holds[name] = true
		}
	}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case holds[name]:
			return nil
		}
		list = append(list, name)
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return list, err
}

// removeOwn removes the listed files from a folder, and then all folders that have become empty,
// including dir.
func removeOwn(dir string, own []string) error {
	var errs []error
	folders := []string{dir}
	for _, name := range own {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for name = filepath.Dir(name); name != "."; name = filepath.Dir(name) {
			folders = append(folders, filepath.Join(dir, name))
		}
	}
	slices.Sort(folders)
	for _, folder := range slices.Backward(slices.Compact(folders)) { // inner folders first
		_ = os.Remove(folder) // fails if it is not empty
	}
	return errors.Join(errs...)
}

// RemoveFolder removes a run that weft wrote as the folder dir, even a damaged one. Other files
// in the folder stay, and then the folder stays too. So does a link.
func RemoveFolder(dir string) error {
	if !isFolder(dir) {
		return nil
	}
	own := written(dir)
	for _, name := range runFiles {
		if isFile(filepath.Join(dir, name)) {
			own = append(own, name)
		}
	}
	return removeOwn(dir, own)
}
