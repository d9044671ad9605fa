package netns

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		writes []string
		want   []string
	}{
		{nil, nil},
		{[]string{"a\n", "b\r\n", "\n"}, []string{"a", "b", ""}},
		{[]string{"a", "b", "c\nd", "e\nf\ng"}, []string{"abc", "de", "f", "g"}},
		{[]string{"a\r", "\nb"}, []string{"a", "b"}},
		{[]string{strings.Repeat("x", longest), "y\n"}, []string{strings.Repeat("x", longest), "y"}},
	} {
		var got []string
		l := &Lines{Each: func(line []byte) error { got = append(got, string(line)); return nil }}
		for _, w := range c.writes {
			if n, err := l.Write([]byte(w)); n != len(w) || err != nil {
				t.Errorf("%q: %d, %v", w, n, err)
			}
		}
		if err := l.Close(); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%.20q: %.20q, %v", c.writes, got, err)
		}
	}
	broken := errors.New("broken")
	l := &Lines{Each: func([]byte) error { return broken }}
	if n, err := l.Write([]byte("ab\ncd\n")); n != 3 || !errors.Is(err, broken) {
		t.Errorf("an error: %d, %v", n, err)
	}
}
