package weft_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Limits of the working tree, which everybody downloads who wants to look at weft. Code and
// documents are what people came for; data, results and figures beside them are what grows unseen.
const (
	heaviestData  = 5_000_000
	heaviestFile  = 300_000
	heaviestImage = 100_000
)

// heavyFiles may exceed the limit: vendored libraries, copied as they are, and the schema, which
// editors read as one file.
var heavyFiles = []string{"report/page/assets/vendor/vega.min.js", "scenarios/weft.schema.json"}

// TestWeight refuses files that are too large, and too many of them.
func TestWeight(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil || len(out) == 0 {
		t.Skipf("not a git checkout: git ls-files: %v", err)
	}
	data := int64(0)
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.FromSlash(name))
		if os.IsNotExist(err) {
			continue // taken out, and not yet committed
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains([]string{".go", ".js", ".css", ".md"}, path.Ext(name)) {
			data += info.Size()
		}
		if most := limitOf(name); info.Size() > most && !slices.Contains(heavyFiles, name) {
			t.Errorf("%s has %d kB, and %d kB are allowed; make it smaller (an image with fewer pixels or colours, a table with fewer columns), or generate it", name, info.Size()/1000, most/1000)
		}
	}
	if data > heaviestData {
		t.Errorf("the files beside code and documents have %.1f MB in all, and %d MB are allowed; git ls-files -z | xargs -0 du -b | sort -n lists the heaviest last", float64(data)/1e6, heaviestData/1_000_000)
	}
}

// limitOf is how many bytes a file has at most.
func limitOf(name string) int64 {
	if slices.Contains([]string{".png", ".gif", ".jpg", ".svg"}, path.Ext(name)) {
		return heaviestImage
	}
	return heaviestFile
}
