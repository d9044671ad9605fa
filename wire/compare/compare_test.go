package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestContenders moves bytes by all contenders, and prints both forms.
func TestContenders(t *testing.T) {
	var lines, text bytes.Buffer
	if err := run(t.Context(), []string{"--each", "1ms", "--json"}, &lines); err != nil {
		t.Fatal(err)
	}
	var rows []row
	if err := json.Unmarshal(lines.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		whole := r.Mbps > 0 && r.RoundTrip > 0 && r.Rounds >= leastRounds && (r.Beside == "" || r.MbpsRatio > 0 && r.RoundTripRatio > 0)
		if alone := r.Seal > 0 && r.Open > 0; whole == alone {
			t.Errorf("%+v", r)
		}
	}
	if len(rows) != 7+6 { // QUIC has no large datagrams
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if err := table(&text, rows); err != nil || strings.Count(text.String(), "\n") != 1+len(rows) {
		t.Errorf("%v\n%s", err, &text)
	}
}

// TestArguments: what cannot be measured is named.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"--rounds", "4"}, {"--datagrams", "9000,none"}, {"--datagrams", "100"}, {"--each", "x"}} {
		if err := run(t.Context(), args, new(bytes.Buffer)); err == nil || !strings.Contains(err.Error(), strings.TrimLeft(args[0], "-")) {
			t.Errorf("%q: %v", args, err)
		}
	}
}

// scripted is a link whose goodput grows each time that it is measured, and that notes its turns.
type scripted struct {
	name  string
	next  float64
	turns *[]string
}

func (s *scripted) Goodput(context.Context, time.Duration) (float64, error) {
	*s.turns = append(*s.turns, s.name)
	s.next++
	return s.next, nil
}

func (s *scripted) RoundTrip(context.Context, time.Duration) (float64, error) {
	return 10 * s.next, nil
}

func (s *scripted) Close() error { return nil }

// TestPairs: both of a pair take turns in being first, and a row has medians of the pairs' ratios.
func TestPairs(t *testing.T) {
	var turns []string
	open := func(name string, first float64) contender {
		return contender{name: name, open: func(context.Context, int) (link, error) { return &scripted{name, first, &turns}, nil }}
	}
	list := []contender{open("a", 0), open("b", 100), open("c", 0)}
	list[1].beside, list[2].beside, list[2].most = "a", "a", 1000
	rows, err := compare(t.Context(), list, 1200, 5, 0)
	if err != nil || fmt.Sprint(turns) != "[b a a b b a a b b a]" {
		t.Fatalf("turns %v, %v", turns, err)
	}
	if len(rows) != 3 || rows[0].Mbps != 3 || rows[1].Mbps != 103 || rows[1].MbpsRatio != 103.0/3 || rows[1].RoundTrip != 1030 || rows[1].Rounds != 5 {
		t.Errorf("%+v", rows)
	}
}
