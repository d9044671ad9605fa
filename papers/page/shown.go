package page

import (
	"strconv"
	"strings"

	"weft/papers"
)

// What stands around what Shown reads of a page. Pages are kept, so that a change of these would
// hide what older ones say.
const (
	beforeScale = "- **Scale**: "
	afterScale  = ". "
)

// beforeCounts begins the row with how many claims have a verdict: in all, and then by what they
// are about.
func beforeCounts(v papers.Verdict) string { return "| " + string(v) + " | " }

// Shown returns what a page that Write wrote says: the scale, and how many claims are
// missing.
func Shown(text []byte) (scale string, missing int, ok bool) {
	for line := range strings.Lines(string(text)) {
		if rest, is := strings.CutPrefix(line, beforeScale); is && scale == "" {
			scale, _, _ = strings.Cut(rest, afterScale)
		}
		if rest, is := strings.CutPrefix(line, beforeCounts(papers.Missing)); is && scale != "" {
			number, _, _ := strings.Cut(rest, " |")
			missing, err := strconv.Atoi(number)
			return scale, missing, err == nil
		}
	}
	return "", 0, false
}
