package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"weft/catalog"
	"weft/internal/connection/hosted"
	"weft/protocol"
	"weft/protocol/arcane"
	"weft/protocol/congestion"
	"weft/protocol/sird"
	"weft/transport/solo"
	"weft/unit"
)

// of builds SIRD, or connections.
func of(name Name) (protocol.CongestionControl, error) {
	if name.Balancer == "" {
		return catalog.BuildDefault(sird.Entries(), name.Transport)
	}
	c, err := catalog.BuildDefault(congestion.Entries(), name.Transport)
	if err != nil {
		return c, err
	}
	b, err := catalog.BuildDefault(arcane.Entries(), name.Balancer)
	if err != nil {
		return c, err
	}
	return hosted.Control(c, b)
}

// credit is a transport of a host, and windows are connections.
var (
	credit  = Name{Transport: "sird"}
	windows = Name{Transport: "nscc", Balancer: "arcane"}
)

// recorded returns the tapes of a host that sends a message of ten packets to another, and of that, which answers by credit, or by
// acknowledgements.
func recorded(t testing.TB, name Name) (sender, receiver string) {
	control, err := of(name)
	if err != nil {
		t.Fatal(err)
	}
	var tapes [2]bytes.Buffer
	var hosts [2]*Recorder
	var outs [2]protocol.HostOutput
	for i := range hosts {
		env := protocol.HostEnv{
			Rand: rand.NewPCG(1, 2), Out: &outs[i], Hosts: 2, LineRate: 10 * unit.Gbps, BaseRTT: 2 * unit.Microsecond,
			BDP: 5500, Packet: 1100, Payload: 1000, Header: 100, Control: 100, Classes: 2, Largest: unit.MB,
		}
		hosts[i] = Record(&tapes[i], name, [2]uint64{1, 2}, &env, control.NewHost(env))
	}
	hosts[0].Submit(0, &protocol.HostMessage{Peer: 1, Tag: 8, Bytes: 10_000})
	hosts[0].Submit(0, &protocol.HostMessage{Peer: 1, Tag: 16, Bytes: 5000})
	if !hosts[0].Cancel(1, &protocol.HostMessage{Peer: 1, Tag: 16, Bytes: 5000}) {
		t.Fatal("the second message is not there")
	}
	for now := unit.Microsecond; now < 12*unit.Millisecond; now += unit.Microsecond {
		for i, h := range hosts {
			if at, ok := h.Deadline(); ok && at <= now {
				h.Expire(now)
			}
			if at, ok := h.Ready(); !ok || at > now {
				continue
			}
			var p protocol.Packet
			if h.Next(now, &p) {
				p.Peer, p.Class = 1, 0 // as carriers of datagrams have it: each host is number 0 to itself
				hosts[1-i].Receive(now, &p)
			}
			outs[i].Events = outs[i].Events[:0]
			outs[1-i].Events = outs[1-i].Events[:0]
		}
	}
	hosts[0].Forget(unit.Second, 1)
	if hosts[0].Err() != nil || !strings.Contains(tapes[0].String(), `"events":[{"kind":1,`) {
		t.Fatalf("%v: no message was completed:\n%s", hosts[0].Err(), tapes[0].String())
	}
	return tapes[0].String(), tapes[1].String()
}

// simulated returns a transport by its name, in the simulator's carrier.
func simulated(name Name) (protocol.CongestionControl, error) {
	c, err := of(name)
	return solo.Carry(c), err
}

// building makes transports by what tapes say of them.
type building func(Name) (protocol.CongestionControl, error)

func TestReplay(t *testing.T) {
	text, _ := recorded(t, credit)
	replay(t, text, of, simulated)
	text, _ = recorded(t, windows)
	replay(t, text, of)
	for _, more := range []string{"zz", strings.Repeat("00", protocol.MostMore)} {
		if _, err := Replay(strings.NewReader(strings.Replace(text, `"more":"`, `"more":"`+more, 1)), of); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("more begins with %.10s: %v", more, err)
		}
	}
}

