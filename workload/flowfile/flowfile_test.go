package flowfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"weft/unit"
)

var ignoreLines = cmp.Options{cmpopts.IgnoreFields(Flow{}, "Line"), cmpopts.EquateEmpty()}

const three = "3\n0 5 3 100 1000000 0\n5 6 3 100 2000 0.000001\n\n1 0 0 65535 1 2.000000123456\n"

func TestRead(t *testing.T) {
	text := three + "\nFirst line: flow #\nsrc dst pg dport size start\n"
	f, err := Read(strings.NewReader("\ufeff"+strings.ReplaceAll(text, "\n", "\r\n")), "flow.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := &File{
		Flows: []Flow{
			{Src: 0, Dst: 5, Priority: 3, Port: 100, Size: 1000000, Line: 2},
			{Src: 5, Dst: 6, Priority: 3, Port: 100, Size: 2000, Start: unit.Microsecond, Line: 3},
			{Src: 1, Dst: 0, Priority: 0, Port: 65535, Size: 1, Start: 2*unit.Second + 123456*unit.Picosecond, Line: 5},
		},
		Notices: []string{"flow.txt:7: text follows the 3 flows that the first line counts, as in files of the simulators; it is ignored"},
	}
	if diff := cmp.Diff(want, f); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var b bytes.Buffer
	if err := Write(&b, f.Flows); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&b, "y")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(f.Flows, again.Flows, ignoreLines); diff != "" {
		t.Errorf("written and read again (-was +is):\n%s", diff)
	}
	f, err = Read(strings.NewReader("2\n0 1 3 100 5 1e-6\n1 0 3 100 5 0\n"), "flow.txt")
	if err != nil || f.Flows[0].Start != unit.Microsecond || len(f.Notices) != 1 || !strings.HasPrefix(f.Notices[0], "flow.txt:3: the flow starts before the one above it") {
		t.Errorf("%+v, %v", f, err)
	}
}

// TestReadsAsManyAsCounted leaves out the flows after those that the first line counts, as
// the simulators do, and says how many.
func TestReadsAsManyAsCounted(t *testing.T) {
	for _, test := range []struct {
		text    string
		flows   int
		notices []string
	}{
		{"1\n0 1 3 100 5 0\n1 0 3 100 5 0\n", 1, []string{"flow.txt:3: more flows follow the 1 that the first line counts; they are left out, as the simulators do; for all, write 2 there (flows left out: 1)"}},
		{"0\n0 1 3 100 5 0\n\nsrc dst\n2 0 x\n", 0, []string{
			"flow.txt:2: more flows follow the 0 that the first line counts; they are left out, as the simulators do; for all, write 2 there (flows left out: 2)",
			"flow.txt:4: text follows the 0 flows that the first line counts, as in files of the simulators; it is ignored"}},
		{"1\n0 1 3 100 5 0\n", 1, nil},
	} {
		f, err := Read(strings.NewReader(test.text), "flow.txt")
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if len(f.Flows) != test.flows {
			t.Errorf("%q: %d flows, want %d", test.text, len(f.Flows), test.flows)
		}
		if diff := cmp.Diff(test.notices, f.Notices); diff != "" {
			t.Errorf("%q: notices (-want +got):\n%s", test.text, diff)
		}
	}
}

// TestRefuses shows what is said of each mistake, and where.
func TestRefuses(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "flow.txt: the file is empty; its first line is the number of flows"},
		{"1" + strings.Repeat("µ", 40), `flow.txt:1:1: the number of flows is "1` + strings.Repeat("µ", 39) + `…"; it must be a whole number from 0`},
		{"x", `flow.txt:1:1: the number of flows is "x"; it must be a whole number from 0`},
		{"-1", `flow.txt:1:1: the number of flows is "-1"`},
		{"0 1 3 100 5 0", "flow.txt:1:3: the first line has 6 words; write the number of flows alone"},
		{"2\n0 1 3 100 5 0\n", "flow.txt:1: the file has 1 flows, but its first line counts 2; correct the count, or complete the file"},
		{"1\n0 1 3 100 5\n", "flow.txt:2:1: the flow has 5 words; write SRC DST PG DPORT SIZE START"},
		{"1\n0 a 3 100 5 0\n", `flow.txt:2:3: the receiver is "a"; it must be a whole number`},
		{"1\n-1 1 3 100 5 0\n", `flow.txt:2:1: the sender is "-1"`},
		{"1\n1 1 3 100 5 0\n", "flow.txt:2:3: node 1 would send to itself; name two hosts"},
		{"1\n0 1 x 100 5 0\n", `flow.txt:2:5: the priority group is "x"`},
		{"1\n0 1 3 70000 5 0\n", `flow.txt:2:7: the port is "70000"`},
		{"1\n0 1 3 100 0 0\n", `flow.txt:2:11: the size is "0"; it must be a whole number from 1`},
		{"1\n0 1 3 100 5.5 0\n", `flow.txt:2:11: the size is "5.5"`},
		{"1\n0 1 3 100 5 -1\n", `flow.txt:2:13: the start is "-1"; it must be a number of seconds from 0`},
		{"1\n0 1 3 100 5 nan\n", `flow.txt:2:13: the start is "nan"`},
		{"1\n0 1 3 100 5 1e300\n", `flow.txt:2:13: the start is "1e300"`},
		{"1\n0 1 3 100 5 1us\n", `flow.txt:2:13: the start is "1us"`},
		{"1\n" + strings.Repeat("x", 1<<17), "flow.txt:2:1: the line is too long for a flow"},
	} {
		_, err := Read(strings.NewReader(test.text), "flow.txt")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q:\n%v\nwant %q", test.text[:min(100, len(test.text))], err, test.want)
		}
	}
}

