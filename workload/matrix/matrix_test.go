package matrix

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var ignoreLines = cmp.Options{cmpopts.IgnoreUnexported(Connection{}, Trigger{}), cmpopts.EquateEmpty()}

const everything = `# A comment.
Nodes 16
Connections 6
Triggers 3
Failures 1

0->5 id 1 start 0 size 1000 send_done_trigger 1	# and another
5->6 id 2 trigger 1 size 2000 recv_done_trigger 2 prio 3
6->5 id 3 start 1500000.4 size 10 recv_done_trigger 2
7->8 trigger 2 size 5
0->5 id 1 msg 7 start 2e6 size 20 addon
9->10 trigger 3 size 8
trigger id 1 oneshot
trigger id 2 barrier count 2
trigger id 3 multishot
failure switch_type TOR switch_id 0 link_id 1
`

func TestRead(t *testing.T) {
	text := strings.Replace(everything, "size 20 addon", "size 20 addon recv_done_trigger 3", 1)
	m, err := Read(strings.NewReader("\ufeff"+text), "x.cm") // as editors of Windows write it
	if err != nil {
		t.Fatal(err)
	}
	prio := int64(3)
	want := &Matrix{
		Nodes: 16,
		Connections: []Connection{
			{Src: 0, Dst: 5, ID: 1, Size: 1000, SendDone: 1},
			{Src: 5, Dst: 6, ID: 2, Size: 2000, Trigger: 1, RecvDone: 2, Priority: &prio},
			{Src: 6, Dst: 5, ID: 3, Size: 10, Start: 1500000, RecvDone: 2},
			{Src: 7, Dst: 8, Size: 5, Trigger: 2},
			{Src: 0, Dst: 5, ID: 1, Size: 20, Start: 2000000, Message: true, Addon: true, RecvDone: 3},
			{Src: 9, Dst: 10, Size: 8, Trigger: 3},
		},
		Triggers: []Trigger{{ID: 1, Kind: Oneshot}, {ID: 2, Kind: Barrier, Count: 2}, {ID: 3, Kind: Multishot}},
		Failures: []Failure{{"TOR", 0, 1}},
		Notices: []string{
			"x.cm:9: the start is a fraction of a picosecond, and is rounded; if the file counts in microseconds, as those of old versions of htsim, multiply its starts by 1000000",
			"x.cm:10 and 1 more: a trigger starts a connection without id, which htsim does not accept",
		},
	}
	if diff := cmp.Diff(want, m, ignoreLines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var b bytes.Buffer
	if err := m.Write(&b, "one", "two"); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&b, "y.cm")
	if err != nil {
		t.Fatal(err)
	}
	m.Notices, again.Notices = nil, nil
	if diff := cmp.Diff(m, again, ignoreLines); diff != "" {
		t.Errorf("written and read again (-was +is):\n%s", diff)
	}
}

