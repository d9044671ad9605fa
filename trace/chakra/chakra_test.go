package chakra

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"weft/trace"
	"weft/trace/collective"
	"weft/trace/loggops"
	"weft/unit"
)

// attr is an attribute with the field of its type.
type attr struct {
	name  string
	field protowire.Number
	v     uint64
}

// one is a node of a test.
type one struct {
	id      uint64
	kind    nodeType
	on      []uint64 // data dependencies
	control []uint64
	micros  uint64
	attrs   []attr
	group   string
	dims    []byte
	values  string
}

func size(n uint64) attr { return attr{"comm_size", attrInt64, n} }
func comm(n uint64) attr { return attr{"comm_type", attrInt64, n} }
func src(n uint64) attr  { return attr{"comm_src", attrInt32, n} }
func dst(n uint64) attr  { return attr{"comm_dst", attrInt32, n} }
func tag(n uint64) attr  { return attr{"comm_tag", attrInt32, n} }

// encoded returns a file of nodes.
func encoded(nodes []one) []byte {
	e := &encoder{file: appendMetadata(nil)}
	for _, n := range nodes {
		name := "node " + strconv.FormatUint(n.id, 10)
		e.begin(n.id, name, n.kind, n.on, n.micros)
		for _, c := range n.control {
			e.node = protowire.AppendVarint(protowire.AppendTag(e.node, fieldControl, protowire.VarintType), c)
		}
		for _, a := range n.attrs {
			switch a.field {
			case attrFixed32, attrSfixed32, attrFloat:
				b := protowire.AppendString(protowire.AppendTag(nil, attrName, protowire.BytesType), a.name)
				b = protowire.AppendFixed32(protowire.AppendTag(b, a.field, protowire.Fixed32Type), uint32(a.v))
				e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldAttr, protowire.BytesType), b)
			case attrFixed64, attrSfixed64, attrDouble:
				b := protowire.AppendString(protowire.AppendTag(nil, attrName, protowire.BytesType), a.name)
				b = protowire.AppendFixed64(protowire.AppendTag(b, a.field, protowire.Fixed64Type), a.v)
				e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldAttr, protowire.BytesType), b)
			default:
				e.number(a.name, a.field, a.v)
			}
		}
		if n.group != "" {
			e.text("pg_name", n.group)
		}
		if n.dims != nil {
			b := protowire.AppendString(protowire.AppendTag(nil, attrName, protowire.BytesType), "involved_dim")
			list := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), n.dims)
			b = protowire.AppendBytes(protowire.AppendTag(b, attrBoolList, protowire.BytesType), list)
			e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldAttr, protowire.BytesType), b)
		}
		if n.values != "" {
			io := protowire.AppendString(protowire.AppendTag(nil, fieldValues, protowire.BytesType), n.values)
			e.node = protowire.AppendBytes(protowire.AppendTag(e.node, fieldInputs, protowire.BytesType), io)
		}
		e.end()
	}
	return e.file
}

// folder writes a trace with the nodes of each rank.
func folder(t *testing.T, ranks ...[]one) string {
	t.Helper()
	dir := t.TempDir()
	for r, nodes := range ranks {
		put(t, dir, fmt.Sprintf("t.%d.et", r), encoded(nodes))
	}
	return dir
}

func put(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
		t.Fatal(err)
	}
}

// same returns the same nodes for several ranks.
func same(ranks int, nodes ...one) (list [][]one) {
	for range ranks {
		list = append(list, nodes)
	}
	return list
}

