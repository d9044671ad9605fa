package cli

import (
	"testing"

	"weft/explain"
	"weft/unit"
)

// TestSteps has what a step is made of beside it, or below it where that is too wide.
func TestSteps(t *testing.T) {
	rows := [][]string{
		{"after µs", "µs", "step", "µs of it"},
		{"6.183", "12.190", "round trip of packet 9", "7.096 serialisation, 3.096 queueing"},
	}
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, `
after µs  µs      step                    µs of it
6.183     12.190  round trip of packet 9  7.096 serialisation, 3.096 queueing
`},
		{48, `
after µs  µs      step
                    µs of it
6.183     12.190  round trip of packet 9
                    7.096 serialisation, 3.096
                    queueing
`},
	} {
		text := explanationText{width: c.width}
		text.steps(rows)
		if got := "\n" + text.String(); got != c.want {
			t.Errorf("into %d characters:%s\nwant:%s", c.width, got, c.want)
		}
	}
}

// TestSlowLinkIsNamedFirst has the slow links of a message's way in one of the first lines, if they
// took a share of its time worth the line.
func TestSlowLinkIsNamedFirst(t *testing.T) {
	for _, c := range []struct {
		slow []explain.SlowLink
		want string
	}{
		{nil, ""},
		{[]explain.SlowLink{{Rate: 10 * unit.Gbps, Host: 100 * unit.Gbps, Took: unit.Microsecond / 2}}, ""},
		{[]explain.SlowLink{{Rate: 10 * unit.Gbps, Host: 100 * unit.Gbps, Took: 25 * unit.Microsecond}},
			"slow link tor0->spine0: 10Gbps where the host's link has 100Gbps; 25.000 µs (25.0 %) went to queueing, serialisation and losses there"},
		{[]explain.SlowLink{{Rate: 10 * unit.Gbps, Host: 100 * unit.Gbps, Took: 20 * unit.Microsecond}, {Took: 10 * unit.Microsecond}},
			"slow links tor0->spine0 and 1 more: 10Gbps where the host's link has 100Gbps; 30.000 µs (30.0 %) went to queueing, serialisation and losses there"},
	} {
		a := &explain.Account{Total: 100 * unit.Microsecond, Slow: c.slow}
		if got := slowLinks(a, func(int32) string { return "tor0->spine0" }); got != c.want {
			t.Errorf("%+v:\n%s\nwant:\n%s", c.slow, got, c.want)
		}
	}
}

// TestNumbersOverflow keeps columns below each other where a name is longer than most.
func TestNumbersOverflow(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"tor0->spine0", `
pauses by port                         µs  paused by
tor0->spine0                        1.500  spine0
host0->tor0                         0.250  tor0
`},
		{"aggregation-0-12->core-switch-3", `
pauses by port                            µs  paused by
aggregation-0-12->core-switch-3        1.500  spine0
host0->tor0                            0.250  tor0
`},
	} {
		var text explanationText
		text.numbers([][]string{{"pauses by port", "µs"}, {c.name, "1.500"}, {"host0->tor0", "0.250"}}, []string{"paused by", "spine0", "tor0"}, nameWidth, numberWidth)
		if got := text.String(); got != c.want {
			t.Errorf("%s:%s\nwant:%s", c.name, got, c.want)
		}
	}
}
