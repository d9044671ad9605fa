package chakra

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// TestRefused: errors name the file, the node, and what to do.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		ranks [][]one
		want  string
	}{
		{[][]one{{{id: 7, kind: 9}}}, `t.0.et: node 7, "node 7": type 9 is unknown; weft knows Chakra's types 0 (INVALID_NODE) to 7 (COMM_COLL_NODE)`},
		{[][]one{{{id: 7, kind: computeNode}, {id: 7, kind: computeNode}}}, `node 7, "node 7": the node "node 7" has the same id`},
		{[][]one{{{id: 7, kind: computeNode, on: []uint64{8}}}}, `node 7, "node 7": it depends on node 8, which the file does not have`},
		{[][]one{{{id: 7, kind: computeNode, on: []uint64{7}}}}, `nodes depend on each other: 7 on 7; remove`},
		{[][]one{{{id: 1, kind: computeNode, on: []uint64{2}}, {id: 2, kind: computeNode, on: []uint64{3}}, {id: 3, kind: computeNode, on: []uint64{2}}}}, `nodes depend on each other: 2 on 3, on 2; remove`},
		{same(2, one{id: 7, kind: collectiveNode, attrs: []attr{comm(10)}}), "comm_type 10 is no collective of Chakra's"},
		{[][]one{{{id: 7, kind: sendNode}}, nil}, "the send has no comm_dst; name the other rank"},
		{[][]one{{{id: 7, kind: sendNode, attrs: []attr{dst(2)}}}, nil}, "comm_dst is 2; ranks are 0 to 1"},
		{[][]one{{{id: 7, kind: sendNode, attrs: []attr{dst(1), src(1)}}}, nil}, "comm_src is 1 in the file of rank 0; a send belongs into the file of its own rank"},
		{[][]one{nil, {{id: 7, kind: recvNode, attrs: []attr{dst(0)}}}}, "comm_dst is 0 in the file of rank 1; a receive belongs"},
		{[][]one{{{id: 7, kind: sendNode, attrs: []attr{dst(1), {"comm_size", attrSint64, 1}}}}, nil}, "attribute comm_size: -1 is negative"},
		{[][]one{{{id: 7, kind: sendNode, attrs: []attr{{"comm_dst", attrInt64, 1 << 40}}}}, nil}, "attribute comm_dst: 1099511627776 is larger"},
		{[][]one{{{id: 7, kind: loadNode, attrs: []attr{{"tensor_size", attrInt64, 5}}}}}, "it moves memory and has no duration; say how fast memory is"},
		{[][]one{{{id: 7, kind: computeNode, micros: 1 << 62}}}, "too long for weft"},
		{[][]one{{{id: 3, kind: collectiveNode, attrs: []attr{size(9)}}}, {{id: 4, kind: collectiveNode, attrs: []attr{comm(2), size(9)}}}},
			`t.1.et: node 4, "node 4": the collective number 1 of process group "world" is all-gather here, but all-reduce at rank 0 (node 3 of`},
		{[][]one{{{id: 3, kind: collectiveNode, attrs: []attr{comm(5), src(0)}}}, {{id: 4, kind: collectiveNode, attrs: []attr{comm(5), src(1)}}}},
			`is broadcast with root 1 here, but broadcast with root 0 at rank 0`},
		{[][]one{{{id: 3, kind: collectiveNode, attrs: []attr{size(9)}}}, nil}, `rank 1 has 0 collectives of the process group "world", but rank 0 has 1: the first it lacks is node 3 of`},
		{same(2, one{id: 3, kind: collectiveNode, attrs: []attr{comm(5), src(4)}}), "its root is rank 4, which is not in its process group"},
		{same(2, one{id: 3, kind: collectiveNode, attrs: []attr{comm(2), size(1 << 62)}}), "comm_size 4611686018427387904 at each of 2 ranks is too large"},
		{[][]one{{{id: 5, kind: metadataNode, values: `['[{"pg_name": "3", "ranks": 5}]']`}}}, "its process groups cannot be read"},
		{[][]one{{{id: 5, kind: metadataNode, values: `{"pg_name"`}}}, "its process groups are no list"},
	} {
		if _, err := Read(folder(t, c.ranks...), Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\n\tlacks %s", err, c.want)
		}
	}
}