// TestCompletions writes and reads lines as HPCC's simulator has them, and reads ConWeave's.
func TestCompletions(t *testing.T) {
	list := []Completion{
		{Src: 0, Dst: 1, SrcPort: 10000, DstPort: 100, Size: 1000, Start: 2 * unit.Second, FCT: 5 * unit.Microsecond, Standalone: 4 * unit.Microsecond},
		{Src: 255, Dst: 256, SrcPort: 10001, DstPort: 100, Size: 5, Start: 0, FCT: 7 * unit.Nanosecond, Standalone: 7 * unit.Nanosecond},
		{Src: 319, Dst: 65535, SrcPort: 10000, DstPort: 100, Size: 5, Start: 0, FCT: 7 * unit.Nanosecond, Standalone: 7 * unit.Nanosecond},
	}
	var b bytes.Buffer
	if err := WriteCompletions(&b, list); err != nil {
		t.Fatal(err)
	}
	const text = "0b000001 0b000101 10000 100 1000 2000000000 5000 4000\n0b00ff01 0b010001 10001 100 5 0 7 7\n0b013f01 0bffff01 10000 100 5 0 7 7\n"
	if b.String() != text {
		t.Errorf("written:\n%swant:\n%s", b.String(), text)
	}
	const byNumber = "0 1 10000 100 1000 2000000000 5000 4000\n255 256 10001 100 5 0 7 7\n319 65535 10000 100 5 0 7 7\n"
	for _, text := range []string{text, byNumber} {
		got, err := ReadCompletions(strings.NewReader(text), "fct.txt")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	if err := WriteCompletions(&b, []Completion{{Src: 65536, Standalone: 1}}); err == nil || !strings.Contains(err.Error(), "node 65536 has no address") {
		t.Errorf("a node without address: %v", err)
	}
	if list[0].Slowdown() != 1.25 {
		t.Errorf("slowdown %v", list[0].Slowdown())
	}
	for _, test := range []struct{ text, want string }{
		{"0 1 2", "fct.txt:1:1: the line has 3 words; a finished flow is SIP DIP"},
		{"0b000002 1 1 1 1 1 1 1", `fct.txt:1:1: "0b000002" is not the address of a node; they are from 0b000001 to 0bffff01`},
		{"0 x 1 1 1 1 1 1", `fct.txt:1:3: the node is "x"`},
		{"0 1 1 1 1 1 1 0", `fct.txt:1:15: the completion time alone is "0"; it must be a whole number from 1`},
		{"0 1 1 1 1 1 -1 1", `the completion time is "-1"`},
	} {
		if _, err := ReadCompletions(strings.NewReader(test.text), "fct.txt"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

// FuzzRead finds no text that Read fails over, and no flows that are others when they are
// written and read again.
func FuzzRead(f *testing.F) {
	f.Add(three)
	f.Add("1\n0 1 3 100 5 1e-6\nFirst line: flow #\n")
	f.Add("2\n0 1 3 100 5 2.5\n1 0 3 100 4 0.1\n1 0")
	f.Add("0\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Read(strings.NewReader(text), "x")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := Write(&b, file.Flows); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, "y")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := cmp.Diff(file.Flows, again.Flows, ignoreLines); diff != "" {
			t.Fatalf("(-was +is):\n%s", diff)
		}
	})
}

// FuzzReadCompletions does the same for completion times.
func FuzzReadCompletions(f *testing.F) {
	f.Add("0b000001 0b000101 10000 100 1000 2000000000 5000 4000\n")
	f.Add("0 65536 10000 100 1000 2000000000 5000 4000\n")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := ReadCompletions(strings.NewReader(text), "x")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteCompletions(&b, list); err != nil {
			return // a node without address
		}
		again, err := ReadCompletions(&b, "y")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		if diff := cmp.Diff(list, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-was +is):\n%s", diff)
		}
	})
}
