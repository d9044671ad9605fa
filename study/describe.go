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

// describer compares the scenarios in manifests with the scenarios of a plan. The key of a
// run is a hash of its cell's identity, and the manifest only repeats that hash. Without
// the comparison, a study could accept a result whose manifest describes another scenario
// than the one that ran.
type describer struct {
	plan  *Plan
	cells map[string]int // index into the plan, by hash

	mu sync.Mutex
	// known holds hashes of the scenarios already compared, by cell. They leave out the
	// seed, the only difference between runs of a cell.
	known map[int][sha256.Size]byte
	cache TaskCache
}

// newDescriber returns nil for a plan that was read from a folder, since it has no
// scenarios.
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

// check refuses a manifest whose scenario differs from its cell's. It ignores keys that
// only one of them has: they come from another release with the same results.
func (d *describer) check(run *record.StudyRun, text json.RawMessage) error {
	i, ours := d.cells[run.Cell]
	if !ours {
		return nil // a cell of an earlier version of the file
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
	for _, key := range []string{seedOfScenario, "name", "about", "engine"} { // these keys do not change the result
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

// differing returns the path of the first value that differs, among values that both have,
// or "". A worker without the same file system finds inputs under other paths. These end
// with the hashes of the inputs.
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