// TestBadGroups: groups that are not of ranks.
func TestBadGroups(t *testing.T) {
	node := one{id: 1, kind: collectiveNode, group: "12"}
	for groups, want := range map[string]string{
		`{"12": [0, 2]}`: `its process group "12" lists rank 2, which is there twice or not among ranks 0 to 1`,
		`{"12": [0, 0]}`: "twice",
		`{"12": [1]}`:    `t.0.et: node 1, "node 1": rank 0 is not in its process group "12" of 1 rank`,
		`{"13": [0, 1]}`: `"12" is not defined; there are 13`,
	} {
		dir := folder(t, same(2, node)...)
		put(t, dir, "g.json", []byte(groups))
		if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", groups, err)
		}
	}
	dir := folder(t, same(2, node)...)
	put(t, dir, "a.json", []byte(`{"12": [0, 1]}`))
	put(t, dir, "b.json", []byte(`{"12": [0, 1]}`))
	if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), "both have process groups; name one of them") {
		t.Error(err)
	}
	if _, err := Read(dir, Options{Groups: dir + "/t.0.et"}); err == nil || !strings.Contains(err.Error(), "these are no process groups") {
		t.Error(err)
	}
}

// TestFiles: which files are a trace.
func TestFiles(t *testing.T) {
	node := encoded([]one{{id: 1, kind: computeNode, micros: 1}})
	dir := t.TempDir()
	for _, name := range []string{"a.0.et", "a.1.et", "b.0.et", "c.0.json", "a.et", "a.x.et", "a.01.et", "notes.txt"} {
		put(t, dir, name, node)
	}
	for _, path := range []string{"/a", "/a.0.et", "/a.1.et"} {
		if tr := read(t, dir+path, Options{}); len(tr.Ranks) != 2 || !Is(dir+path) {
			t.Error(path, len(tr.Ranks))
		}
	}
	if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), "has several traces of Chakra; name one of "+dir+"/a, "+dir+"/b") || !Is(dir) {
		t.Error(err)
	}
	put(t, dir, "b.4.et", node)
	if _, err := Read(dir+"/b", Options{}); err == nil || !strings.Contains(err.Error(), "b.4.et: there is a file of rank 4, but 3 files of those before it are missing, such as 1, 2, 3") {
		t.Error(err)
	}
	for _, path := range []string{t.TempDir(), dir + "/notes.txt", dir + "/d"} {
		if _, err := Read(path, Options{}); err == nil || !strings.Contains(err.Error(), "has no files of Chakra; name a folder with a file per rank") || Is(path) {
			t.Error(err)
		}
	}
}

// TestPyTorch: a trace that was not converted is recognised, whatever its name.
func TestPyTorch(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "1.0.2-chakra.0.0.4.json", []byte(`{"schema": "1.0.2-chakra.0.0.4", "pid": 7, "nodes": []}`))
	if _, err := Read(dir+"/1.0.2-chakra.0.0.4.json", Options{}); err == nil || !strings.Contains(err.Error(), "this is a trace of PyTorch") || !Is(dir+"/1.0.2-chakra.0.0.4.json") {
		t.Error(err)
	}
	put(t, dir, "a.4.json", []byte(`{"a": 1}`))
	if Is(dir + "/a.4.json") {
		t.Error("any object is taken as a trace")
	}
}

// TestDamaged: files that are cut off or something else.
func TestDamaged(t *testing.T) {
	whole := encoded([]one{{id: 1, kind: computeNode, micros: 1, attrs: []attr{size(5)}}})
	endless := make([]byte, 20)
	for i := range endless {
		endless[i] = 0xff
	}
	for _, c := range []struct {
		content []byte
		want    string
	}{
		{nil, "t.0.et: the file is empty"},
		{whole[:len(whole)-1], "t.0.et: at byte 8: a message of 29 bytes, but the file has 28 more; the file is cut off or no Chakra trace"},
		{append(whole[:len(whole):len(whole)], 0x80), "the file ends within a message"},
		{endless, "a length of more than 64 bits"},
		{[]byte("num_ranks 2\nrank 0 {\n}\n"), "the file is cut off or no Chakra trace"},
		{[]byte{1, 0x0f}, "this is another file or a damaged one"},
		{append(appendMetadata(nil), 2, 0x18, 0x80), "node 0"},
		{append(appendMetadata(nil), protowire.AppendBytes(nil, []byte{0x2a, 1, 0x80})...), "the file is damaged"},
	} {
		dir := t.TempDir()
		put(t, dir, "t.0.et", c.content)
		if _, err := Read(dir, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v\n\tlacks %s", err, c.want)
		}
	}
	// Metadata may be missing.
	dir := t.TempDir()
	put(t, dir, "t.0.et", whole[len(appendMetadata(nil)):])
	if tr := read(t, dir, Options{}); tr.Ranks[0].Len() != 1 {
		t.Error("a file without metadata has", tr.Ranks[0].Len(), "operations")
	}
}
