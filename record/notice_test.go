package record

import (
	"encoding/json"
	"reflect"
	"testing"
)

// Each kind either keeps a run from being ranked or does not, and has a word that marks it.
func TestKindsOfNotices(t *testing.T) {
	bars := map[NoticeKind]bool{NoticePartial: true, NoticeUnfinished: true, NoticeUnstable: true, NoticeLocked: true, NoticeStarved: true, NoticeVoid: true}
	for _, k := range NoticeKinds() {
		if k.Bars() != bars[k] {
			t.Errorf("%s bars a run: %v", k, k.Bars())
		}
		if k.Word() == "" {
			t.Errorf("%s has no word", k)
		}
	}
}

// Files have all notices; those that follow from numbers are not believed when they are read.
func TestNoticesAreKept(t *testing.T) {
	s := Summary{
		Partial: true, Ended: Stuck, Cause: "no route", Stats: Stats{Messages: 10, Unfinished: 4},
		Stability: &Stability{Unstable: true, Growth: 0.4, Fit: 0.9},
		Noted:     []Notice{{NoticeLocked, "host0 and host1 look phase-locked"}},
	}
	kinds := []NoticeKind{NoticePartial, NoticeUnstable, NoticeUnfinished, NoticeLocked}
	if got := s.Kinds(); !reflect.DeepEqual(got, kinds) {
		t.Fatalf("its notices are of the kinds %v, want %v", got, kinds)
	}
	if got := Marks(s.Kinds()); got != "partial, unstable, phase-locked" {
		t.Errorf("its mark is %q", got)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var again Summary
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again.Notices(), s.Notices()) {
		t.Errorf("read again it has %v, want %v", again.Notices(), s.Notices())
	}
	again.Stability.Unstable = false
	if text, err = json.Marshal(again); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if got := again.Kinds(); !reflect.DeepEqual(got, []NoticeKind{NoticePartial, NoticeUnfinished, NoticeLocked}) {
		t.Errorf("a run that is not unstable has the kinds %v", got)
	}
}
