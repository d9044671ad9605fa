package goal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"weft/trace"
	"weft/trace/internal/draw"
)

// listed is a schedule in words, which tests compare.
func listed(t *trace.Trace, names bool) (out []string) {
	for r := range t.Ranks {
		s := &t.Ranks[r]
		for i := range uint32(s.Len()) {
			o := s.At(i)
			line := fmt.Sprintf("%d %d %v cpu %d nic %d", r, i, o, o.CPU, o.NIC)
			if names {
				line += " " + s.Label(i)
			}
			s.Dependants(i, func(op uint32, start bool) { line += fmt.Sprintf(" <%d %v", op, start) })
			out = append(out, line)
		}
	}
	return out
}

// texts returns a trace as text and in the binary form.
func written(t *testing.T, tr *trace.Trace) (text, binary []byte) {
	t.Helper()
	var a, b bytes.Buffer
	if err := WriteText(&a, tr); err != nil {
		t.Fatal(err)
	}
	if err := WriteBinary(&b, tr); err != nil {
		t.Fatal(err)
	}
	return a.Bytes(), b.Bytes()
}

// TestRoundTrips: both forms say all there is of a trace, down to the order of dependants.
func TestRoundTrips(t *testing.T) {
	for seed := range uint64(100) {
		want := draw.Trace(seed, draw.Shape{Ranks: 1 + int(seed%9), Messages: 60, Calcs: 20, CPUs: 4, NICs: 2, Eager: 100, Wildcards: seed%2 == 0})
		text, bin := written(t, want)
		fromText, err := ReadText(bytes.NewReader(text), "t")
		if err != nil {
			t.Fatal(err)
		}
		fromBinary, err := readBinary(bytes.NewReader(bin), int64(len(bin)), "b")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(order(listed(want, true)), order(listed(fromText, true))); d != "" {
			t.Errorf("seed %d: text: %s", seed, d)
		}
		if d := cmp.Diff(order(listed(want, false)), order(listed(fromBinary, false))); d != "" {
			t.Errorf("seed %d: binary: %s", seed, d)
		}
		if again, _ := written(t, fromText); !bytes.Equal(again, text) {
			t.Errorf("seed %d: the text that was read is written otherwise", seed)
		}
		if _, again := written(t, fromBinary); !bytes.Equal(again, bin) {
			t.Errorf("seed %d: the binary form that was read is written otherwise", seed)
		}
	}
}

// order separates dependants on the start from those on the end: only the order within each counts.
func order(lines []string) (out []string) {
	for _, line := range lines {
		parts := strings.Split(line, " <")
		for _, end := range []string{"true", "false"} {
			for _, p := range parts[1:] {
				if strings.HasSuffix(p, end) {
					parts[0] += " <" + p
				}
			}
		}
		out = append(out, parts[0])
	}
	return out
}

// TestText reads what generators write.
func TestText(t *testing.T) {
	const text = "\ufeffnum_ranks 3 // of them\r\n" + `
/* a block
   of comment } */
rank 0 {
l1: send 8b to 1 tag 0000010000 cpu 300 nic 2
	send 9 b to 2 nic 1
b requires l1
b: calc 007 cpu 3 // a label after it is used
b irequires a1_x
a1_x: recv 0b from -1 tag -1
l99999999: calc 1
l2: calc 2
l2 requires l99999999
l2 irequires l99999999
l2: calc 3
} rank 1 { }
rank 2 {
l1: send 0b to 999999999 tag 3 cpu 1
}`
	tr, err := ReadText(strings.NewReader(text), "t")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"0 0 send 8b to 1 tag 10000 cpu 300 nic 2 l1 <2 false",
		"0 1 send 9b to 2 tag 0 cpu 0 nic 1 ",
		"0 2 calc 7 cpu 3 nic 0 b",
		"0 3 recv 0b from -1 tag -1 cpu 0 nic 0 a1_x <2 true",
		"0 4 calc 1 cpu 0 nic 0 l99999999 <5 false <5 true",
		"0 5 calc 2 cpu 0 nic 0 l2",
		"0 6 calc 3 cpu 0 nic 0 ",
		"2 0 calc 0 cpu 1 nic 0 l1",
	}
	if d := cmp.Diff(want, listed(tr, true)); d != "" {
		t.Error(d)
	}
	if len(tr.Ranks) != 3 || len(tr.Notices) != 2 || !strings.Contains(tr.Notices[1], "1 operation with a label that another one") || !strings.Contains(tr.Notices[0], "1 send of 0 bytes to rank 9999999") {
		t.Errorf("%d ranks, notices %q", len(tr.Ranks), tr.Notices)
	}
	if err := WriteBinary(&bytes.Buffer{}, tr); err == nil || !strings.Contains(err.Error(), "rank 0, l1: send 8b to 1 tag 10000") {
		t.Errorf("cpu 300 in the binary form: %v", err)
	}
}

