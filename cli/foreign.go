package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"weft/internal/printable"
	"weft/record"
	"weft/scenario"
)

// refuseForeign keeps a run from replacing the results of another scenario file, where nobody
// named the folder: files in two folders may well have the same name. The results of an edited file
// are its own, and so are those of one that was moved.
func refuseForeign(out string, f *scenario.File) error {
	there, err := record.Variants(out)
	if err != nil || len(there) == 0 {
		return nil // there is nothing, or what is there is refused for what it is
	}
	m, _, err := record.ReadManifest(there[0].Folder)
	if err != nil || m.Source == "" {
		return nil
	}
	before, err := os.Stat(m.Source)
	if err != nil {
		return nil
	}
	if now, err := os.Stat(f.Path); err != nil || os.SameFile(before, now) {
		return nil
	}
	parent := filepath.Base(filepath.Dir(absolute(f.Path)))
	return badInput(fmt.Errorf("%s: holds results of %s, which this run of %s would replace; keep both with --out %s, or with another name: in one of the files",
		out, printable.Line(m.Source), f.Path, shellWord(filepath.Join("out", parent+"-"+f.Name))))
}
