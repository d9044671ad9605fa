package papers

import (
	"testing"

	"weft"
	"weft/papers/ledgers"
)

// TestClaimsResolve finds every claim of the embedded ledgers that names an axis, a
// label, a metric or a model that is not there, and every scenario that does not
// load, at both scales.
func TestClaimsResolve(t *testing.T) {
	for _, name := range Library(ledgers.All()).Names() {
		for _, scale := range ScaleNames() {
			l, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			e, err := l.NewEvaluator(Options{Scale: scale, Registry: weft.Builtin(), Program: "test", Compute: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range e.Problems().Problems {
				t.Errorf("%s: %s", scale, p)
			}
		}
	}
}
