package papers

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft"
	"weft/config"
)

// FuzzLedger reads any two files as a ledger, and fits its claims to its studies.
func FuzzLedger(f *testing.F) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join("testdata/small", name))
		if err != nil {
			f.Fatal(err)
		}
		return string(text)
	}
	paper, claims, sizes := read(paperFile), read(claimsFile), read("sizes.yaml")
	f.Add(paper, claims)
	f.Add(paper, "ledger: 1\nclaims: []\n")
	f.Add("ledger: 1\n", claims)
	f.Add(paper+"tables: [{id: t, rows: [], columns: []}]\n", claims)
	f.Add(strings.Replace(paper, "sizes.yaml", ".", 1), strings.Replace(claims, "kind: theory", "kind: cited", 1))
	f.Add("ledger: 1\nstudies: [{id: a, analyze: {command: [cost]}}]\n", "ledger: 1\nclaims: [{id: c, checks: [{theory: {model: x}}]}]\n")
	f.Add("a: &a [*a]\n", "- 1\n")
	dir := f.TempDir()
	write := func(t testing.TB, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(f, "sizes.yaml", sizes)
	f.Fuzz(func(t *testing.T, paper, claims string) {
		write(t, paperFile, paper)
		write(t, claimsFile, claims)
		l, err := Load(dir)
		if err != nil {
			var list *config.Error
			if !errors.As(err, &list) && !strings.Contains(err.Error(), dir) {
				t.Errorf("%v does not name its file", err)
			}
			return
		}
		for _, scale := range []string{Quick, Full} {
			if strings.Contains(paper, "/") {
				return // a scenario elsewhere
			}
			e, err := l.NewEvaluator(Options{Scale: scale, Registry: weft.Builtin(), Program: "test"})
			if err == nil {
				_ = e.Problems()
			}
		}
	})
}