func replay(t *testing.T, text string, builds ...building) {
	for _, build := range builds {
		calls, err := Replay(strings.NewReader(text), build)
		if want := strings.Count(text, "\n") - 1; err != nil || calls != want {
			t.Fatalf("%d of %d calls: %v", calls, want, err)
		}
	}
	for old, changed := range map[string]string{
		`"payload":"1KB","wire":"1100B"`: `"payload":"999B","wire":"1099B"`,
		`"events":[{"kind":1,`:           `"events":[{"kind":2,`,
		`"deadline":["`:                  `"deadline":["1`,
	} {
		_, err := Replay(strings.NewReader(strings.Replace(text, old, changed, 1)), of)
		var d *Difference
		if !errors.As(err, &d) || d.Line < 2 || d.Tape == d.Replay {
			t.Errorf("%s made %s: %v", old, changed, err)
		}
	}
	for _, wrong := range []string{
		"", "{}", `{"tape":1}`, `{"tape":2,"transport":"none"}`, strings.Replace(text, `"hosts":2`, `"hosts":1`, 1),
		strings.Replace(text, `"c":"next"`, `"c":"nest"`, 1), strings.Replace(text, `"peer":1,"tag":8`, `"peer":7,"tag":8`, 1), text[:len(text)-9],
	} {
		if _, err := Replay(strings.NewReader(wrong), of); err == nil || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%.40q: %v", wrong, err)
		}
	}
}

// TestMutations changes each field of each packet that was sent, and of what was reported, by one: replays find the line and name what
// is not the same.
func TestMutations(t *testing.T) {
	sender, receiver := recorded(t, credit)
	if changes := mutate(t, sender) + mutate(t, receiver); changes < 400 {
		t.Errorf("only %d changes", changes)
	}
}

// mutate makes the changes, and returns how many there were.
func mutate(t *testing.T, tape string) (changes int) {
	lines := strings.SplitAfter(tape, "\n")
	for i, text := range lines[1 : len(lines)-1] {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		find := func(what string) {
			changed, err := json.Marshal(l)
			if err != nil {
				t.Fatal(err)
			}
			changes++
			tape := strings.Join(lines[:i+1], "") + string(changed) + "\n"
			for name, build := range map[string]building{"alone": of, "in the simulator": simulated} {
				_, err := Replay(strings.NewReader(tape), build)
				var d *Difference
				if !errors.As(err, &d) || d.Line != i+2 || d.What != what || d.Call != l.Call {
					t.Errorf("line %d, %s, %s: %v", i+2, what, name, err)
				}
			}
		}
		increase := func(structure any, what string) {
			v := reflect.ValueOf(structure).Elem()
			for k := range v.NumField() {
				field := v.Field(k)
				was := reflect.New(field.Type()).Elem()
				was.Set(field)
				switch {
				case field.CanInt():
					field.SetInt(field.Int() + 1)
				case field.CanUint():
					field.SetUint(field.Uint() + 1)
				case field.Kind() == reflect.String:
					field.SetString(field.String() + "00")
				default:
					field.SetBool(!field.Bool())
				}
				find(what)
				field.Set(was)
			}
		}
		if l.Call == next && l.OK {
			increase(l.Packet, "p")
		}
		for k := range l.Events {
			increase(&l.Events[k], "events")
		}
		for _, list := range []struct {
			times []unit.Time
			what  string
		}{{l.Ready, "ready"}, {l.Deadline, "deadline"}} {
			if len(list.times) > 0 {
				list.times[0]++
				find(list.what)
				list.times[0]--
			}
		}
	}
	return changes
}

// TestEarlier has the wire be free before a credit may go, and says that it went: replays find that none goes then.
func TestEarlier(t *testing.T) {
	_, receiver := recorded(t, credit)
	lines := strings.SplitAfter(receiver, "\n")
	early := 0
	for i, text := range lines[:len(lines)-1] {
		var l line
		if err := json.Unmarshal([]byte(text), &l); err != nil {
			t.Fatal(err)
		}
		if l.Call != next || len(l.Ready) != 1 || l.Ready[0] <= l.Now {
			continue
		}
		early++
		l.Now = l.Ready[0] - 1
		added, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		tape := strings.Join(lines[:i+1], "") + string(added) + "\n"
		for _, build := range []building{of, simulated} {
			var d *Difference
			if _, err := Replay(strings.NewReader(tape), build); !errors.As(err, &d) || d.Line != i+2 || d.What != "p" || d.Replay != "null" {
				t.Errorf("line %d: %v", i+2, err)
			}
		}
	}
	if early == 0 {
		t.Error("no credit waited for its time")
	}
}

// FuzzReplay has no tape break the program.
func FuzzReplay(f *testing.F) {
	for _, name := range []Name{credit, windows} {
		sender, _ := recorded(f, name)
		lines := strings.SplitAfter(sender, "\n")
		for _, n := range []int{2, 6, 20, 60} {
			f.Add([]byte(strings.Join(lines[:min(n, len(lines))], "")))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = Replay(bytes.NewReader(b), of)
		_, _ = Replay(bytes.NewReader(b), simulated)
	})
}
