package study

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"

	"weft/scenario"
)

// release matches the versions of releases. Pseudo-versions and modified working copies
// have other versions.
var release = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

// Revision returns the declared revision of the program's results. Any build of weft has
// the revision of its releases. It returns "" for another program.
func Revision() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Path == "weft" {
		return revisionPrefix + strconv.Itoa(scenario.ResultRevision)
	}
	return ""
}

const revisionPrefix = "results-"

// Outdated reports whether a program is identified by an earlier revision of results than
// this one's. Results of this program may differ.
func Outdated(program string) bool {
	text, ok := strings.CutPrefix(program, revisionPrefix)
	n, err := strconv.Atoi(text)
	return ok && err == nil && n < scenario.ResultRevision
}

// Program identifies the running program by what determines results. For a release of weft
// it is the revision of results, which many releases share. For any other program, such as
// one with a user's own algorithms, it is the hash of the executable.
func Program() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok && release.MatchString(info.Main.Version) {
		if revision := Revision(); revision != "" {
			return revision, nil
		}
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("this program cannot find its own executable, whose hash names its results: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("this program cannot read its own executable, whose hash names its results: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return "exe-" + hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
