package weft_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCommand runs the script weft, which builds and runs the program, with a go
// command that writes a program which shows its arguments.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script needs bash")
	}
	script, err := os.ReadFile("weft")
	if err != nil {
		t.Fatal(err)
	}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	write(filepath.Join(dir, "weft"), string(script))
	run := func(path string) (string, error) {
		c := exec.Command("/bin/bash", filepath.Join(dir, "weft"), "run", "a file.yaml")
		c.Dir, c.Env = t.TempDir(), []string{"PATH=" + path}
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := run(t.TempDir()); err == nil || !strings.Contains(out, "install Go") {
		t.Errorf("without Go: %v, %q", err, out)
	}

	tools := t.TempDir()
	write(filepath.Join(tools, "go"), `#!/bin/bash
[ ! -e broken ] || { echo "x.go:1:1: syntax error" >&2; exit 1; }
mkdir -p bin
printf '#!/bin/bash\nprintf "<%%s>" "$@"; exit 3\n' >bin/weft
chmod +x bin/weft
`)
	path := tools + ":/usr/bin:/bin"
	for _, first := range []bool{true, false} {
		out, err := run(path)
		if code := err.(*exec.ExitError).ExitCode(); code != 3 {
			t.Errorf("exit code %d, want the program's, 3", code)
		}
		if !strings.HasSuffix(out, "<run><a file.yaml>") {
			t.Errorf("got %q, want the arguments as they were", out)
		}
		if said := strings.Contains(out, "compiling"); said != first {
			t.Errorf("got %q; compiling is said the first time only", out)
		}
	}
	write(filepath.Join(dir, "broken"), "")
	if out, err := run(path); err == nil || !strings.Contains(out, "syntax error") || strings.Contains(out, "<run>") {
		t.Errorf("with a syntax error: %v, %q; want the error, and no old program", err, out)
	}
}
