package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/shell"
)

// documents returns README and all pages, by their paths from the root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	t.Chdir("..")
	paths := []string{"README.md"}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(path)] = string(text)
	}
	return out
}

var (
	links    = regexp.MustCompile(`\]\(([^)\s]+)\)|<img src="([^"]+)"`)
	headings = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	anchors  = regexp.MustCompile(`<a id="([^"]+)">`)
	// noAnchor is what the anchor of a heading lacks.
	noAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// programs are how documents call weft.
	programs = regexp.MustCompile(`^(?:\./weft|weft|go run \./cmd/weft|weft-queue) +(.*)$`)
	fenced   = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	inline   = regexp.MustCompile("`([^`\n]+)`")
)

// TestLinksOfDocuments follows every link between documents, to its heading if it names one.
func TestLinksOfDocuments(t *testing.T) {
	all := documents(t)
	for path, text := range all {
		for _, m := range links.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			link := m[1] + m[2]
			if strings.Contains(link, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link, "#")
			target := path
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(path), file))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere", path, link)
			} else if anchor != "" && !slices.Contains(anchorsOf(all[target]), anchor) {
				t.Errorf("%s: %s has no heading for the link %s", path, target, link)
			}
		}
	}
}

// anchorsOf lists what links into a page may name.
func anchorsOf(page string) []string {
	var out []string
	for _, m := range headings.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(noAnchor.ReplaceAllString(m[1], ""))
		out = append(out, strings.ReplaceAll(name, " ", "-"))
	}
	for _, m := range anchors.FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	return out
}

// TestCommandsOfDocuments holds every command in a block of a document to the commands and flags
// that there are. Commands within sentences are held to the names of commands alone, since they
// may be cut.
func TestCommandsOfDocuments(t *testing.T) {
	all := documents(t)
	found := 0
	for path, text := range all {
		for line := range strings.Lines(text) {
			block := strings.HasPrefix(line, "    ")
			line = strings.TrimSpace(line)
			m := programs.FindStringSubmatch(line)
			if !block || m == nil {
				continue
			}
			for command := range strings.SplitSeq(m[1], " && ") {
				command = strings.TrimPrefix(command, "weft ")
				args, err := shell.Fields(ofShell.ReplaceAllString(command, ""), func(name string) string { return name })
				if err != nil {
					t.Errorf("%s: %q: %v", path, line, err)
					continue
				}
				found++
				if slices.Contains(args, "--help") {
					continue
				}
				t.Run(path, func(t *testing.T) { accepts(t, args) })
			}
		}
		for _, m := range inline.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if words := strings.Fields(m[1]); len(words) > 1 && words[0] == "weft" && lower.MatchString(words[1]) {
				found++
				if c, _, err := (&program{}).root().Find(words[1:2]); err != nil || c.Name() != words[1] {
					t.Errorf("%s: `%s`: there is no command %s", path, m[1], words[1])
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("only %d commands were found", found)
	}
}

var (
	// ofShell is what the shell makes of a command: a comment, a redirection, another command's output.
	ofShell = regexp.MustCompile(` +#.*$| +[|>] .*$|\$\([^)]*\)`)
	lower   = regexp.MustCompile(`^[a-z]+$`)
)

// TestPathsOfDocuments finds the files that documents name in code.
func TestPathsOfDocuments(t *testing.T) {
	named := regexp.MustCompile("(?:^|[ `(])((?:scenarios|examples|docs)/[\\w./-]*[a-z0-9]\\.(?:yaml|md|csv|cm|go))")
	for path, text := range documents(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(m[1]); err != nil {
				t.Errorf("%s names %s, which is not there", path, m[1])
			}
		}
	}
}

// TestReadmeIsShort keeps README a first look.
func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(documents(t)["README.md"], "\n"); n > 120 {
		t.Errorf("README.md has %d lines, and at most 120 are for a first look; put the rest behind links", n)
	}
}

// TestReadmeCounts holds the counts of claims in the README to the pages about papers.
func TestReadmeCounts(t *testing.T) {
	all := documents(t)
	row := regexp.MustCompile(`\(docs/papers/(\w+)\.md\).*\| (\d+ of) (\d+) \|`)
	rows := row.FindAllStringSubmatch(all["README.md"], -1)
	if len(rows) < 3 {
		t.Fatalf("README has counts of %d papers", len(rows))
	}
	for _, m := range rows {
		if want := m[2] + " the " + m[3] + " claims"; !strings.Contains(all["docs/papers/"+m[1]+".md"], want) {
			t.Errorf("README has %s %s claims of %s, which its page does not say", m[2], m[3], m[1])
		}
	}
}
