package onwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"weft/cli/onwire"
	"weft/wire"
)

// errWrong marks what the user has to mend.
var errWrong = errors.New("wrong")

// run executes weft wire with arguments.
func run(args ...string) (out string, err error) {
	var b bytes.Buffer
	c := onwire.Command(onwire.Program{
		Stdout: &b,
		Line:   func(v any) error { _, err := fmt.Fprintln(&b, v); return err },
		Hold:   func() func() { return func() {} },
		Wrong:  func(err error) error { return errors.Join(errWrong, err) },
	})
	c.SetArgs(args)
	c.SetOut(&b)
	c.SilenceErrors, c.SilenceUsage = true, true
	err = c.Execute()
	return b.String(), err
}

// recorded returns what the endpoints of some calls over the loopback with a transport recorded.
func recorded(t *testing.T, transport string) (tapes [2]string) {
	t.Helper()
	var buffers [2]bytes.Buffer
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := wire.Listen("127.0.0.1:0", wire.Config{
		Handler: func(ctx context.Context, m *wire.Message) { _ = m.Reply(ctx, m.Body) }, Record: &buffers[0], Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	client, err := wire.Listen("127.0.0.1:0", wire.Config{Record: &buffers[1], Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	peer, err := client.Dial(ctx, server.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 3000, 400_000} {
		if _, err := peer.Call(ctx, make([]byte, n)); err != nil {
			t.Fatal(err)
		}
	}
	short, stop := context.WithTimeout(ctx, time.Millisecond)
	defer stop()
	_, _ = peer.Call(short, make([]byte, 20_000_000)) // which is given up
	for i, e := range []*wire.Endpoint{client, server} {
		if err := e.Close(ctx); err != nil {
			t.Fatal(err)
		}
		tapes[1-i] = buffers[1-i].String()
	}
	return tapes
}

// TestReplay replays what was recorded over real sockets: the transport alone and in the simulator's carrier answers as it did. A
// packet that is changed is found and named.
func TestReplay(t *testing.T) {
	name := filepath.Join(t.TempDir(), "tape")
	sird, dctcp := recorded(t, "sird"), recorded(t, "dctcp")
	for i, text := range slices.Concat(sird[:], dctcp[:]) {
		calls := strings.Count(text, "\n") - 1
		changed, lines := change(t, text)
		for _, flags := range [][]string{nil, {"--simulator"}, {"--json", "--simulator"}} {
			write(t, name, text)
			out, err := run(append([]string{"replay", name}, flags...)...)
			want := fmt.Sprintf("%d calls, none of which differs\n", calls)
			if len(flags) == 2 {
				want = fmt.Sprintln(map[string]any{"calls": calls, "differ": 0})
			}
			if err != nil || out != want {
				t.Errorf("tape %d %v: %q, %v; want %q", i, flags, out, err, want)
			}
			write(t, name, changed)
			_, err = run(append([]string{"replay", name}, flags...)...)
			if err == nil || errors.Is(err, errWrong) || !strings.Contains(err.Error(), fmt.Sprintf("line %d, next at ", lines)) || !strings.Contains(err.Error(), ": p is {") {
				t.Errorf("tape %d %v: a changed packet in line %d is %v", i, flags, lines, err)
			}
		}
	}
	write(t, name, "nonsense")
	for _, args := range [][]string{{"replay", name, "--simulator"}, {"replay", name + "s"}} {
		if _, err := run(args...); !errors.Is(err, errWrong) {
			t.Errorf("%v: %v", args, err)
		}
	}
}

var offset = regexp.MustCompile(`"offset":"(\d+[KMG]?B)"`)

// change changes where the payload of the last packet with some stands that was sent, and returns its line.
func change(t *testing.T, text string) (changed string, line int) {
	t.Helper()
	lines := strings.Split(text, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], `{"c":"next"`) && strings.Contains(lines[i], `"payload"`) && offset.MatchString(lines[i]) {
			lines[i] = offset.ReplaceAllString(lines[i], `"offset":"1B"`)
			return strings.Join(lines, "\n"), i + 1
		}
	}
	t.Fatal("no packet was sent")
	return "", 0
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
