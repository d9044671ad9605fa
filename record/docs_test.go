package record

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// Every file, column and key must be explained where users look them up.
func TestResultsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/results.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]map[string]bool{}
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		names := map[string]bool{}
		for _, m := range regexp.MustCompile("`([a-z0-9_]+)`").FindAllStringSubmatch(body, -1) {
			names[m[1]] = true
		}
		explained[strings.Trim(title, "`")] = names
	}
	check := func(file string, names []string) {
		if explained[file] == nil {
			t.Errorf("no section about %s", file)
		}
		for _, name := range names {
			if !explained[file][name] {
				t.Errorf("%s: %s is not explained", file, name)
			}
		}
	}
	columns := func(s *parquet.Schema) (names []string) {
		for _, c := range s.Columns() {
			names = append(names, c[0])
		}
		return names
	}
	check(flowsFile, columns(parquet.SchemaOf(flowRow{})))
	check(portsFile, columns(parquet.SchemaOf(Port{})))
	check(seriesFile, columns(parquet.SchemaOf(Series{})))
	check(seriesFile, []string{Accepted, Transmitted, Queue, Dropped, Paused, Window, InFlight, Pace, CreditAtReceivers, CreditAtSenders, CreditInFlight})
	check(faultsFile, columns(parquet.SchemaOf(faultRow{})))
	check(nodesFile, columns(parquet.SchemaOf(Node{})))
	check(pausesFile, columns(parquet.SchemaOf(Pause{})))
	check(snapshotsFile, columns(parquet.SchemaOf(Snapshot{})))

	var metrics []string
	for _, m := range KnownMetrics() {
		metrics = append(metrics, m.Name)
	}
	check("The folder of a study", metrics)

	r := sample()
	check(summaryFile, keys(t, r.Summary))
	manifest := manifestJSON{format{runFormat, formatVersion}, r.Manifest, r.Marks}
	manifest.Scenario = nil
	check(manifestFile, keys(t, manifest))
}

// keys returns all keys of v's JSON, those of nested objects included.
func keys(t *testing.T, v any) []string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`"([^"]*)":`).FindAllStringSubmatch(string(text), -1) {
		names = append(names, m[1])
	}
	return names
}
