package chakra

import (
	"strings"
	"testing"
)

// taken reads one file as a trace of two ranks, as far as it goes.
func taken(t *testing.T, readOne func(*reading, *rank) error) {
	r := &reading{Options: Options{Operations: 1e12, Memory: 1 << 40, Dims: []int{2, 1}}, files: files{dir: t.TempDir(), prefix: "t", form: binaryForm, ranks: 2}, interned: names{}}
	err := func() error {
		for number := range int32(2) {
			one := &rank{number: number, file: "t.et"}
			if err := readOne(r, one); err != nil {
				return err
			}
			r.ranks = append(r.ranks, one)
		}
		if err := r.arrangeNodes(); err != nil {
			return err
		}
		if err := r.arrange(); err != nil {
			return err
		}
		tr, err := r.lower()
		if err == nil {
			tr.Check(3)
			tr.Match(3)
		}
		return err
	}()
	if err != nil && !strings.Contains(err.Error(), "t.et: ") && !strings.Contains(err.Error(), "t.0.et") {
		t.Errorf("no file in %v", err)
	}
}

func FuzzFile(f *testing.F) {
	f.Add(encoded([]one{{id: 1, kind: computeNode, micros: 4}, {id: 2, kind: collectiveNode, on: []uint64{1}, dims: []byte{1, 0}, attrs: []attr{comm(3), size(9)}}}))
	f.Add(encoded([]one{{id: 1, kind: sendNode, attrs: []attr{src(0), dst(1), tag(4), size(9)}}, {id: 2, kind: metadataNode, control: []uint64{1}, values: `['[{"pg_name": "1", "ranks": [0, 1]}]']`}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		taken(t, func(r *reading, one *rank) error {
			return r.readMessages(one, strings.NewReader(string(b)), int64(len(b)))
		})
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 7, "data_deps": [], "comm_type": 2, "comm_size": 10, "pg_name": "0"}, {"Id": 2, "NodeType": 4, "runtime": 1.5, "ctrlDeps": [1], "is_cpu_op": true}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		taken(t, func(r *reading, one *rank) error { return r.readGraph(one, b) })
	})
}

func FuzzGroups(f *testing.F) {
	f.Add([]byte(`['[{"pg_name": "1", "ranks": [0, 1]}]']`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<12 {
			return
		}
		taken(t, func(r *reading, one *rank) error {
			n := raw{node: node{kind: metadataNode}, values: b}
			if err := r.add(one, &n); err != nil {
				return err
			}
			return r.add(one, &raw{node: node{id: 1, kind: collectiveNode, attributes: attributes{group: "1"}}})
		})
	})
}
