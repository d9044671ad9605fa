package config_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/catalog"
	"weft/config"
	"weft/unit"
)

// The options of a program as it was, as it is with more of them, and as it is with other
// defaults.
type (
	first struct {
		Version int                   `yaml:"version" doc:"V."`
		Size    unit.Bytes            `yaml:"size" default:"64B" doc:"S."`
		Tool    catalog.Choice[tool]  `yaml:"tool" default:"hammer" doc:"T."`
		Spare   *catalog.Choice[tool] `yaml:"spare" doc:"T."`
		Wait    *unit.Time            `yaml:"wait" doc:"W."`
		Hosts   []string              `yaml:"hosts" default:"[a, b]" doc:"H."`
		Sub     firstSub              `yaml:"sub" default:"{}" doc:"S."`
		More    *firstSub             `yaml:"more" doc:"M."`
		Subs    []firstSub            `yaml:"subs" default:"[]" doc:"S."`
	}
	firstSub struct {
		Every int    `yaml:"every" default:"1" doc:"E."`
		Lag   window `yaml:"lag" default:"{}" doc:"L."`
	}

	more struct {
		Flag    bool                  `yaml:"flag" default:"false" doc:"New."`
		Wait    *unit.Time            `yaml:"wait" doc:"Moved."`
		Version int                   `yaml:"version" doc:"V."`
		Size    unit.Bytes            `yaml:"size" default:"64B" doc:"S."`
		Tools   []string              `yaml:"tools" default:"[x]" doc:"New."`
		Tool    catalog.Choice[tool]  `yaml:"tool" default:"hammer" doc:"T."`
		Spare   *catalog.Choice[tool] `yaml:"spare" doc:"T."`
		Third   catalog.Choice[tool]  `yaml:"third" default:"saw" doc:"New."`
		Fourth  *moreSub              `yaml:"fourth" doc:"New."`
		Fifth   moreSub               `yaml:"fifth" default:"{}" doc:"New."`
		Hosts   []string              `yaml:"hosts" default:"[a, b]" doc:"H."`
		Sub     moreSub               `yaml:"sub" default:"{}" doc:"S."`
		More    *moreSub              `yaml:"more" doc:"M."`
		Subs    []moreSub             `yaml:"subs" default:"[]" doc:"S."`
	}
	moreSub struct {
		Deep  unit.Ratio `yaml:"deep" default:"50%" doc:"New."`
		Every int        `yaml:"every" default:"1" doc:"E."`
		Lag   window     `yaml:"lag" default:"{}" doc:"L."`
	}

	second struct {
		Version int                   `yaml:"version" doc:"V."`
		Size    unit.Bytes            `yaml:"size" default:"1KiB" introduced:"64B" doc:"S."`
		Tool    catalog.Choice[tool]  `yaml:"tool" default:"saw" introduced:"hammer" doc:"T."`
		Spare   *catalog.Choice[tool] `yaml:"spare" doc:"T."`
		Wait    *unit.Time            `yaml:"wait" doc:"W."`
		Hosts   []string              `yaml:"hosts" default:"[]" introduced:"[a, b]" doc:"H."`
		Sub     secondSub             `yaml:"sub" default:"{}" doc:"S."`
		More    *secondSub            `yaml:"more" doc:"M."`
		Subs    []secondSub           `yaml:"subs" default:"[]" doc:"S."`
	}
	secondSub struct {
		Every *int   `yaml:"every" introduced:"1" doc:"Derived today."`
		Lag   window `yaml:"lag" default:"{}" doc:"L."`
	}
)

// window is written as one word where it can be.
type window struct {
	From unit.Time `yaml:"from" default:"0s" doc:"F."`
	To   unit.Time `yaml:"to" default:"0s" doc:"T."`
}

func (w *window) UnmarshalText(text []byte) error { return w.From.UnmarshalText(text) }

func (w window) MarshalText() ([]byte, error) {
	if w.To != 0 {
		return nil, fmt.Errorf("two times")
	}
	return w.From.MarshalText()
}

// distinct returns what distinguishes a text that is read as the struct into points to.
func distinct(t *testing.T, into any, text string) string {
	t.Helper()
	n, err := config.Parse("test.yaml", []byte("version: 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := decoder(t).Decode(n, into); err != nil {
		t.Fatal(err)
	}
	if n, err = (config.Encoder{}).Encode(into); err != nil {
		t.Fatal(err)
	}
	out, err := n.Distinct().MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestDistinct(t *testing.T) {
	for _, tt := range []struct{ text, first, second string }{
		{"", `{"version":1}`,
			`{"hosts":[],"size":"1KiB","sub":{"every":null},"tool":{"kind":"saw"},"version":1}`},
		{"size: 64B\ntool: hammer\nhosts: [a, b]\nsub: {every: 1}", `{"version":1}`, `{"version":1}`},
		{"size: 1KiB\ntool: saw\nhosts: []\nsub: {every: 2}",
			`{"hosts":[],"size":"1KiB","sub":{"every":2},"tool":{"kind":"saw"},"version":1}`, "same"},
		{"size: 64B\ntool: {kind: hammer, head: tin}\nhosts: [a]\nsub: {every: 1, lag: 3us}",
			`{"hosts":["a"],"sub":{"lag":"3us"},"tool":{"head":"tin","kind":"hammer"},"version":1}`, "same"},
		{"size: 64B\ntool: hammer\nhosts: [b, a]\nsub: {every: 1, lag: {from: 0s, to: 1us}}",
			`{"hosts":["b","a"],"sub":{"lag":{"to":"1us"}},"version":1}`, "same"},
		// What is there is not what is absent, though all of it is as it would be.
		{"size: 64B\ntool: hammer\nhosts: [a, b]\nsub: {every: 1}\nspare: hammer\nwait: 0s\nmore: {every: 1}\nsubs: [{every: 1}, {every: 2}]",
			`{"more":{},"spare":{"kind":"hammer"},"subs":[{},{"every":2}],"version":1,"wait":"0s"}`, "same"},
	} {
		if tt.second == "same" {
			tt.second = tt.first
		}
		if got := distinct(t, new(first), tt.text); got != tt.first {
			t.Errorf("%q is distinguished by\n%s, not\n%s", tt.text, got, tt.first)
		}
		if got := distinct(t, new(more), tt.text); got != tt.first {
			t.Errorf("with more options %q is distinguished by\n%s, not\n%s", tt.text, got, tt.first)
		}
		if got := distinct(t, new(second), tt.text); got != tt.second {
			t.Errorf("with other defaults %q is distinguished by\n%s, not\n%s", tt.text, got, tt.second)
		}
	}
	for _, given := range []string{"flag: true", "tools: []", "third: hammer", "fourth: {}", "fifth: {deep: 20%}", "sub: {deep: 0}"} {
		name, _, _ := strings.Cut(given, ":")
		if got := distinct(t, new(more), given); !strings.Contains(got, `"`+name+`":`) {
			t.Errorf("%s is not seen in %s", given, got)
		}
	}
}
