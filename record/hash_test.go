package record

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"weft/unit"
)

func TestResultHashIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flows := many(rapid.IntRange(0, 50).Draw(t, "flows"))
		ports := slices.Clone(sample().Ports)
		want := ResultHash(flows, ports, nil)
		shuffle := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0))
		shuffle.Shuffle(len(flows), func(i, j int) { flows[i], flows[j] = flows[j], flows[i] })
		shuffle.Shuffle(len(ports), func(i, j int) { ports[i], ports[j] = ports[j], ports[i] })
		before := slices.Clone(flows)
		if got := ResultHash(flows, ports, nil); got != want {
			t.Errorf("hash %s in another order, want %s", got, want)
		}
		if !slices.Equal(before, flows) {
			t.Error("hashing changed the order of the flows")
		}
	})
}

func TestResultHashSeesEveryInteger(t *testing.T) {
	base := ResultHash(sample().Flows, sample().Ports, nil)
	changes := map[string]func(*Flow, *Port){
		"group":             func(f *Flow, _ *Port) { f.Group = "other" },
		"id":                func(f *Flow, _ *Port) { f.ID = 1000 },
		"src":               func(f *Flow, _ *Port) { f.Src = "host5" },
		"dst":               func(f *Flow, _ *Port) { f.Dst = "host5" },
		"bytes":             func(f *Flow, _ *Port) { f.Bytes++ },
		"packets":           func(f *Flow, _ *Port) { f.Packets++ },
		"start":             func(f *Flow, _ *Port) { f.Start++ },
		"end":               func(f *Flow, _ *Port) { f.End++ },
		"sender end":        func(f *Flow, _ *Port) { f.SenderEnd++ },
		"retransmits":       func(f *Flow, _ *Port) { f.Retransmits++ },
		"timeouts":          func(f *Flow, _ *Port) { f.Timeouts++ },
		"name":              func(_ *Flow, p *Port) { p.Name = "tor0->spine9" },
		"frames":            func(_ *Flow, p *Port) { p.Frames++ },
		"bytes accepted":    func(_ *Flow, p *Port) { p.Bytes++ },
		"sent frames":       func(_ *Flow, p *Port) { p.SentFrames++ },
		"sent bytes":        func(_ *Flow, p *Port) { p.SentBytes++ },
		"queue full":        func(_ *Flow, p *Port) { p.QueueFull++ },
		"header queue full": func(_ *Flow, p *Port) { p.HeaderQueueFull++ },
		"link down":         func(_ *Flow, p *Port) { p.LinkDown++ },
		"loss":              func(_ *Flow, p *Port) { p.Loss++ },
		"no route":          func(_ *Flow, p *Port) { p.NoRoute++ },
		"credit queue full": func(_ *Flow, p *Port) { p.CreditQueueFull++ },
		"headroom full":     func(_ *Flow, p *Port) { p.HeadroomFull++ },
		"dropped bytes":     func(_ *Flow, p *Port) { p.DroppedBytes++ },
		"flushed frames":    func(_ *Flow, p *Port) { p.FlushedFrames++ },
		"flushed bytes":     func(_ *Flow, p *Port) { p.FlushedBytes++ },
		"marks":             func(_ *Flow, p *Port) { p.Marks++ },
		"trims":             func(_ *Flow, p *Port) { p.Trims++ },
		"trimmed bytes":     func(_ *Flow, p *Port) { p.TrimmedBytes++ },
		"queue max":         func(_ *Flow, p *Port) { p.QueueMax++ },
	}
	seen := map[string]string{base: "nothing"}
	for name, change := range changes {
		r := sample()
		change(&r.Flows[0], &r.Ports[0])
		h := ResultHash(r.Flows, r.Ports, nil)
		if other, ok := seen[h]; ok {
			t.Errorf("a change of %s gives the hash of a change of %s", name, other)
		}
		seen[h] = name
	}
}

// Pauses are hashed in order, every integer of them, and none leave the hash as it was.
func TestResultHashOfPauses(t *testing.T) {
	r := sample()
	r.Pauses = append(r.Pauses, Pause{Port: "spine0->tor0", Class: 2, Sent: 1})
	hash := func() string { return ResultHash(r.Flows, r.Ports, r.Pauses) }
	seen := map[string]bool{ResultHash(r.Flows, r.Ports, nil): true, hash(): true}
	slices.Reverse(r.Pauses)
	if !seen[hash()] {
		t.Error("the order of the rows counts")
	}
	for k, change := range []func(*Pause){
		func(p *Pause) { p.Port = "spine1->tor0" }, func(p *Pause) { p.Class++ }, func(p *Pause) { p.Pauses++ },
		func(p *Pause) { p.Time++ }, func(p *Pause) { p.Sent++ }, func(p *Pause) { p.Resumes++ }, func(p *Pause) { p.HeldMax++ },
	} {
		change(&r.Pauses[0])
		if h := hash(); seen[h] {
			t.Errorf("change %d gives a hash as before", k)
		} else {
			seen[h] = true
		}
	}
}

func TestResultHashIgnoresFloatsAndIdeals(t *testing.T) {
	r := sample()
	want := ResultHash(r.Flows, r.Ports, nil)
	r.Ports[0].QueueMean *= 1 + 1e-15
	r.Flows[0].Ideal = 3 * unit.Second
	if got := ResultHash(r.Flows, r.Ports, nil); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}

// The bytes that are hashed are part of the format: hashes of different
// versions of weft are compared.
func TestResultHashIsPinned(t *testing.T) {
	const want = "a033e8009ad130aa218351ff296b5f9d404be702400b7e4def07fbdb1fa44611"
	if got := ResultHash(sample().Flows, sample().Ports, nil); got != want {
		t.Errorf("hash %s, want %s", got, want)
	}
}