// read reads a trace that must be replayable.
func read(t *testing.T, dir string, o Options) *trace.Trace {
	t.Helper()
	tr, err := Read(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	if f := tr.Check(3); f.Total > 0 {
		t.Fatal(f.List)
	}
	if f := tr.Match(3); f.Total > 0 {
		t.Fatal(f.List)
	}
	return tr
}

// end is when the last rank ends by LogGOPS without overheads: latency, and a nanosecond per byte but one.
func end(t *testing.T, tr *trace.Trace, latency unit.Time) unit.Time {
	t.Helper()
	r, err := loggops.Run(context.Background(), tr, loggops.Parameters{Latency: latency, GapPerByte: unit.Nanosecond, Eager: math.MaxInt64})
	if err != nil || r.Stuck.Total > 0 {
		t.Fatal(err, r.Stuck.List)
	}
	return r.End()
}

// words are the operations of a trace, with what they require.
func words(tr *trace.Trace) (out []string) {
	for r := range tr.Ranks {
		s := &tr.Ranks[r]
		lines := make([]string, s.Len())
		for i := range uint32(s.Len()) {
			o := s.At(i)
			lines[i] = fmt.Sprintf("%d: %v cpu %d", r, o, o.CPU)
		}
		for i := range uint32(s.Len()) {
			s.Dependants(i, func(op uint32, _ bool) { lines[op] += " < " + s.Name(i) })
		}
		out = append(out, lines...)
	}
	return out
}

var ring = Options{Settings: collective.Settings{Choice: collective.Choice{{Algorithm: collective.Ring}}}}

// TestNodes: each type of node, with its processor and time.
func TestNodes(t *testing.T) {
	host := attr{"is_cpu_op", attrBool, 1}
	tr := read(t, folder(t,
		[]one{
			{id: 7, kind: computeNode, micros: 3},
			{id: 3, kind: computeNode, micros: 2, on: []uint64{7}, attrs: []attr{host}},
			{id: 9, kind: invalidNode, on: []uint64{3}},
			{id: 10, kind: loadNode, micros: 4, on: []uint64{9}},
			{id: 11, kind: metadataNode, on: []uint64{9, 10}},
			{id: math.MaxUint64, kind: sendNode, on: []uint64{11}, attrs: []attr{dst(1), size(50), tag(4)}},
			{id: 12, kind: sendNode, control: []uint64{7, 5555}, attrs: []attr{src(0), dst(1), size(60)}},
		},
		[]one{
			{id: 0, kind: recvNode, attrs: []attr{size(50), tag(4)}}, // from rank 0: absent is 0
			{id: 1, kind: recvNode, attrs: []attr{src(0), dst(1), size(60)}},
			{id: 2, kind: storeNode, on: []uint64{0}, attrs: []attr{{"tensor_size", attrUint64, 1000}}},
		}), Options{Memory: 8 * unit.Gbps})
	want := []string{
		"0: calc 3000 cpu 0",
		"0: calc 2000 cpu 1 < n7",
		"0: calc 4000 cpu 3 < n3",
		"0: send 60b to 1 tag 0 cpu 2 < n7",
		"0: send 50b to 1 tag 4 cpu 2 < n3 < n10",
		"1: recv 50b from 0 tag 4 cpu 2",
		"1: recv 60b from 0 tag 0 cpu 2",
		"1: calc 1000 cpu 3 < n0",
	}
	if d := cmp.Diff(want, words(tr)); d != "" {
		t.Error(d)
	}
	notices := []string{"1 node of type 0 (INVALID_NODE) taken as over at once", "1 control dependency on nodes that the files do not have left out", "1 message without comm_dst or comm_src taken as with rank 0"}
	if d := cmp.Diff(notices, tr.Notices); d != "" {
		t.Error(d)
	}
}

// TestNumbers: a size may be in the field of any type.
func TestNumbers(t *testing.T) {
	for field, v := range map[protowire.Number]uint64{
		attrInt32: 5, attrInt64: 5, attrUint32: 5, attrUint64: 5, attrSint32: 10, attrSint64: 10, attrFixed32: 5, attrFixed64: 5, attrSfixed32: 5, attrSfixed64: 5,
		attrFloat: uint64(math.Float32bits(5)), attrDouble: math.Float64bits(5),
	} {
		tr := read(t, folder(t, []one{{id: 1, kind: sendNode, attrs: []attr{dst(1), {"comm_size", field, v}}}}, []one{{id: 1, kind: recvNode}}), Options{})
		if got := tr.Ranks[0].At(0).Size; got != 5 {
			t.Errorf("field %d: %d bytes", field, got)
		}
	}
}

// TestRoofline: without a duration, operations and bytes of memory take their time.
func TestRoofline(t *testing.T) {
	node := func(operations, tensor uint64) string {
		return folder(t, []one{{id: 1, kind: computeNode, attrs: []attr{{"num_ops", attrInt64, operations}, {"tensor_size", attrUint64, tensor}}}})
	}
	o := Options{Operations: 1e12, Memory: 8 * unit.Tbps}
	for _, c := range []struct{ operations, tensor, want uint64 }{{5_000_000, 1, 5000}, {5_000_000, 9_000_000, 9000}, {5_000_000, 0, 5000}, {0, 9_000_000, 9000}} {
		if got := read(t, node(c.operations, c.tensor), o).Ranks[0].At(0).Size; got != int64(c.want) {
			t.Errorf("%d operations with %d bytes take %d ns, not %d", c.operations, c.tensor, got, c.want)
		}
	}
	for _, o := range []Options{{}, {Operations: 1}, {Memory: 1}} {
		if _, err := Read(node(5, 5), o); err == nil || !strings.Contains(err.Error(), `t.0.et: node 1, "node 1": it has num_ops or tensor_size and no duration; say how many operations per second`) {
			t.Error(err)
		}
	}
}

// TestCollectives: each of Chakra's numbers is a collective, and comm_size what a rank puts in.
func TestCollectives(t *testing.T) {
	const ranks = 5
	for number, kind := range kinds {
		tr := read(t, folder(t, same(ranks, one{id: 1, kind: collectiveNode, attrs: []attr{comm(uint64(number)), size(1000)}})...), Options{})
		want := []trace.Call{{Name: kind.String(), Group: "world", Ranks: ranks, Size: 1000}}
		if kind == collective.AllGather || kind == collective.Gather {
			want[0].Size = 5000
		}
		if d := cmp.Diff(want, tr.Calls); d != "" {
			t.Errorf("%v: %s", kind, d)
		}
		for r := range tr.Ranks {
			s := &tr.Ranks[r]
			if d := cmp.Diff([]trace.Span{{End: uint32(s.Len())}}, s.Spans()); d != "" || s.Len() == 0 {
				t.Errorf("%v: %d operations: %s", kind, s.Len(), d)
			}
		}
	}
}

// TestRing: computations and all-reduces by rings take their closed form.
func TestRing(t *testing.T) {
	const ranks, part = 8, 1000
	nodes := []one{
		{id: 1, kind: computeNode, micros: 5},
		{id: 2, kind: collectiveNode, on: []uint64{1}, attrs: []attr{size(ranks * part)}}, // comm_type 0 is absent
		{id: 3, kind: computeNode, on: []uint64{2}, micros: 7},
		{id: 4, kind: collectiveNode, on: []uint64{3}, attrs: []attr{comm(2), size(part)}},
	}
	step := unit.Microsecond + (part-1)*unit.Nanosecond
	want := 12*unit.Microsecond + 3*(ranks-1)*step
	if got := end(t, read(t, folder(t, same(ranks, nodes...)...), ring), unit.Microsecond); got != want {
		t.Errorf("it ends at %v, not at %v", got, want)
	}
}

// TestStreams: collectives of a group follow each other. Those of different groups overlap.
func TestStreams(t *testing.T) {
	nodes := func(groups ...string) (list []one) {
		for i, g := range groups {
			list = append(list, one{id: uint64(i), kind: collectiveNode, group: g, attrs: []attr{size(4)}})
		}
		return list
	}
	const all = `{"1": [0, 1, 2, 3], "2": [0, 1, 2, 3]}`
	for _, c := range []struct {
		groups []string
		want   unit.Time // rounds of 6 steps
	}{{[]string{"1", "1"}, 2}, {[]string{"1", "2"}, 1}} {
		dir := folder(t, same(4, nodes(c.groups...)...)...)
		put(t, dir, "groups.json", []byte(all))
		if got := end(t, read(t, dir, ring), unit.Microsecond); got != c.want*6*unit.Microsecond {
			t.Errorf("%+v: it ends at %v", c, got)
		}
	}
}

// TestGroups: process groups from a file, from metadata of PyTorch, and by dimensions.
func TestGroups(t *testing.T) {
	node := one{id: 1, kind: collectiveNode, group: "3", attrs: []attr{size(100)}}
	groupsOf := func(tr *trace.Trace) (list []string) {
		for r := range tr.Ranks {
			peers := map[int32]bool{int32(r): true}
			for i := range uint32(tr.Ranks[r].Len()) {
				if o := tr.Ranks[r].At(i); o.Kind == trace.Send {
					peers[o.Peer] = true
				}
			}
			list = append(list, fmt.Sprint(peers))
		}
		return list
	}
	want := []string{"map[0:true 2:true]", "map[1:true 3:true]", "map[0:true 2:true]", "map[1:true 3:true]"}

	ranks := same(4, node)
	ranks[1] = []one{{id: 1, kind: collectiveNode, group: "4", attrs: []attr{size(100)}}}
	ranks[3] = ranks[1]
	dir := folder(t, ranks...)
	if _, err := Read(dir, ring); err == nil || !strings.Contains(err.Error(), `its process group "3" is not defined; put a JSON file such as {"3": [0, 1]} into the folder`) {
		t.Error(err)
	}
	file := []byte(`{"3": [0, 2], "4": [1, 3]}`)
	elsewhere := filepath.Join(t.TempDir(), "g.json")
	put(t, filepath.Dir(elsewhere), "g.json", file)
	o := ring
	o.Groups = elsewhere
	if d := cmp.Diff(want, groupsOf(read(t, dir, o))); d != "" {
		t.Error(d)
	}
	put(t, dir, "comm_group.json", file)
	put(t, dir, "other.json", []byte(`{"a": "b"}`))
	tr := read(t, dir, ring)
	if d := cmp.Diff(want, groupsOf(tr)); d != "" {
		t.Error(d)
	}
	if len(tr.Notices) != 1 || tr.Calls[0].Group != "3" || tr.Calls[1].Group != "4" {
		t.Error(tr.Notices, tr.Calls)
	}

	// The same name for different ranks, and group 0 with no ranks, which are all.
	define := func(list string) one {
		return one{id: 5, kind: metadataNode, values: `['[{"pg_name": "3", "backend_config": "cuda:nccl", "ranks": ` + list + `}, {"pg_name": "0", "ranks": []}]']`}
	}
	everybody := one{id: 8, kind: collectiveNode, group: "0", attrs: []attr{size(100), comm(9)}}
	even, odd := []one{define("[0, 2]"), node}, []one{define("[1, 3]"), node}
	if d := cmp.Diff(want, groupsOf(read(t, folder(t, even, odd, even, odd), ring))); d != "" {
		t.Error(d)
	}
	tr = read(t, folder(t, append(even, everybody), append(odd, everybody), append(even, everybody), append(odd, everybody)), ring)
	if len(tr.Calls) != 3 || tr.Calls[2].Ranks != 4 && tr.Calls[1].Ranks != 4 {
		t.Error(tr.Calls)
	}

	dims := one{id: 1, kind: collectiveNode, dims: []byte{0, 1}, attrs: []attr{size(100)}}
	dir = folder(t, same(4, dims)...)
	o = ring
	o.Dims = []int{2, 2}
	if d := cmp.Diff(want, groupsOf(read(t, dir, o))); d != "" {
		t.Error(d)
	}
	all := read(t, folder(t, same(4, one{id: 1, kind: collectiveNode, dims: []byte{1, 1}, attrs: []attr{size(100)}})...), ring)
	if all.Calls[0].Ranks != 4 {
		t.Error(all.Calls)
	}
	for _, c := range []struct {
		dims []int
		want string
	}{{nil, "say how many ranks each dimension has, as"}, {[]int{2, 3}, "4 ranks"}, {[]int{4}, "2 dimensions"}} {
		o.Dims = c.dims
		if _, err := Read(dir, o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Error(err)
		}
	}
}

// TestControl: control dependencies count, unless they contradict data dependencies anywhere.
func TestControl(t *testing.T) {
	first := []one{{id: 1, kind: computeNode, micros: 1}, {id: 2, kind: computeNode, micros: 1, control: []uint64{1}}}
	tr := read(t, folder(t, first), Options{})
	if tr.Ranks[0].Dependencies() != 1 || tr.Notices != nil {
		t.Error(tr.Ranks[0].Dependencies(), tr.Notices)
	}
	second := []one{{id: 1, kind: computeNode, micros: 1, on: []uint64{2}}, {id: 2, kind: computeNode, micros: 1, control: []uint64{1}}}
	tr = read(t, folder(t, first, second), Options{})
	if tr.Ranks[0].Dependencies() != 0 || tr.Ranks[1].Dependencies() != 1 || len(tr.Notices) != 1 {
		t.Error(tr.Ranks[0].Dependencies(), tr.Notices)
	}
}

// TestHost: a collective of the host is a computation, and one of one rank nothing.
func TestHost(t *testing.T) {
	tr := read(t, folder(t, []one{
		{id: 1, kind: collectiveNode, micros: 3, attrs: []attr{{"is_cpu_op", attrInt32, 1}}},
		{id: 2, kind: collectiveNode, on: []uint64{1}, attrs: []attr{size(9)}},
		{id: 3, kind: computeNode, on: []uint64{2}, micros: 1},
	}), Options{})
	if d := cmp.Diff([]string{"0: calc 3000 cpu 1", "0: calc 1000 cpu 0 < n1"}, words(tr)); d != "" || len(tr.Notices) != 2 {
		t.Error(d, tr.Notices)
	}
}

// TestRoots: the root is comm_src of what it sends and comm_dst of what it gets, by rank.
func TestRoots(t *testing.T) {
	direct := Options{Settings: collective.Settings{Choice: collective.Choice{{Algorithm: collective.Direct}}}}
	for number, root := range map[uint64]attr{5: src(2), 4: src(2), 1: dst(2), 3: dst(2)} {
		tr := read(t, folder(t, same(3, one{id: 1, kind: collectiveNode, attrs: []attr{comm(number), size(90), root}})...), direct)
		if got := tr.Ranks[2].Len(); got != 2 || tr.Ranks[1].At(0).Peer != 2 {
			t.Errorf("collective %d: the root has %d operations", number, got)
		}
	}
}
