package packet

import (
	"testing"

	"pgregory.net/rapid"

	"weft/protocol"
	"weft/unit"
)

// model is what a packet must say.
type model struct {
	aux     uint32
	report  *Report
	answer  *protocol.Answer
	ask     *Ask
	list    *List
	host    *Host
	notice  *Notice
	time    *unit.Time
	more    *protocol.More
	tracked bool
	field   *protocol.Field
	stamps  int
}

// same tells whether a packet has a view as the model has it.
func same[T comparable](have, want *T) bool {
	return have == nil && want == nil || have != nil && want != nil && *have == *want
}

func (m *model) check(t *rapid.T, s *Store, p *Packet) {
	var stamps [protocol.MostStamps]protocol.Stamp
	n, field := 0, (*protocol.Field)(nil)
	if p.Tracked() {
		n, _ = s.TrailOf(p).Stamps(&stamps)
		if f, ok := s.TrailOf(p).Field(); ok {
			field = &f
		}
	}
	if s.Aux(p) != m.aux || !same(s.Report(p), m.report) || !same(s.Answer(p), m.answer) || !same(s.Ask(p), m.ask) ||
		!same(s.List(p), m.list) || !same(s.Host(p), m.host) || !same(s.Notice(p), m.notice) || !same(s.Time(p), m.time) || !same(s.More(p), m.more) ||
		p.Tracked() != m.tracked || n != m.stamps || !same(field, m.field) {
		t.Fatalf("a packet says %d, %v, %v, %v, %v, %v, %v, %v, %v, %d stamps, %v; want %+v",
			s.Aux(p), s.Report(p), s.Answer(p), s.Ask(p), s.List(p), s.Host(p), s.Notice(p), s.Time(p), s.More(p), n, field, m)
	}
}

// TestStore gives packets of two stores views at random, moves them from one to the other, turns them back and frees them:
// each says what it was given, whatever others are given.
func TestStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var stores [2]Store
		var live [2]map[ID]*model
		live[0], live[1] = map[ID]*model{}, map[ID]*model{}
		number := uint32(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			k := rapid.IntRange(0, 1).Draw(t, "store")
			s := &stores[k]
			number++
			if len(live[k]) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
				id := s.Alloc()
				if live[k][id] != nil {
					t.Fatalf("packet %d is given twice", id)
				}
				s.At(id).Aux = number
				live[k][id] = &model{aux: number}
				continue
			}
			var ids []ID
			for id := range ID(len(s.Packets)) {
				if live[k][id] != nil {
					ids = append(ids, id)
				}
			}
			id := rapid.SampledFrom(ids).Draw(t, "packet")
			m, p := live[k][id], s.At(id)
			switch rapid.IntRange(0, 15).Draw(t, "what") {
			case 0:
				m.report = &Report{Expected: number, Entropies: 3}
				*s.AddReport(p) = *m.report
			case 1:
				m.answer = &protocol.Answer{uint64(number), 1}
				*s.AddAnswer(p) = *m.answer
			case 2:
				m.ask = &Ask{Wire: number}
				*s.AddAsk(p) = *m.ask
			case 3:
				m.list = &List{Number: number}
				*s.AddList(p) = *m.list
			case 4:
				m.host = &Host{Message: number}
				*s.AddHost(p) = *m.host
			case 5:
				m.notice = &Notice{From: int32(number)}
				*s.AddNotice(p) = *m.notice
			case 6:
				at := unit.Time(number)
				m.time = &at
				*s.AddTime(p) = at
			case 15:
				m.more = &protocol.More{Length: uint8(number)}
				*s.AddMore(p) = *m.more
			case 7:
				s.Track(id, Forward, 0)
				m.tracked, m.stamps = true, 0
			case 8:
				m.field = &protocol.Field{uint64(number)}
				s.PutField(id, *m.field)
				m.tracked = true
			case 9:
				if p.Tracked() && m.stamps < protocol.MostStamps {
					s.TrailOf(p).Add(1, Stamp{})
					m.stamps++
				}
			case 10:
				s.SetAux(p, number)
				m.aux = number
			case 11:
				if p.Tracked() {
					s.Return(id, number)
					*m = model{aux: number, tracked: true, stamps: m.stamps, field: m.field, time: m.time}
				}
			case 12:
				if !p.Tracked() {
					s.Strip(id)
					*m = model{aux: m.aux}
				}
			case 13:
				s.Free(id)
				delete(live[k], id)
			case 14: // by way of a mailbox
				var box Views
				moved := *p
				if moved.Flags&Extended != 0 {
					s.Export(&moved, &box)
				}
				s.Leave(id)
				delete(live[k], id)
				other := &stores[1-k]
				if moved.Flags&Extended != 0 {
					other.Import(&moved, &box)
				}
				live[1-k][other.Keep(&moved, None)] = m
			}
			for k := range stores {
				for id, m := range live[k] {
					m.check(t, &stores[k], stores[k].At(id))
				}
			}
		}
	})
}

// TestQueue compares with a slice.
func TestQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		var want []ID
		for i := range ID(rapid.IntRange(1, 100).Draw(t, "steps")) {
			if len(want) > 0 && rapid.Bool().Draw(t, "pop") {
				if got := q.Pop(); got != want[0] {
					t.Fatalf("packet %d comes, want %d", got, want[0])
				}
				want = want[1:]
			} else {
				before := q.Pushed()
				q.Push(i)
				want = append(want, i)
				for id := range q.Since(before) {
					if id != i {
						t.Fatalf("packet %d was added, want %d", id, i)
					}
				}
			}
			if q.Len() != len(want) || q.Empty() != (len(want) == 0) {
				t.Fatalf("%d packets, want %d", q.Len(), len(want))
			}
		}
	})
}
