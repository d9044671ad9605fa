package cli

import "testing"

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