// TestRefuses shows what is said of each mistake, and where.
func TestRefuses(t *testing.T) {
	head := func(connections, triggers string, lines ...string) string {
		return "Nodes 8\nConnections " + connections + "\nTriggers " + triggers + "\n" + strings.Join(lines, "\n")
	}
	for _, test := range []struct{ text, want string }{
		{"", "x.cm: the header has no Nodes; add the number of hosts, as in Nodes 16"},
		{"Nodes 4", "x.cm: the header has no Connections; add the line Connections 0"},
		{"Nodes 0", "x.cm:1:7: Nodes is 0; it must be from 1 to"},
		{"Nodes " + strings.Repeat("ü", 41), `x.cm:1:7: Nodes is "` + strings.Repeat("ü", 40) + `…"; it must be a whole number from 0`},
		{"Nodes x", `x.cm:1:7: Nodes is "x"; it must be a whole number from 0`},
		{"Nodes", "x.cm:1:1: Nodes has no number after it"},
		{"Nodes 4\nNodes 4", "x.cm:2:1: Nodes is given twice"},
		{"Nodes 4 5", `x.cm:1:9: "5" is too much here`},
		{"Node 4", `x.cm:1:1: no line begins with "Node"; did you mean "Nodes"?`},
		{"0->1 start 0 size 1", "x.cm:1:1: the header has no Nodes"},
		{head("2", "0", "0->1 start 0 size 1"), "x.cm:2: the header has Connections 2, but the file has 1; correct the header, or complete the file"},
		{head("1", "1", "0->1 start 0 size 1"), "x.cm:3: the header has Triggers 1, but the file has 0"},
		{"Nodes 8\nConnections 1\n0->1 start 0 size 1\nTriggers 1", "x.cm:4:1: Triggers belongs in the header"},
		{"Nodes 8\nConnections 1\n0->1 start 0 size 1\ntrigger id 1 oneshot", "the header has no Triggers; add the line Triggers 1"},
		{head("1", "0", "0->8 start 0 size 1"), "x.cm:4:1: host 8 does not exist; Nodes is 8, and hosts count from 0"},
		{head("1", "0", "  -1->3 start 0 size 1"), "x.cm:4:3: host -1 does not exist"},
		{head("1", "0", "3->3 start 0 size 1"), "x.cm:4:1: host 3 would send to itself"},
		{head("1", "0", "3-> 4 start 0 size 1"), `x.cm:4:1: "3->" is not a connection; write the numbers of both hosts without blanks`},
		{head("1", "0", "3->4 size 1"), "x.cm:4: nothing starts the connection; add start and a time in picoseconds, or trigger and its id"},
		{head("1", "0", "3->4 start 0 trigger 1 size 1"), "x.cm:4: the connection has a start and a trigger; leave only one"},
		{head("1", "0", "3->4 start 0"), "x.cm:4: the connection has no size"},
		{head("1", "0", "3->4 start 0 size 0"), "x.cm:4:19: size is 0, which programs of htsim take differently: for NDP, TCP, RoCE and HPCC the connection never ends, and for UEC it sends nothing; remove the connection, or write the bytes"},
		{head("1", "0", "3->4 start 0 size -1"), `x.cm:4:19: size is "-1"; it must be a whole number from 0`},
		{head("1", "0", "3->4 start -1 size 1"), `x.cm:4:12: start is "-1"; it must be a number of picoseconds, not negative`},
		{head("1", "0", "3->4 start NaN size 1"), `x.cm:4:12: start is "NaN"`},
		{head("1", "0", "3->4 start"), "x.cm:4:6: start has no time after it"},
		{head("1", "0", "3->4 start 0 size 1 size 2"), "x.cm:4:21: size is given twice"},
		{head("1", "0", "3->4 start 0 sizes 1"), `x.cm:4:14: a connection has no "sizes"; did you mean "size"?`},
		{head("1", "0", "3->4 id 0 start 0 size 1"), `x.cm:4:9: id is "0"; it must be a whole number from 1`},
		{head("1", "0", "3->4 msg start 0 size 1"), "x.cm:4: a message (msg) belongs to a connection; add the id"},
		{head("2", "0", "3->4 id 1 start 0 size 1", "3->5 id 1 msg start 0 size 1"), "x.cm:5: connection 1 is 3->4 in line 4; its messages must have the same ends"},
		{head("2", "0", "3->4 id 1 start 0 size 1", "3->5 id 1 start 0 size 1"), "x.cm:5: connection 1 is already in line 4; give this one its own id, or write msg"},
		{head("1", "0", "3->4 trigger 7 size 1"), "x.cm:4: trigger 7 is not declared; add a line as in trigger id 7 oneshot"},
		{head("1", "0", "3->4 start 0 size 1 recv_done_trigger 7"), "x.cm:4: trigger 7 is not declared"},
		{head("0", "2", "trigger id 1 oneshot", "trigger id 1 multishot"), "x.cm:5: trigger 1 is already declared in line 4"},
		{head("0", "1", "trigger oneshot"), "x.cm:4: the trigger has no id"},
		{head("0", "1", "trigger id 1"), "x.cm:4: the trigger has no kind"},
		{head("0", "1", "trigger id 1 oneshot barrier"), "x.cm:4:22: the trigger is already a oneshot"},
		{head("0", "1", "trigger id 1 barrier"), "x.cm:4: the barrier has no count"},
		{head("0", "1", "trigger id 1 oneshot count 2"), "x.cm:4: only a barrier counts"},
		{head("0", "1", "trigger id 1 onshot"), `a trigger has no "onshot"; did you mean "oneshot"?`},
		{head("2", "1", "0->1 start 0 size 1 send_done_trigger 1", "1->2 start 0 size 1 send_done_trigger 1", "trigger id 1 oneshot"), "x.cm:6: trigger 1 fires once, but 2 connections activate it; make it a barrier with count 2, or a multishot"},
		{head("2", "1", "0->1 start 0 size 1 send_done_trigger 1", "1->2 trigger 1 size 1", "trigger id 1 barrier count 2"), "x.cm:6: barrier 1 never fires: it waits for 2 connections, but 1 activate it"},
		{head("2", "1", "0->1 start 0 size 1 send_done_trigger 1", "1->2 start 1 size 1 send_done_trigger 1", "trigger id 1 barrier count 1"), "x.cm:6: barrier 1 waits for 1 connections, but 2 activate it"},
		{head("1", "1", "0->1 trigger 1 size 1", "trigger id 1 oneshot"), "x.cm:5: trigger 1 never fires, but 1 connections wait for it"},
		{head("2", "2", "0->1 trigger 1 size 1 send_done_trigger 2", "1->2 trigger 2 size 1 recv_done_trigger 1", "trigger id 1 oneshot", "trigger id 2 oneshot"), "x.cm:4: the connection never starts: trigger 1 waits, directly or through others, for connections that wait for it; give one of them a start"},
		{head("3", "1", "0->1 start 0 size 1 send_done_trigger 1", "1->2 trigger 1 size 1", "2->3 trigger 1 size 1", "trigger id 1 multishot"), "x.cm:6: the connection never starts: multishot 1 is activated 1 times, but 2 connections wait for it"},
		{"Nodes 8\nConnections 0\nFailures 1\nfailure switch_type SPINE", `switch_type is "SPINE"; it must be TOR, AGG or CORE`},
		{"Nodes 8\nConnections 0\nFailures 1\nfailure switch_type TOR", "x.cm:4: the failure is incomplete"},
		{"Nodes 8\nConnections 0\n# " + strings.Repeat("x", 1<<17), "x.cm:3: the line is too long"},
	} {
		_, err := Read(strings.NewReader(test.text), "x.cm")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q:\n%v\nwant %q", test.text[:min(200, len(test.text))], err, test.want)
		}
	}
}

