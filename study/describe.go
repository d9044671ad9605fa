package study

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"weft/record"
)

// A describer compares the scenarios in manifests with those of a plan. The key of a run is a hash
// of its cell's identity, which a manifest only repeats: without this, a result would be taken
// whose manifest describes another scenario than the one that was run.
type describer struct {
	plan  *Plan
	cells map[string]int // places in the plan, by hash

	mu sync.Mutex
	// known are the scenarios that were compared, by cell and without their seeds: runs of one
	// cell differ in these only.
	known map[int][sha256.Size]byte
	cache TaskCache
}

// newDescriber returns nil for a plan that was read from a folder, which has no scenarios.
func newDescriber(p *Plan) *describer {
	if p == nil || p.scenarios == nil {
		return nil
	}
	d := &describer{plan: p, cells: map[string]int{}, known: map[int][sha256.Size]byte{}}
	for i, c := range p.Cells {
		d.cells[c.Hash] = i
	}
	return d
}

// check refuses a manifest whose scenario is not that of its cell. Keys that only one of both
// has are of another release of the same results, and are passed over.
func (d *describer) check(run *record.StudyRun, text json.RawMessage) error {
	i, ours := d.cells[run.Cell]
	if !ours {
		return nil // of an earlier state of the file
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal(text, &got); err != nil {
		return fmt.Errorf("its manifest has no scenario that can be read: %w", err)
	}
	sum := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if key != seedOfScenario {
			fmt.Fprintf(sum, "%q %d %s\n", key, len(got[key]), got[key])
		}
	}
	digest := [sha256.Size]byte(sum.Sum(nil))
	d.mu.Lock()
	defer d.mu.Unlock()
	if known, ok := d.known[i]; ok && known == digest {
		return nil
	}
	resolved, err := d.plan.scenarios[i].Resolved()
	if err != nil {
		return err
	}
	planned, err := resolved.MarshalJSON()
	if err != nil {
		return err
	}
	var want, have map[string]any
	if err := errors.Join(decodeNumbers(planned, &want), decodeNumbers(text, &have)); err != nil {
		return err
	}
	for _, key := range []string{seedOfScenario, "name", "about", "engine"} { // they do not count
		delete(want, key)
	}
	inputs, err := inputsOf(d.plan.scenarios[i], &d.cache)
	if err != nil {
		return err
	}
	if path := differing(want, have, "", inputs); path != "" {
		return fmt.Errorf("its manifest has another scenario than cell %q: %s differs", d.plan.Cells[i].Name, path)
	}
	d.known[i] = digest
	return nil
}

// seedOfScenario is the key of a scenario's seed.
const seedOfScenario = "seed"

func decodeNumbers(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// differing returns the path of the first value that differs, of those that both have; "" if there
// is none. A worker that does not share the file system finds inputs under other paths, which end
// with their hashes.
func differing(want, have any, path string, inputs []Input) string {
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return path
		}
		for _, key := range slices.Sorted(maps.Keys(w)) {
			if _, both := h[key]; !both {
				continue
			}
			if p := differing(w[key], h[key], strings.TrimPrefix(path+"."+key, "."), inputs); p != "" {
				return p
			}
		}
		return ""
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) != len(w) {
			return path
		}
		for i := range w {
			if p := differing(w[i], h[i], fmt.Sprintf("%s[%d]", path, i), inputs); p != "" {
				return p
			}
		}
		return ""
	case string:
		h, ok := have.(string)
		if ok && h != w && slices.ContainsFunc(inputs, func(in Input) bool {
			return in.Path == w && in.SHA256 != "" && strings.HasPrefix(filepath.Base(h), in.SHA256)
		}) {
			return ""
		}
	}
	if !reflect.DeepEqual(want, have) {
		return path
	}
	return ""
}
