package dissector_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/pcapgo"

	"weft/wire"
	"weft/wire/dissector"
)

// tshark returns the values that the dissector has for the datagrams of a capture: a map of fields for each, without those that
// it lacks.
func tshark(t *testing.T, capture []byte, options ...string) (list []map[string]string) {
	t.Helper()
	program, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed; apt install tshark")
	}
	dir := t.TempDir()
	script, file := filepath.Join(dir, "weft.lua"), filepath.Join(dir, "capture.pcapng")
	for name, data := range map[string][]byte{script: []byte(dissector.Script()), file: capture} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"-n", "-X", "lua_script:" + script, "-r", file, "-T", "fields", "-E", "separator=|", "-E", "occurrence=a"}, options...)
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	c := exec.Command(program, args...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil || strings.Contains(said.String(), "Lua") {
		t.Fatalf("%v\n%s", err, &said)
	}
	for line := range strings.Lines(string(out)) {
		values := map[string]string{}
		for i, v := range strings.Split(strings.TrimSuffix(line, "\n"), "|") {
			if v != "" {
				values[fields[i]] = v
			}
		}
		list = append(list, values)
	}
	return list
}

// datagrams returns what a capture of IPv4 has.
func datagrams(t *testing.T, capture []byte) (list [][]byte) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(capture), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	for {
		data, _, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, data[28:])
	}
}

// TestRun dissects the datagrams of two endpoints, and compares each value with what the codec reads.
func TestRun(t *testing.T) {
	for _, secret := range []string{"", "what both know"} {
		t.Run("secret "+secret, func(t *testing.T) {
			var capture bytes.Buffer
			handler := func(ctx context.Context, m *wire.Message) { _ = m.Reply(ctx, m.Body) }
			server, err := wire.Listen("127.0.0.1:0", wire.Config{Handler: handler, Secret: []byte(secret), Largest: 100_000})
			if err != nil {
				t.Fatal(err)
			}
			defer server.Close(t.Context())
			client, err := wire.Listen("127.0.0.1:0", wire.Config{Secret: []byte(secret), Capture: &capture})
			if err != nil {
				t.Fatal(err)
			}
			p, err := client.Dial(t.Context(), server.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []int{0, 64, 5000, 100_000} {
				if _, err := p.Call(t.Context(), make([]byte, n)); err != nil {
					t.Error(err)
				}
			}
			if err := p.Send(t.Context(), make([]byte, 200_000)); !errors.Is(err, wire.ErrRefused) {
				t.Errorf("a message that is too large: %v", err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if err := client.Close(ctx); err != nil {
				t.Error(err)
			}
			compare(t, capture.Bytes(), secret != "")
		})
	}
}

// compare compares what the dissector has for each datagram with what the codec reads.
func compare(t *testing.T, capture []byte, sealed bool) {
	t.Helper()
	got := tshark(t, capture)
	list := datagrams(t, capture)
	if len(got) != len(list) || len(list) < 4 {
		t.Fatalf("%d are dissected of %d", len(got), len(list))
	}
	for i, d := range list {
		delete(got[i], info)
		if diff := cmp.Diff(expected(d, sealed), got[i]); diff != "" {
			t.Fatalf("datagram %d, %s:\n%s", i, hex.EncodeToString(d), diff)
		}
	}
}

// checked returns a datagram without its checksum, and whether that is right.
func checked(d []byte) ([]byte, bool) {
	n := len(d) - 4
	sum := crc32.Checksum(d[:n], crc32.MakeTable(crc32.Castagnoli))
	return d[:n], fmt.Sprintf("%08x", sum) == hex.EncodeToString(d[n:])
}