// TestMultishotChain starts connections of one multishot by connections that it
// started itself.
func TestMultishotChain(t *testing.T) {
	text := "Nodes 4\nConnections 4\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1\n0->2 trigger 1 size 1 send_done_trigger 1\n" +
		"0->3 trigger 1 size 1 send_done_trigger 1\n1->2 trigger 1 size 1\ntrigger id 1 multishot\n"
	if _, err := Read(strings.NewReader(text), "x.cm"); err != nil {
		t.Error(err)
	}
}

// TestAppend puts matrices together without mixing up their ids.
func TestAppend(t *testing.T) {
	text := strings.Replace(everything, "size 20 addon", "size 20 addon recv_done_trigger 3", 1)
	a, _ := Read(strings.NewReader(text), "a.cm")
	b, _ := Read(strings.NewReader(text), "b.cm")
	a.Append(b)
	var out bytes.Buffer
	if err := a.Write(&out); err != nil {
		t.Fatal(err)
	}
	m, err := Read(&out, "both.cm")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Connections) != 12 || len(m.Triggers) != 6 || m.Connections[7].Trigger != 4 || m.Connections[6].ID != 4 {
		t.Errorf("both: %+v", m)
	}
}

// TestFirstMessageOpensConnection: in files of htsim, all lines of a connection have msg.
func TestFirstMessageOpensConnection(t *testing.T) {
	m, err := Read(strings.NewReader("Nodes 2\nConnections 4\n0->1 id 1 msg start 0 size 5\n0->1 id 1 msg start 0 size 6\n1->0 id 2 msg start 0 size 7\n0->1 id 1 start 0 size 8\n"), "x.cm")
	if err == nil || !strings.Contains(err.Error(), "x.cm:6: connection 1 is already in line 3") {
		t.Errorf("a second line that opens it: %v, %v", m, err)
	}
	m, err = Read(strings.NewReader("Nodes 2\nConnections 3\n0->1 id 1 msg start 0 size 5\n0->1 id 1 msg start 0 size 6\n1->0 id 2 msg start 0 size 7\n"), "x.cm")
	if err != nil {
		t.Fatal(err)
	}
	want := []Connection{{Src: 0, Dst: 1, ID: 1, Size: 5}, {Src: 0, Dst: 1, ID: 1, Size: 6, Message: true}, {Src: 1, Dst: 0, ID: 2, Size: 7}}
	if diff := cmp.Diff(want, m.Connections, ignoreLines); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// FuzzRead finds no text that Read fails over, and no matrix that is another one
// when it is written and read again.
func FuzzRead(f *testing.F) {
	f.Add(everything)
	f.Add(strings.Replace(everything, "size 20 addon", "size 20 addon recv_done_trigger 3", 1))
	f.Add("Nodes 2\nConnections 1\n0->1 start 0.5 size 1 prio -4\n")
	f.Add("Nodes 2\nConnections 2\n0->1 id 4294967295 start 1e300 size 1\n0->1 id 4294967295 msg msg start 0 size 1")
	f.Add("Nodes 3\nConnections 2\nTriggers 1\n0->1 start 0 size 1 send_done_trigger 1 recv_done_trigger 1\n1->2 trigger 1 size 9\ntrigger id 1 barrier count 2\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), "x.cm")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.cm:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, "y.cm")
		if err != nil {
			t.Fatalf("%v\n%s", err, b.String())
		}
		m.Notices, again.Notices = nil, nil // which are of the file
		if diff := cmp.Diff(m, again, ignoreLines); diff != "" {
			t.Fatalf("(-was +is):\n%s", diff)
		}
	})
}