// TestTextRefused: each error names the line, what is wrong, and a remedy.
func TestTextRefused(t *testing.T) {
	within := func(lines string) string { return "num_ranks 2\nrank 0 {\n" + lines + "\n}\nrank 1 {\n}\n" }
	for text, want := range map[string]string{
		"":                                             "t:1: there is no num_ranks; begin the file with it",
		"rank 0 {\n}":                                  "t:1: num_ranks comes before the first block",
		"num_ranks 0":                                  "t:1: num_ranks is 0; a trace has at least one rank",
		"num_ranks 1\nnum_ranks 1":                     "t:2: num_ranks is given twice",
		"num_ranks 99999999999":                        `t:1: num_ranks "99999999999" is too large; it is at most 2147483647`,
		"num_ranks x":                                  `t:1: "x" stands where a number is due for num_ranks`,
		"num_ranks 2\nrank 0 {\n}":                     "t:3: the blocks of 1 rank are missing, from rank 1 on",
		"num_ranks 2\nrank 1 {\n}":                     "t:2: the block of rank 1 comes where that of rank 0 is due",
		"num_ranks 2\nrank 2 {\n}":                     "t:2: there is no rank 2, since num_ranks is 2",
		"num_ranks 2\nrank 0\n":                        "t:2: a block begins with {",
		"num_ranks 2\nrank 0 {\n":                      "t:2: the block of rank 0 has no end; close it with }",
		"num_ranks 2\n/*\n\n":                          "t:2: the comment has no end",
		"num_ranks 2\n}":                               "t:2: } closes a block that is not open",
		"num_ranks 2\nranks 0 {":                       `t:2: "ranks" stands outside of a block; did you mean "rank"`,
		within("send 8b to 2"):                         "t:3: send 8b to 2 tag 0: there is no rank 2, since num_ranks is 2",
		within("send 8b to -1"):                        `t:3: "-1" stands where a number is due for the rank`,
		within("send 8 to 1"):                          "t:3: the size of send has no b behind it",
		within("send 8kb to 1"):                        "t:3: the size of send has no b behind it",
		within("send 8b from 1"):                       "t:3: send needs to and a rank",
		within("recv 8b to 1"):                         "t:3: recv needs from and a rank",
		within("recv 8b from -12"):                     `t:3: "-12" stands where a number is due`,
		within("send 8b to 1 tag"):                     `t:3: the end of the line stands where a number is due for tag`,
		within("send 8b to 1 tag 9223372036854775808"): `t:3: tag "9223372036854775808" is too large`,
		within("send 8b to 1 tag -1"):                  "t:3: the tag of a send is -1; only receives take any tag",
		within("send 8b to 1 cpu 65536"):               `t:3: cpu "65536" is too large; it is at most 65535`,
		within("send 8b to 1 nic 16384"):               `t:3: nic "16384" is too large; it is at most 16383`,
		within("send 8b to 1 cpu 1 cpu 1"):             "t:3: cpu is given twice",
		within("send 8b to 1 tga 1"):                   `t:3: "tga" is no option of send; did you mean "tag"`,
		within("calc 5 tag 1"):                         `t:3: "tag" is no option of calc`,
		within("calc -5"):                              `t:3: "-5" stands where a number is due for the nanoseconds of calc`,
		within("calc 4611686018427387904"):             `is too large; it is at most 4611686018427387903`,
		within("calc 5 calc 5"):                        `t:3: "calc" is no option of calc`,
		within("calc 5 }"):                             `t:3: "}" follows an operation`,
		within("l1: clac 5"):                           `t:3: "clac" is no operation; did you mean "calc"`,
		within("l1: 5"):                                `t:3: "5" stands where an operation is due`,
		within("l1 5"):                                 `t:3: "5" follows the label "l1"`,
		within("l1: calc 5\nl1: calc 5\nl2: calc 5\nl2 requires l1"): `t:6: rank 0 has several operations with the label "l1", so that this dependency is ambiguous`,
		within("l1: calc 5\nl2 requires l1\nl1: calc 5\nl2: calc 5"): `t:4: rank 0 has several operations with the label "l2" or "l1"`,
		within("l1: calc 5\n\nl2 requires l1"):                       `t:5: rank 0 has no operation with the label l2`,
		within("l1: calc 5\nl1 requires l2"):                         `t:4: rank 0 has no operation with the label l2`,
		within("l1: calc 5\nl1 requires l1"):                         `t:4: "l1" waits for itself`,
		within("l1: calc 5\nl1 require l1"):                          `t:4: "l1": "require" follows the label; did you mean "requires"`,
		within("l1: calc 5\nl1 requires"):                            `t:4: the end of the line stands where the label of another operation is due`,
		within("l1: calc 5\nl1 requires l2 l3"):                      `t:4: "l3" follows a dependency`,
		within("%"):                                                  `t:3: "%" is no statement`,
		within(strings.Repeat("x", mostLine)):                        "t:3: the line is longer than 65536 bytes",
	} {
		_, err := ReadText(strings.NewReader(text), "t")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestBinaryLayout: the form is as LogGOPSim's tools write it, byte by byte.
func TestBinaryLayout(t *testing.T) {
	tr, err := ReadText(strings.NewReader("num_ranks 1\nrank 0 {\nl1: calc 5 cpu 1\nl2: recv 258b from -1 tag -1 cpu 2 nic 3\nl2 requires l1\nl2 irequires l1\n}"), "t")
	if err != nil {
		t.Fatal(err)
	}
	_, got := written(t, tr)
	want := []byte{
		0x7f, 0x10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 3, 22, 0, 0, 0, 0, 0, 0, 0, 120, 0, 0, 0, 0, 0, 0, 0,
		2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0,
		2, 0, 0, 0, 2, 255, 255, 255, 255, 2, 1, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 2, 3, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,
		1, 0, 0, 0, 1, 0, 0, 0,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestBinaryRefused: damage is found, and the error names the place.
func TestBinaryRefused(t *testing.T) {
	_, good := written(t, draw.Trace(3, draw.Shape{Ranks: 2, Messages: 3, Calcs: 3, CPUs: 1, NICs: 1, Eager: 10}))
	rank0 := int64(binary.LittleEndian.Uint64(good[14:])) + 8
	roots := int64(binary.LittleEndian.Uint32(good[rank0+4:]))
	node := rank0 + 8 + 4*roots
	for _, c := range []struct {
		name string
		harm func(b []byte) []byte
		want string
	}{
		{"empty", func(b []byte) []byte { return nil }, "at byte 0: the file ends within its header"},
		{"cookie", func(b []byte) []byte { b[0]++; return b }, "at byte 0: the file begins with 4224 and not with 4223"},
		{"spent", func(b []byte) []byte { b[0], b[1] = 0x26, 0x09; return b }, "at byte 0: a simulation with --save-mem has used up this file"},
		{"ranks", func(b []byte) []byte { b[11] = 0xff; return b }, "at byte 8: the file is for 4278190082 ranks"},
		{"cut", func(b []byte) []byte { return b[:len(b)-1] }, "at byte 30: rank 1 is from"},
		{"operations", func(b []byte) []byte { b[rank0+3] = 1; return b }, fmt.Sprintf("at byte %d: rank 0 has 167", rank0)},
		{"type", func(b []byte) []byte { b[node+4] = 9; return b }, fmt.Sprintf("at byte %d: an operation of rank 0 has the type 9", node+4)},
		{"size", func(b []byte) []byte { b[node+16] = 0xff; return b }, fmt.Sprintf("at byte %d: an operation of rank 0 has the size", node+9)},
		{"dependencies", func(b []byte) []byte { b[node]++; return b }, fmt.Sprintf("at byte %d: operation 0 of rank 0 is said to have 1 dependencies, but has 0", node)},
		{"root", func(b []byte) []byte { b[rank0+8]++; return b }, fmt.Sprintf("at byte %d: operation 0 of rank 0 waits for nothing, but is not the next", rank0+8)},
		{"list", func(b []byte) []byte { b[node+26] = 1; return b }, fmt.Sprintf("at byte %d: operation 0 of rank 0 brings the dependencies to", node)},
	} {
		bad := c.harm(bytes.Clone(good))
		_, err := readBinary(bytes.NewReader(bad), int64(len(bad)), "b")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
	// Whatever byte is damaged, reading ends with an error or a trace that can be written.
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 0x41
		readAndWrite(t, bad)
	}
}

func readAndWrite(t *testing.T, b []byte) {
	tr, err := readBinary(bytes.NewReader(b), int64(len(b)), "b")
	if err != nil {
		return
	}
	_, again := written(t, tr)
	back, err := readBinary(bytes.NewReader(again), int64(len(again)), "b")
	if err != nil {
		t.Fatalf("what was written cannot be read: %v", err)
	}
	if d := cmp.Diff(listed(tr, false), listed(back, false)); d != "" {
		t.Fatal(d)
	}
}

func FuzzBinary(f *testing.F) {
	for seed := range uint64(4) {
		var b bytes.Buffer
		if err := WriteBinary(&b, draw.Trace(seed, draw.Shape{Ranks: 2, Messages: 3, Calcs: 2, CPUs: 2, NICs: 2, Eager: 10, Wildcards: true})); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(readAndWrite)
}

func FuzzText(f *testing.F) {
	var b bytes.Buffer
	if err := WriteText(&b, draw.Trace(1, draw.Shape{Ranks: 2, Messages: 3, Calcs: 2, CPUs: 2, NICs: 2, Eager: 10, Wildcards: true})); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("num_ranks 1 rank 0 { /* a */ a: calc 1 // b\nb requires a\nb: recv 1b from -1 tag -1 cpu 7\n}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		tr, err := ReadText(bytes.NewReader(text), "t")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "t:") {
				t.Errorf("no place in %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := WriteText(&b, tr); err != nil {
			t.Fatal(err)
		}
		back, err := ReadText(bytes.NewReader(b.Bytes()), "t")
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, b.Bytes())
		}
		if d := cmp.Diff(listed(tr, false), listed(back, false)); d != "" {
			t.Fatal(d)
		}
	})
}

func BenchmarkText(b *testing.B)   { benchmark(b, true) }
func BenchmarkBinary(b *testing.B) { benchmark(b, false) }

func benchmark(b *testing.B, text bool) {
	tr := draw.Trace(1, draw.Shape{Ranks: 16, Messages: 200_000, Calcs: 100_000, CPUs: 4, NICs: 1, Eager: 1 << 20})
	var out bytes.Buffer
	write := WriteBinary
	if text {
		write = WriteText
	}
	if err := write(&out, tr); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(out.Len()))
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if text {
			_, err = ReadText(bytes.NewReader(out.Bytes()), "t")
		} else {
			_, err = readBinary(bytes.NewReader(out.Bytes()), int64(out.Len()), "b")
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
