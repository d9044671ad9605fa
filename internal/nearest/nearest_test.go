package nearest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestName(t *testing.T) {
	names := []string{"100k", "1k", "ecmp", "ops", "arcane", "fat-tree", "leaf-spine", "hosts_per_tor", "uplink_rate"}
	for _, test := range []struct {
		word, want string
	}{
		{"arcana", "arcane"},
		{"acrane", "arcane"},
		{"ARCANE", "arcane"},
		{"opss", "ops"},
		{"emcp", "ecmp"},
		{"fattree", "fat-tree"},
		{"host_per_tors", "hosts_per_tor"},
		{"uplink", "uplink_rate"},
		{"leaf-spine-3", "leaf-spine"},
		{"dragonfly", ""},
		{"", ""},
		{"x", ""},
		{"100", ""},
	} {
		got, ok := Name(test.word, names)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("Name(%q) = %q, %v; want %q", test.word, got, ok, test.want)
		}
	}
	if got, ok := Name("ecmp", nil); ok {
		t.Errorf("Name among no names = %q", got)
	}
}

func TestNamePrefersTheFirstAmongEquals(t *testing.T) {
	if got, _ := Name("tor", []string{"torA", "torB"}); got != "torA" {
		t.Errorf("got %q, want torA", got)
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3},
		{"ca", "abc", 3}, {"ab", "ba", 1}, {"tor12", "tor21", 1},
	} {
		if got := distance([]rune(test.a), []rune(test.b), 100); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestOneSlipIsAlwaysFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z]{3,12}`).Draw(t, "word")
		at := rapid.IntRange(0, len(word)-1).Draw(t, "at")
		slip := word[:at] + word[at+1:]
		if got, ok := Name(slip, []string{strings.Repeat("#", 30), word}); !ok || got != word {
			t.Fatalf("Name(%q) = %q, %v; want %q", slip, got, ok, word)
		}
	})
}

func TestSeveral(t *testing.T) {
	names := []string{"background.fct_p99_us", "fct_p99_us", "fct_p50_us", "rtt_p99_us", "drops"}
	for _, test := range []struct{ word, want string }{
		{"p99", "fct_p99_us rtt_p99_us background.fct_p99_us"},
		{"fct_p9_us", "fct_p99_us"},
		{"FCT", "fct_p99_us fct_p50_us background.fct_p99_us"},
		{"nothing", ""},
		{"", ""},
	} {
		if got := strings.Join(Several(test.word, names, 3), " "); got != test.want {
			t.Errorf("%q: %q, want %q", test.word, got, test.want)
		}
	}
}

func TestRemedy(t *testing.T) {
	var studies []string
	for i := range many + 1 {
		studies = append(studies, fmt.Sprintf("fig%d", i))
	}
	for _, test := range []struct {
		word, intro string
		names       []string
		want        string
	}{
		{"opss", "there are", []string{"ecmp", "ops"}, `did you mean "ops"? There are ecmp, ops`},
		{"xyzzy", "known:", []string{"ecmp", "ops"}, "known: ecmp, ops"},
		{"ops", "allowed:", nil, "allowed: none"},
		{"fig12x", "known:", studies[:many], `did you mean "fig12"? Known: ` + strings.Join(studies[:many], ", ")},
		{"fig12x", "known:", studies, `did you mean "fig12"?`},
		{"xyzzy", "known:", studies, "known: " + strings.Join(studies, ", ")},
	} {
		if got := Remedy(test.word, test.intro, test.names); got != test.want {
			t.Errorf("%q of %q: %q, want %q", test.word, test.names, got, test.want)
		}
	}
}
